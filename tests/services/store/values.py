"""Domain values with sensible defaults, and hypothesis strategies for nasty ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from deepchat_desktop.domain.blocks import (
    Block,
    CarryBlock,
    ErrorBlock,
    PlanBlock,
    ReasoningBlock,
    TextBlock,
    ToolCallBlock,
)
from deepchat_desktop.domain.journal import JournalFact
from deepchat_desktop.domain.messages import Message, Session
from deepchat_desktop.domain.permission import Interaction
from deepchat_desktop.domain.tape import TapeFact


def a_session(session_id: str = "s1", **fields: Any) -> Session:
    return Session(**{"id": session_id, "created_at": 1, "updated_at": 1, **fields})


def a_message(message_id: str = "m1", text: str = "", **fields: Any) -> Message:
    blocks = (TextBlock(text=text),) if text else ()
    known = {"id": message_id, "session_id": "s1", "role": "user", "blocks": blocks, "created_at": 1, "updated_at": 1}
    return Message(**{**known, **fields})


def an_interaction(interaction_id: str = "i1", **fields: Any) -> Interaction:
    known = {
        "id": interaction_id,
        "session_id": "s1",
        "message_id": "m1",
        "run_id": "r1",
        "request_id": "q1",
        "call_id": f"call-{interaction_id}",
        "tool": "write",
        "level": "write",
        "target": "/w/a",
        "summary": "Write a",
        "binding": "b" * 64,
        "order": 0,
        "created_at": 1,
    }
    return Interaction(**{**known, **fields})


def a_fact(provenance: str = "p1", **fields: Any) -> TapeFact:
    known = {"kind": "event", "name": "noted", "source": "test", "provenance": provenance, "payload": {"n": 1}}
    return TapeFact(**{**known, **fields})


def a_journal_fact(name: str = "dispatch_committed", **fields: Any) -> JournalFact:
    known = {
        "name": name,
        "session_id": "s1",
        "run_id": "r1",
        "request_id": "q1",
        "call_id": "c1",
        "payload": {"n": 1},
        "created_at": 1,
    }
    return JournalFact(**{**known, **fields})


def contents(folder: Path) -> dict[str, bytes]:
    """The database and its log; an empty log holds nothing, and the shared memory is scratch."""
    files = {name: folder / name for name in ("deepchat.db", "deepchat.db-wal")}
    found = {name: file.read_bytes() for name, file in files.items() if file.exists()}
    return {name: data for name, data in found.items() if data or name == "deepchat.db"}


NASTY = st.text(
    st.one_of(
        st.characters(),  # everything that is no surrogate
        st.sampled_from("\x00\ud83d\ude00\ud800\udfff\ufdd0\ufffe0 'é'\"\\%_abcdef中文\u202e"),
    ),
    max_size=40,
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False) | NASTY,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NASTY, inner, max_size=4),
    max_leaves=12,
)
OBJECTS = st.dictionaries(NASTY, JSON, max_size=5)
BLOCKS: st.SearchStrategy[Block] = st.one_of(
    st.builds(TextBlock, text=NASTY, open=st.booleans()),
    st.builds(ReasoningBlock, text=NASTY),
    st.builds(ToolCallBlock, call_id=NASTY, name=NASTY, arguments_text=NASTY, arguments=OBJECTS, result=NASTY),
    st.builds(PlanBlock, steps=st.lists(st.tuples(NASTY, NASTY), max_size=3).map(tuple)),
    st.builds(ErrorBlock, code=NASTY, message=NASTY),
    st.builds(CarryBlock, family=NASTY, data=OBJECTS),
)
