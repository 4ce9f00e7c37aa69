"""The accumulator: any chunking of the same stream gives the same blocks, and deltas cost only themselves."""

from hypothesis import given
from hypothesis import strategies as st

from deepchat_desktop.domain.accumulate import Answer, accumulate, next_round, total_usage, with_error
from deepchat_desktop.domain.blocks import reasoning_of, text_of
from deepchat_desktop.domain.stream import (
    PlanUpdated,
    ProviderEvent,
    ReasoningDelta,
    Stop,
    TextDelta,
    ToolCallChunk,
    ToolCallEnd,
    ToolCallStart,
    UsageReported,
)
from deepchat_desktop.domain.usage import Usage

texts = st.text(min_size=1, max_size=20)
parts = st.lists(
    st.one_of(
        st.tuples(st.just("text"), texts), st.tuples(st.just("reasoning"), texts), st.tuples(st.just("call"), texts)
    ),
    max_size=8,
)


def run(events: list[ProviderEvent]) -> Answer:
    answer = Answer()
    for number, event in enumerate(events):
        key = getattr(event, "key", "")
        answer = accumulate(answer, event, now=5, new_call_id=f"call-{key}" if key else str(number)).answer
    return answer


def stream(pieces: list[tuple[str, str]], cut: int) -> list[ProviderEvent]:
    """The same stream in pieces of ``cut`` characters."""
    events: list[ProviderEvent] = []
    for number, (kind, text) in enumerate(pieces):
        chunks = [text[i : i + cut] for i in range(0, len(text), cut)]
        if kind == "text":
            events += [TextDelta(text=chunk) for chunk in chunks]
        elif kind == "reasoning":
            events += [ReasoningDelta(text=chunk) for chunk in chunks]
        else:
            key = str(number)
            events.append(ToolCallStart(key=key, id=f"p{key}", name="f"))
            events += [ToolCallChunk(key=key, text=chunk) for chunk in chunks]
            events.append(ToolCallEnd(key=key, id=f"p{key}", name="f", arguments_text=text, arguments=None))
    return [*events, Stop(reason="complete")]


@given(parts, st.integers(1, 5))
def test_any_chunking_gives_the_same_blocks(pieces: list[tuple[str, str]], cut: int) -> None:
    assert run(stream(pieces, cut)) == run(stream(pieces, 1_000))


@given(parts)
def test_no_word_is_lost_and_nothing_stays_open(pieces: list[tuple[str, str]]) -> None:
    answer = run(stream(pieces, 3))
    assert text_of(answer.blocks) == "".join(text for kind, text in pieces if kind == "text")
    assert reasoning_of(answer.blocks) == "".join(text for kind, text in pieces if kind == "reasoning")
    assert not any(getattr(block, "open", False) for block in answer.blocks)


def test_a_delta_names_what_it_added() -> None:
    first = accumulate(Answer(), TextDelta(text="a"), now=1)
    second = accumulate(first.answer, TextDelta(text="b"), now=2)
    assert (first.changed, first.added) == ((0,), None)
    assert (second.changed, second.added) == ((0,), "b")


def test_interleaved_calls_grow_their_own_block() -> None:
    events: list[ProviderEvent] = [
        ToolCallStart(key="0", name="f"),
        ToolCallStart(key="1", name="g"),
        ToolCallChunk(key="0", text="{"),
        ToolCallChunk(key="1", text="["),
        ToolCallChunk(key="0", text="}"),
    ]
    answer = run(events)
    assert [block.arguments_text for block in answer.blocks] == ["{}", "["]  # type: ignore[union-attr]


def test_a_cut_off_call_is_incomplete() -> None:
    answer = run(
        [
            ToolCallStart(key="0", name="f"),
            ToolCallEnd(key="0", name="f", arguments_text='{"a', arguments=None, complete=False),
        ]
    )
    assert answer.blocks[0].status == "incomplete"  # type: ignore[union-attr]


def test_usage_replaces_within_a_round_and_adds_over_rounds() -> None:
    answer = run([UsageReported(usage=Usage(input=5)), UsageReported(usage=Usage(input=9, output=2))])
    answer = next_round(answer)
    answer = accumulate(answer, UsageReported(usage=Usage(input=20, output=3)), now=1).answer
    assert total_usage(answer) == Usage(input=29, output=5)


def test_a_plan_replaces_itself_and_keeps_its_place() -> None:
    answer = run(
        [PlanUpdated(steps=(("pending", "a"),)), TextDelta(text="x"), PlanUpdated(steps=(("completed", "a"),))]
    )
    assert [block.kind for block in answer.blocks] == ["plan", "text"]
    assert answer.blocks[0].steps == (("completed", "a"),)  # type: ignore[union-attr]


def test_an_error_stands_where_it_happened_and_closes_the_text() -> None:
    step = with_error(run([TextDelta(text="x")]), code="server", message="down", retryable=True, now=1)
    assert [block.kind for block in step.answer.blocks] == ["text", "error"]
    assert step.answer.blocks[0].open is False  # type: ignore[union-attr]
