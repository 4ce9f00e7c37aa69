"""The tape: chained, gap-free, and folded without a clock."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepchat_desktop.domain.errors import TapeCorrupt
from deepchat_desktop.domain.tape import TapeEntry, TapeFact, canonical_json, fold, seal, verify

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
payloads = st.dictionaries(st.text(max_size=5), values, max_size=4)


def chain(payload_list: list[dict[str, object]], name: str = "final") -> list[TapeEntry]:
    entries: list[TapeEntry] = []
    for number, payload in enumerate(payload_list):
        fact = TapeFact(
            kind="message",
            name=name,
            source="test",
            provenance=str(number),
            payload={"message_id": f"m{number % 2}", **payload},
        )
        entries.append(seal("s", fact, last=entries[-1] if entries else None, at=number))
    return entries


@given(st.lists(payloads, max_size=6))
def test_what_is_sealed_verifies(payload_list: list[dict[str, object]]) -> None:
    entries = chain(payload_list)
    verify(entries)
    assert [entry.seq for entry in entries] == list(range(1, len(entries) + 1))


@given(st.lists(payloads, min_size=2, max_size=6), st.data())
def test_any_change_gap_or_swap_is_found(payload_list: list[dict[str, object]], data: st.DataObject) -> None:
    entries = chain(payload_list)
    index = data.draw(st.integers(0, len(entries) - 1))
    field = data.draw(st.sampled_from(["name", "source", "provenance", "payload", "created_at", "gap", "swap"]))
    match field:
        case "gap":
            broken = entries[:index] + entries[index + 1 :]
            if index == len(entries) - 1:
                return  # a missing tail is a shorter tape, which still verifies
        case "swap":
            broken = list(reversed(entries))
        case "payload":
            broken = list(entries)
            broken[index] = broken[index].model_copy(update={"payload": {"message_id": "other"}})
        case "created_at":
            broken = list(entries)
            broken[index] = broken[index].model_copy(update={"created_at": 99_999})
        case _:
            broken = list(entries)
            broken[index] = broken[index].model_copy(update={field: "other"})
    with pytest.raises(TapeCorrupt):
        verify(broken)


def test_a_purged_payload_still_verifies() -> None:
    entries = chain([{"a": 1}, {"b": 2}])
    verify([entries[0].model_copy(update={"payload": None}), entries[1]])


def test_the_last_fact_wins_a_retraction_removes_an_anchor_moves_the_start() -> None:
    entries = chain([{"v": 1}, {"v": 2}, {"v": 3}])
    assert {key: item["v"] for key, item in fold(entries).messages.items()} == {"m0": 3, "m1": 2}
    gone = TapeFact(kind="message", name="retracted", source="t", provenance="r", payload={"message_id": "m0"})
    entries.append(seal("s", gone, last=entries[-1], at=9))
    anchor = TapeFact(kind="anchor", name="compaction/auto", source="t", provenance="a", payload={"summary": "x"})
    entries.append(seal("s", anchor, last=entries[-1], at=10))
    view = fold(entries)
    assert list(view.messages) == ["m1"]
    assert (view.start, view.summary) == (5, {"summary": "x"})


@given(payloads)
def test_the_canonical_spelling_does_not_depend_on_the_order_of_keys(payload: dict[str, object]) -> None:
    assert canonical_json(payload) == canonical_json(dict(reversed(list(payload.items()))))


def test_lone_surrogates_can_be_hashed() -> None:
    assert canonical_json({"a": "\ud800"}) == b'{"a":"\\ud800"}'
