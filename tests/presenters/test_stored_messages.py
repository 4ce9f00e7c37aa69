"""Messages that are shown from their rows: what is read when, and that they are the same as when read whole."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deepchat_desktop.domain.blocks import Block, ErrorBlock, ImageBlock, PermissionBlock, TextBlock
from deepchat_desktop.domain.events import BlockText, MessageAdded
from deepchat_desktop.domain.messages import Message, MessageMeta
from deepchat_desktop.domain.usage import Usage
from deepchat_desktop.presenters.message_list_model import MessageListModel
from deepchat_desktop.presenters.message_view import KEPT, MessageView
from deepchat_desktop.services.store import Store
from tests.services.store.values import BLOCKS, NASTY, a_message, a_session

pytestmark = pytest.mark.usefixtures("qapp")  # the model paces itself with a timer
slow = settings(deadline=None, max_examples=30, suppress_health_check=list(HealthCheck))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store.open(tmp_path)
    opened.write_now(lambda tx: tx.sessions.add(a_session()))
    yield opened
    opened.close_now()


def fill(store: Store, *messages: Message) -> MessageListModel:
    def write(tx) -> None:
        for message in messages:
            tx.messages.add(message)

    store.write_now(write)
    model = MessageListModel()
    model.load(store.read_now(lambda tx: tx.messages.stored("s1")), "s1")
    return model


@slow
@given(st.lists(st.tuples(st.lists(BLOCKS, max_size=4), NASTY), max_size=4))
def test_read_late_is_read_whole(
    tmp_path_factory: pytest.TempPathFactory, drawn: list[tuple[list[Block], str]]
) -> None:
    store = Store.open(tmp_path_factory.mktemp("data"))
    store.write_now(lambda tx: tx.sessions.add(a_session()))
    model = fill(store)
    for at, (blocks, words) in enumerate(drawn):
        facts = {"stop_reason": words, "usage": Usage(input=at), "meta": MessageMeta(model=words)}
        model = fill(store, a_message(f"m{at}", blocks=tuple(blocks), **facts))
    whole = store.read_now(lambda tx: tx.messages.of_session("s1"))
    store.close_now()
    assert model.ids() == [message.id for message in whole]
    for row, message in enumerate(whole):
        late, early = model.message(row), MessageView(message)
        assert late.has_error == early.has_error
        assert late.texts() == early.texts()
        for name in ("id", "role", "status", "stop_reason", "meta", "usage", "blocks", "has_error", "waits"):
            assert getattr(late, name) == getattr(early, name)


def test_flags_tokens_and_sizes_read_nothing(store: Store) -> None:
    pending = PermissionBlock(interaction_id="i", call_id="c", tool="write", level="write", summary="w")
    model = fill(
        store,
        a_message("m0", "word " * 780),
        a_message("m1", blocks=(TextBlock(text="x"), ErrorBlock(code="timeout", message="late"))),
        a_message("m2", blocks=(pending,)),
        a_message("m3", blocks=(pending.model_copy(update={"status": "granted"}),)),
        a_message("m4", blocks=(ImageBlock(media_type="image/png", data="A" * 90_000),)),
        a_message("m5", "中文" * 500),
    )
    views = [model.message(row) for row in range(model.count())]
    assert [view.has_error for view in views] == [False, True, False, False, False, False]
    assert model.marked() == [1, 2]
    assert [view.waits for view in views] == [False, False, True, False, False, False]
    assert [text > 1000 for text, _ in model.sizes()] == [True, False, False, False, False, True]
    tokens = [view.tokens for view in views]
    untouched = fill(store)
    assert [untouched.weight(row) for row in range(6)] == [(view.tokens, view.role) for view in views]
    assert model.reading.read == 0
    assert [view.tokens for view in map(MessageView, store.read_now(lambda tx: tx.messages.of_session("s1")))] == (
        pytest.approx(tokens, abs=10)
    )
    assert tokens[0] == pytest.approx(1000, abs=10)
    assert tokens[4] == 512


def test_only_the_last_messages_stay_read_and_a_changed_one_for_good(store: Store) -> None:
    model = fill(store, *(a_message(f"m{row}", f"text {row}", role="assistant") for row in range(KEPT + 20)))
    model.apply(BlockText(session_id="s1", message_id="m0", index=0, text=" and more"))
    for row in range(model.count()):
        assert [block.kind for block in model.message(row).blocks] == ["text"]
    read = model.reading.read
    assert read == model.count()
    assert model.message(0).blocks == [TextBlock(text="text 0 and more")]
    assert model.message(model.count() - 1).blocks == [TextBlock(text=f"text {KEPT + 19}")]
    assert model.reading.read == read
    assert model.message(1).blocks == [TextBlock(text="text 1")]
    assert model.reading.read == read + 1


def test_searching_keeps_nothing_read(store: Store) -> None:
    model = fill(store, a_message("m0", "where is it"))
    assert model.texts(0) == [(0, "where is it")]
    assert model.reading.read == 0


@slow
@given(st.lists(st.lists(BLOCKS, max_size=2), min_size=1, max_size=6), st.data())
def test_single_texts_straight_from_their_rows_are_what_reading_gives(
    tmp_path_factory: pytest.TempPathFactory, drawn: list[list[Block]], data: st.DataObject
) -> None:
    store = Store.open(tmp_path_factory.mktemp("data"))
    store.write_now(lambda tx: tx.sessions.add(a_session()))
    model = fill(store, *(a_message(f"m{at}", blocks=tuple(blocks)) for at, blocks in enumerate(drawn)))
    store.close_now()
    start = data.draw(st.integers(0, len(drawn)))
    end = data.draw(st.integers(start, len(drawn)))
    found = list(model.plain_texts(start, end))
    assert model.reading.read == 0
    assert len(found) == end - start
    for blocks, known in zip(drawn[start:end], found, strict=True):
        assert known is None or [("user", block.text) for block in blocks if block.kind == "text"] == [known]
        texts = [block.text for block in blocks if block.kind == "text"]
        ordinary = len(blocks) == len(texts) == 1 and texts[0].isascii() and "\0" not in texts[0]
        assert known is not None or not ordinary


def test_a_changed_message_is_not_taken_from_its_rows(store: Store) -> None:
    model = fill(store, a_message("m0", "old", role="assistant"), a_message("m1", "as it was", role="assistant"))
    model.apply(BlockText(session_id="s1", message_id="m0", index=0, text=" and new"))
    model.apply(MessageAdded(session_id="s1", message=a_message("m2", "next")))
    assert list(model.plain_texts(0, 3)) == [None, ("assistant", "as it was"), None]


def test_what_cannot_be_read_is_an_error_in_its_place(store: Store) -> None:
    blocks = (TextBlock(text="one"), TextBlock(text="two"), TextBlock(text="three"))
    fill(store, a_message("m0", blocks=blocks), a_message("m1", "fine"))
    for data in ('{"kind":"text","text":', '{"kind":"text","nothing":1}', "[[[[", '"\ufdd0zzzz"'):
        store.write_now(
            lambda tx, data=data: tx.messages._db.execute_sql(
                "UPDATE blocks SET data = ? WHERE message_id = 'm0' AND position = 1", (data,)
            )
        )
        model = MessageListModel()
        model.load(store.read_now(lambda tx: tx.messages.stored("s1")), "s1")
        first, broken, last = model.message(0).blocks
        assert (first, last) == (blocks[0], blocks[2])
        assert (broken.kind, broken.code) == ("error", "store_corrupt")
        assert model.message(1).blocks == [TextBlock(text="fine")]


def test_facts_that_cannot_be_read_leave_the_blocks_readable(store: Store) -> None:
    fill(store, a_message("m0", "text"))
    store.write_now(lambda tx: tx.messages._db.execute_sql("UPDATE messages SET meta = '[', usage = '{}'"))
    model = MessageListModel()
    model.load(store.read_now(lambda tx: tx.messages.stored("s1")), "s1")
    assert model.message(0).meta == MessageMeta()
    assert model.message(0).blocks == [TextBlock(text="text")]


def test_an_answer_that_is_being_written_is_shown_as_it_is_now(store: Store) -> None:
    fill(store, a_message("m0", "question"), a_message("m1", "old", role="assistant", status="streaming"))
    live = a_message("m1", "old and new", role="assistant", status="streaming")
    model = MessageListModel()
    model.load(store.read_now(lambda tx: tx.messages.stored("s1")), "s1", live)
    assert model.message(1).blocks == list(live.blocks)
    model.apply(MessageAdded(session_id="s1", message=a_message("m2", "next")))
    assert (model.count(), model.ids()) == (3, ["m0", "m1", "m2"])
    assert [others for _, others in model.sizes()] == [0, 0, 0]


def test_opening_takes_two_queries_however_long_it_is(store: Store) -> None:
    fill(store, *(a_message(f"m{row}", "text") for row in range(300)))
    asked: list[str] = []

    def read(tx):
        connection = tx.messages._db.connection()
        connection.trace_v2(1, lambda event: asked.append(event["sql"]))  # SQLITE_TRACE_STMT
        try:
            return tx.messages.stored("s1")
        finally:
            connection.trace_v2(0, None)

    assert len(store.read_now(read)) == 300
    assert len(asked) == 2
