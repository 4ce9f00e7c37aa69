"""The append-only record of a session: entries, their hash chain, and the fold that reads them.

An entry holds only the SHA-256 of its payload; the payload lies beside it, so that deleting a message
removes what was said and the chain still verifies (REL-7). The effective view is a pure fold: the last
final fact about a message wins, a retraction removes it, an anchor moves where reading starts.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from deepchat_desktop.domain.base import Value
from deepchat_desktop.domain.errors import TapeCorrupt

EntryKind = Literal["event", "anchor", "message", "tool_call", "tool_result"]
GENESIS = "0" * 64


class TapeFact(Value):
    """Something to append. ``provenance`` is unique within the session: a repeat is a no-op."""

    kind: EntryKind
    name: str
    source: str
    provenance: str
    payload: dict[str, Any]


class TapeEntry(Value):
    """An entry as it was written. ``payload`` is None when it was purged."""

    session_id: str
    seq: int
    kind: EntryKind
    name: str
    source: str
    provenance: str
    payload_sha256: str
    prev_hash: str
    hash: str
    created_at: int
    payload: dict[str, Any] | None = None


def canonical_json(value: Mapping[str, Any]) -> bytes:
    """Return the one spelling of a JSON object: sorted keys, no blanks, UTF-8, lone surrogates escaped."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return text.encode("ascii")


def payload_hash(payload: Mapping[str, Any]) -> str:
    """Return the hex SHA-256 of a payload's canonical JSON."""
    return hashlib.sha256(canonical_json(payload)).hexdigest()


def entry_hash(
    *, prev_hash: str, session_id: str, seq: int, fact_key: tuple[str, str, str, str], payload_sha256: str, at: int
) -> str:
    """Return the hex SHA-256 that chains an entry to the one before it.

    ``fact_key`` is (kind, name, source, provenance); ``at`` is ms since 1970.
    """
    fields = {
        "prev": prev_hash,
        "session": session_id,
        "seq": seq,
        "fact": list(fact_key),
        "payload": payload_sha256,
        "at": at,
    }
    return hashlib.sha256(canonical_json(fields)).hexdigest()


def seal(session_id: str, fact: TapeFact, *, last: TapeEntry | None, at: int) -> TapeEntry:
    """Return the entry that appends ``fact`` after ``last`` (None for the first, which is number 1)."""
    seq = 1 if last is None else last.seq + 1
    prev = GENESIS if last is None else last.hash
    digest = payload_hash(fact.payload)
    return TapeEntry(
        session_id=session_id,
        seq=seq,
        kind=fact.kind,
        name=fact.name,
        source=fact.source,
        provenance=fact.provenance,
        payload_sha256=digest,
        prev_hash=prev,
        hash=entry_hash(
            prev_hash=prev,
            session_id=session_id,
            seq=seq,
            fact_key=(fact.kind, fact.name, fact.source, fact.provenance),
            payload_sha256=digest,
            at=at,
        ),
        created_at=at,
        payload=fact.payload,
    )


def verify(entries: Iterable[TapeEntry]) -> None:
    """Check numbering, chain and payload hashes of a whole session's entries, in order.

    Raises ``TapeCorrupt`` at the first entry that does not fit. A purged payload is no fault.
    """
    prev = GENESIS
    for seq, entry in enumerate(entries, start=1):
        expected = entry_hash(
            prev_hash=prev,
            session_id=entry.session_id,
            seq=seq,
            fact_key=(entry.kind, entry.name, entry.source, entry.provenance),
            payload_sha256=entry.payload_sha256,
            at=entry.created_at,
        )
        whole = entry.payload is None or payload_hash(entry.payload) == entry.payload_sha256
        if entry.seq != seq or entry.prev_hash != prev or entry.hash != expected or not whole:
            raise TapeCorrupt(
                f"The record of session {entry.session_id} does not verify at entry {entry.seq}. "
                "Restore a backup, or export the session and start a new one.",
                params={"session": entry.session_id, "seq": entry.seq},
            )
        prev = entry.hash


class TapeView(Value):
    """The effective state of a tape: messages by id in order of first mention, and where reading starts."""

    messages: dict[str, dict[str, Any]]
    start: int = 0
    summary: dict[str, Any] | None = None


def fold(entries: Iterable[TapeEntry]) -> TapeView:
    """Return the effective view. Pure: the same entries give the same view.

    A ``message`` entry's payload has ``message_id``; name ``retracted`` removes it, any other name replaces
    what was known of it. An ``anchor`` moves ``start`` to its number and may bring a ``summary``.
    """
    messages: dict[str, dict[str, Any]] = {}
    start, summary = 0, None
    for entry in entries:
        if entry.kind == "message" and entry.payload is not None:
            message_id = str(entry.payload["message_id"])
            if entry.name == "retracted":
                messages.pop(message_id, None)
            else:
                messages[message_id] = entry.payload
        elif entry.kind == "anchor":
            start, summary = entry.seq, entry.payload
    return TapeView(messages=messages, start=start, summary=summary)
