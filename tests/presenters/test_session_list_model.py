"""The session list model: groups, order, single-row changes, search, and what each row says."""

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester

from deepchat_desktop.domain.ids import new_id
from deepchat_desktop.domain.messages import Session
from deepchat_desktop.presenters.session_list_model import SearchRow, SessionListModel, SessionRole

NOON = 1_764_504_000_000 - 1_764_504_000_000 % 86_400_000 + 43_200_000
HOUR = 3_600_000
DAY = 24 * HOUR


class Clock:
    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> int:
        return self.now


def session(title: str, age: int = 0, **changes: Any) -> Session:
    return Session(id=new_id(), title=title, created_at=NOON - age, updated_at=NOON - age, **changes)


def rows(model: SessionListModel) -> list[str]:
    return [str(model.index(row).data(SessionRole.TITLE)) for row in range(model.rowCount())]


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def model(qapp: Any, clock: Clock) -> SessionListModel:
    made = SessionListModel(now=clock)
    made.tester = QAbstractItemModelTester(made, QAbstractItemModelTester.FailureReportingMode.Fatal)
    made.resets = []
    made.modelReset.connect(lambda: made.resets.append(1))
    return made


def test_groups_stand_in_order_and_newest_first(model: SessionListModel) -> None:
    model.set_sessions(
        [
            session("old", 40 * DAY),
            session("week", 4 * DAY),
            session("yesterday", DAY),
            session("today early", 2 * HOUR),
            session("today late", HOUR),
            session("pinned", 90 * DAY, pinned=True),
        ]
    )
    assert rows(model) == [
        "Pinned", "pinned", "Today", "today late", "today early", "Yesterday", "yesterday",
        "Previous 7 days", "week", "Older", "old",
    ]  # fmt: skip


def test_a_head_is_neither_selectable_nor_a_session(model: SessionListModel) -> None:
    model.set_sessions([session("a")])
    head, row = model.index(0), model.index(1)
    assert not model.flags(head) & Qt.ItemFlag.ItemIsSelectable
    assert model.flags(row) & Qt.ItemFlag.ItemIsSelectable
    assert model.id_at(0) is None
    assert model.id_at(1) == row.data(SessionRole.ID)
    assert model.id_at(-1) is None
    assert model.id_at(99) is None


def test_a_change_moves_one_row_and_resets_nothing(model: SessionListModel) -> None:
    first, second, third = session("first", HOUR), session("second", 2 * HOUR), session("third", DAY)
    model.set_sessions([first, second, third])
    moves: list[tuple[int, int]] = []
    model.rowsMoved.connect(lambda _p, start, _e, _d, to: moves.append((start, to)))
    model.apply(second.model_copy(update={"updated_at": NOON}))
    assert rows(model) == ["Today", "second", "first", "Yesterday", "third"]
    assert moves == [(2, 1)]
    model.apply(third.model_copy(update={"updated_at": NOON + 1}))
    assert rows(model) == ["Today", "third", "second", "first"]
    assert model.resets == []


def test_a_persistent_index_follows_its_session(model: SessionListModel) -> None:
    from PySide6.QtCore import QPersistentModelIndex

    first, second = session("first", HOUR), session("second", 2 * HOUR)
    model.set_sessions([first, second])
    kept = QPersistentModelIndex(model.index(model.row_of(second.id)))
    model.apply(session("new"))
    model.apply(first.model_copy(update={"pinned": True}))
    assert kept.isValid()
    assert kept.data(SessionRole.ID) == second.id


def test_removal_takes_an_empty_group_with_it(model: SessionListModel) -> None:
    first, second = session("first"), session("second", DAY)
    model.set_sessions([first, second])
    model.remove(second.id)
    assert rows(model) == ["Today", "first"]
    model.remove(first.id)
    assert rows(model) == []
    model.remove(first.id)
    assert model.session_count() == 0


@pytest.mark.parametrize(
    ("changes", "mark"),
    [
        ({}, ""),
        ({"unread": True}, "unread"),
        ({"unread": True, "status": "generating"}, "running"),
        ({"unread": True, "status": "waiting"}, "waiting"),
    ],
)
def test_one_mark_only(model: SessionListModel, changes: dict[str, Any], mark: str) -> None:
    made = session("a", **changes)
    model.apply(made)
    index = model.index(model.row_of(made.id))
    assert index.data(SessionRole.MARK) == mark
    assert model.any_running() == (mark == "running")
    spoken = {"": "a, ", "unread": "unread", "running": "running", "waiting": "waiting for you"}[mark]
    assert spoken in index.data(Qt.ItemDataRole.AccessibleTextRole)


def test_time_stands_only_beside_todays_sessions(model: SessionListModel) -> None:
    model.set_sessions([session("now"), session("before", DAY)])
    times = {model.index(row).data(SessionRole.TITLE): model.index(row).data(SessionRole.TIME) for row in (1, 3)}
    assert times["now"]
    assert times["now"].count(":") == 1
    assert times["before"] == ""


def test_a_session_without_title_has_words(model: SessionListModel) -> None:
    made = session("")
    model.apply(made)
    assert model.title(made.id) == "New session"


def test_days_are_grouped_anew(model: SessionListModel, clock: Clock) -> None:
    model.set_sessions([session("a")])
    clock.now += DAY
    model.refresh_days()
    assert rows(model) == ["Yesterday", "a"]


def test_search_shows_hits_and_goes_back(model: SessionListModel) -> None:
    first, second = session("first"), session("second", 1)
    model.set_sessions([first, second])
    twice = [SearchRow(second.id, "…the words…"), SearchRow(second.id, "again")]
    model.show_hits([*twice, SearchRow("gone", title="Old")])
    assert rows(model) == ["Found", "second", "Old"]
    assert model.index(1).data(SessionRole.SNIPPET) == "…the words…"
    model.apply(session("third"))
    assert rows(model) == ["Found", "second", "Old"]
    model.remove(second.id)
    assert rows(model) == ["Found", "Old"]
    model.show_hits([])
    assert rows(model) == ["Nothing found"]
    model.show_hits(None)
    assert rows(model) == ["Today", "third", "first"] or rows(model) == ["Today", "first", "third"]
    assert model.resets == []


def test_many_changes_agree_with_a_fresh_model(model: SessionListModel, clock: Clock) -> None:
    import random

    chance = random.Random(7)
    kept: dict[str, Session] = {}
    for step in range(300):
        if kept and chance.random() < 0.25:
            key = chance.choice(list(kept))
            del kept[key]
            model.remove(key)
        else:
            old = kept.get(chance.choice(list(kept))) if kept and chance.random() < 0.6 else session(f"s{step}")
            assert old is not None
            age = chance.randrange(0, 20 * DAY)
            made = old.model_copy(update={"updated_at": NOON - age, "pinned": chance.random() < 0.2})
            kept[made.id] = made
            model.apply(made)
    fresh = SessionListModel(now=clock)
    fresh.set_sessions(kept.values())
    assert rows(model) == rows(fresh)
