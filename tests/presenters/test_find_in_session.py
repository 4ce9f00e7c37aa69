"""Finding over the model: counts, the current hit, next and previous, changes while a search is open."""

import pytest
from pytestqt.qtbot import QtBot

from deepchat_desktop.domain.blocks import ReasoningBlock, TextBlock, ToolCallBlock
from deepchat_desktop.domain.events import BlockText, MessageAdded
from deepchat_desktop.domain.messages import Message
from deepchat_desktop.presenters.find_in_session import FindInSession
from deepchat_desktop.presenters.message_list_model import MessageListModel


def message(key: str, *blocks: object) -> Message:
    facts = {"id": key, "session_id": "s", "role": "assistant", "blocks": blocks, "created_at": 1, "updated_at": 1}
    return Message.model_validate(facts)


def text(key: str, words: str) -> Message:
    return message(key, TextBlock(text=words))


@pytest.fixture
def model(qtbot: QtBot) -> MessageListModel:
    return MessageListModel()


def opened(model: MessageListModel, *messages: Message) -> FindInSession:
    model.load(list(messages), "s")
    find = FindInSession(model)
    find.open()
    return find


def found(find: FindInSession) -> str:
    hit = find.current()
    assert hit is not None
    return f"{hit.row}.{hit.block}.{hit.part}:{hit.text[slice(*hit.place)]}"


def test_everything_read_is_searched_in_its_order(model: MessageListModel) -> None:
    call = ToolCallBlock(call_id="c", name="grep", arguments={"pattern": "Owl"}, result="an owl\nOWL")
    find = opened(
        model, text("a", "no bird"), message("b", ReasoningBlock(text="an oWl?"), call, TextBlock(text="`owl`"))
    )
    find.search("owl")
    assert (find.finish(), find.counts) == (5, [0, 5])
    seen = []
    for _ in range(6):
        seen.append((find.number(), found(find)))
        find.step(1)
    assert seen == [
        (1, "1.0.0:oWl"), (2, "1.1.1:Owl"), (3, "1.1.2:owl"), (4, "1.1.2:OWL"), (5, "1.2.0:owl"), (1, "1.0.0:oWl"),
    ]  # fmt: skip


def test_previous_goes_around_the_start_and_over_messages(model: MessageListModel) -> None:
    find = opened(model, text("a", "x x"), text("b", "none"), text("c", "x"))
    find.search("X")
    find.finish()
    numbers = []
    for _ in range(4):
        find.step(-1)
        numbers.append(find.number())
    assert numbers == [3, 2, 1, 3]


def test_the_first_hit_is_the_first_after_the_origin(model: MessageListModel) -> None:
    find = opened(model, *(text(str(key), "x" if key in (2, 8) else "-") for key in range(10)))
    for origin, number in ((0, 1), (2, 1), (3, 2), (9, 1)):
        find.search("x", origin)
        find.finish()
        assert (find.number(), find.total()) == (number, 2)


def test_words_that_are_not_there_have_no_current_hit(model: MessageListModel) -> None:
    find = opened(model, text("a", "here"))
    find.search("there")
    find.finish()
    find.step(1)
    assert (find.total(), find.number(), find.current()) == (0, 0, None)


def test_texts_are_folded_once_for_many_words(model: MessageListModel) -> None:
    find = opened(model, *(text(str(key), f"words of {key}") for key in range(50)))
    find.finish()
    for words in ("w", "wo", "words of 7"):
        find.search(words)
        find.finish()
    assert (find.read, find.total()) == (50, 1)


def test_a_growing_answer_brings_hits_and_the_current_one_stays(model: MessageListModel, qtbot: QtBot) -> None:
    find = opened(model, text("a", "rain"), message("b"))
    find.search("rain")
    find.finish()
    model.apply(MessageAdded(session_id="s", message=message("b", TextBlock(text="ra", open=True))))
    model.apply(BlockText(session_id="s", message_id="b", index=0, text="in and r"))
    model.apply(BlockText(session_id="s", message_id="b", index=0, text="ain"))
    qtbot.waitUntil(lambda: find.total() == 3, timeout=3000)
    assert (find.number(), find.counts) == (1, [1, 2])


def test_a_hit_that_comes_later_becomes_the_current_one(model: MessageListModel, qtbot: QtBot) -> None:
    find = opened(model, text("a", "sun"))
    find.search("rain")
    find.finish()
    model.apply(MessageAdded(session_id="s", message=text("b", "rain")))
    qtbot.waitUntil(lambda: find.number() == 1, timeout=3000)
    assert found(find) == "1.0.0:rain"


def test_a_hit_that_goes_away_is_no_longer_the_current_one(model: MessageListModel, qtbot: QtBot) -> None:
    find = opened(model, text("a", "rain"), text("b", "-"))
    find.search("rain")
    find.finish()
    model.apply(MessageAdded(session_id="s", message=text("a", "sun")))
    qtbot.waitUntil(lambda: find.total() == 0, timeout=3000)
    assert find.current() is None


def test_another_session_is_searched_anew_and_closing_keeps_nothing(model: MessageListModel) -> None:
    find = opened(model, text("a", "rain"))
    find.search("rain")
    find.finish()
    model.load([text("c", "rain rain")], "t")
    assert (find.finish(), find.number()) == (2, 1)
    find.close()
    assert (find.total(), find.counts, find.current(), bool(find.needle)) == (0, [], None, False)


def test_a_long_search_is_cut_into_slices(model: MessageListModel, qtbot: QtBot) -> None:
    find = opened(model, *(text(str(key), "Straße und Wald. " * 400) for key in range(600)))
    find.search("wald")
    counted: list[int] = []
    find.changed.connect(lambda: counted.append(find.total()))
    qtbot.waitUntil(lambda: not find.searching(), timeout=20_000)
    assert find.total() == 600 * 400
    assert counted == sorted(counted)
    assert len(counted) > 1
