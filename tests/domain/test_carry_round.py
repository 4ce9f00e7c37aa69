"""Opaque parts go back with the round they came from, even when they came after its calls."""

from deepchat_desktop.domain.accumulate import Answer, accumulate, next_round
from deepchat_desktop.domain.prompt import AssistantMessage
from deepchat_desktop.domain.stream import CarryPart, ProviderEvent, TextDelta, ToolCallEnd, ToolCallStart
from deepchat_desktop.domain.turns import assistant_prompts


def fed(answer: Answer, *events: ProviderEvent) -> Answer:
    for event in events:
        answer = accumulate(answer, event, now=0, new_call_id=f"c{answer.round}").answer
    return answer


def test_a_part_after_the_calls_stays_in_their_round() -> None:
    start = ToolCallStart(key="0", id="p", name="f")
    end = ToolCallEnd(key="0", id="p", name="f", arguments_text="{}", arguments={})
    first = fed(Answer(), start, CarryPart(family="x", data={"n": 1}), end)
    second = fed(next_round(first), CarryPart(family="x", data={"n": 2}), start, end)
    last = fed(next_round(second), TextDelta(text="done"), CarryPart(family="x", data={"n": 3}))
    said = [prompt for prompt in assistant_prompts(last.blocks) if isinstance(prompt, AssistantMessage)]
    assert [[block.data["n"] for block in prompt.carry] for prompt in said] == [[1], [2], [3]]
