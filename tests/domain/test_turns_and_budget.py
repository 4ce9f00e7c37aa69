"""What is sent: whole turns, calls with their results, the active turn never cut."""

from hypothesis import given
from hypothesis import strategies as st

from deepchat_desktop.domain.blocks import Block, ImageBlock, ReasoningBlock, TextBlock, ToolCallBlock
from deepchat_desktop.domain.budget import MAX_OUTPUT, estimate_text, plan_budget, select_turns
from deepchat_desktop.domain.messages import Message
from deepchat_desktop.domain.prompt import AssistantMessage, ToolMessage
from deepchat_desktop.domain.turns import NO_RESULT, UNKNOWN_RESULT, assistant_prompts, turns_of

statuses = st.sampled_from(["pending", "waiting", "success", "error", "denied", "skipped", "interrupted", "incomplete"])
blocks = st.lists(
    st.one_of(
        st.builds(lambda text: TextBlock(text=text), st.text(max_size=10)),
        st.builds(lambda text: ReasoningBlock(text=text), st.text(max_size=10)),
        st.builds(
            lambda n, status, r: ToolCallBlock(
                call_id=f"c{n}", name="f", status=status, arguments={}, arguments_text="{}", round=r, result="r"
            ),
            st.integers(0, 99),
            statuses,
            st.integers(0, 3),
        ),
    ),
    max_size=10,
)


def message(number: int, role: str, *content: Block, variant: int = 0) -> Message:
    return Message(
        id=f"m{number}",
        session_id="s",
        role=role,  # type: ignore[arg-type]
        blocks=content,
        variant=variant,
        created_at=number,
        updated_at=number,
    )


@given(blocks)
def test_each_call_has_one_result_directly_after_it_and_no_result_stands_alone(content: list[Block]) -> None:
    waiting: list[str] = []
    for prompt in assistant_prompts(tuple(content)):
        if isinstance(prompt, AssistantMessage):
            assert waiting == []
            assert prompt.text.strip() or prompt.calls
            waiting = [call.id for call in prompt.calls]
        else:
            assert isinstance(prompt, ToolMessage)
            assert prompt.call_id == waiting.pop(0)
    assert waiting == []


def test_unfinished_calls_get_a_made_up_error() -> None:
    calls = [
        ToolCallBlock(call_id="a", name="f", arguments={}, status="pending"),
        ToolCallBlock(call_id="b", name="f", arguments={}, status="interrupted"),
        ToolCallBlock(call_id="c", name="f", arguments={}, status="success", result="ok"),
    ]
    results = [prompt for prompt in assistant_prompts(tuple(calls)) if isinstance(prompt, ToolMessage)]
    assert [(result.text, result.is_error) for result in results] == [
        (NO_RESULT, True),
        (UNKNOWN_RESULT, True),
        ("ok", False),
    ]


def test_pictures_of_a_result_go_to_the_model_with_it() -> None:
    picture = ImageBlock(media_type="image/png", data="iVBORw0KGgo=")
    facts = {"name": "shot", "arguments": {}, "images": (picture,)}
    blocks = (
        ToolCallBlock(call_id="a", status="success", result="a shot", **facts),
        ToolCallBlock(call_id="b", status="interrupted", **facts),
    )
    _, done, unknown = assistant_prompts(blocks)
    assert isinstance(done, ToolMessage)
    assert isinstance(unknown, ToolMessage)
    assert (done.text, done.images) == ("a shot", (picture,))
    assert (unknown.text, unknown.images) == (UNKNOWN_RESULT, ())


def test_only_the_last_variant_of_an_answer_is_sent() -> None:
    history = [
        message(1, "user", TextBlock(text="q")),
        message(2, "assistant", TextBlock(text="old")),
        message(3, "assistant", TextBlock(text="new"), variant=1),
    ]
    (turn,) = turns_of(history)
    assert [prompt.text for prompt in turn.messages] == ["q", "new"]


@given(st.lists(st.integers(1, 400), min_size=1, max_size=12), st.integers(256, 4_000))
def test_turns_are_dropped_whole_oldest_first_and_the_active_one_stays(sizes: list[int], window: int) -> None:
    history = [message(n, "user", TextBlock(text="x" * size)) for n, size in enumerate(sizes)]
    turns = turns_of(history)
    budget = plan_budget(window=window, output=100, tools=())
    selection = select_turns(turns, system="be brief", budget=budget)
    kept = [turn.user_message_id for turn in selection.turns]
    assert [*selection.excluded, *kept] == [turn.user_message_id for turn in turns]
    assert kept[-1] == turns[-1].user_message_id
    assert selection.fits == (selection.system + selection.history + selection.active <= budget.usable)
    if not selection.fits:
        assert len(kept) == 1


def test_the_budget_follows_its_formula() -> None:
    budget = plan_budget(window=8_192, output=None, tools=())
    assert (budget.output, budget.safety, budget.usable) == (4_096, 256, int((8_192 - 4_096 - 256) / 1.2))
    assert plan_budget(window=1_024, output=100, tools=()).safety == 0
    assert plan_budget(window=10_000_000, output=10_000_000, tools=()).output == MAX_OUTPUT
    assert plan_budget(window=1_000, output=800, tools=()).output == 500


@given(st.text(max_size=200))
def test_an_estimate_is_never_zero_for_text(text: str) -> None:
    assert (estimate_text(text) > 0) == bool(text)
