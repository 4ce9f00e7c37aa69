"""The bodies that go out: complete, well-formed for strict servers, and the vendors' oddities where they are needed."""

import json
import re
from typing import Any

import pytest

from deepchat_desktop.domain.blocks import CarryBlock, ImageBlock
from deepchat_desktop.domain.prompt import (
    AssistantMessage,
    ModelCapabilities,
    ModelRequest,
    PromptCall,
    PromptMessage,
    SystemMessage,
    ToolMessage,
    UserMessage,
)
from deepchat_desktop.domain.tools import ToolSpec
from deepchat_desktop.services.providers.openai_chat_profiles import profile_of
from deepchat_desktop.services.providers.openai_chat_request import refused_field, request_body
from deepchat_desktop.services.providers.tool_names import real_names, wire_name
from tests.services.providers.wire_cases import json_of

SIGHTED = ModelCapabilities(vision=True)
BLIND = ModelCapabilities(vision=False)
SHOT = ToolSpec(name="w", description="weather", parameters={})


def history_of(case: dict[str, Any], *, reasoning: bool = True) -> tuple[PromptMessage, ...]:
    """Return a case's history as prompt messages."""
    messages: list[PromptMessage] = []
    for item in case["history"]:
        match item["role"]:
            case "user":
                messages.append(UserMessage(text=item["content"]))
            case "assistant":
                calls = tuple(
                    PromptCall(id=c["id"], name=c["name"], arguments=c["arguments"], arguments_text="{}")
                    for c in item.get("tool_calls", ())
                )
                thought = item.get("reasoning") if reasoning else None
                messages.append(AssistantMessage(text=item["content"], calls=calls, reasoning=thought))
            case "tool":
                messages.append(tool_message(item))
    return tuple(messages)


def tool_message(item: dict[str, Any]) -> ToolMessage:
    parts = item["content"] if isinstance(item["content"], list) else [{"type": "text", "text": item["content"]}]
    text = "".join(part["text"] for part in parts if part["type"] == "text")
    images = tuple(ImageBlock(media_type=part["mime"], data=part["b64"]) for part in parts if part["type"] == "image")
    return ToolMessage(call_id=item["tool_call_id"], name="", text=text, images=images)


def body_for(
    messages: tuple[PromptMessage, ...],
    *,
    base_url: str = "https://api.generic.test/v1",
    family: str = "generic",
    model: str = "m",
    refused: frozenset[str] = frozenset(),
    **more: Any,
) -> dict[str, Any]:
    request = ModelRequest(model=model, messages=messages, **more)
    return request_body(request, profile_of(base_url, family, model), family, refused)


def test_a_plain_request() -> None:
    body = body_for((SystemMessage(text="s"), UserMessage(text="u")), max_output=5, temperature=0.5, extra={"seed": 1})
    assert body == {
        "model": "m",
        "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}],
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": 5,
        "temperature": 0.5,
        "seed": 1,
    }


@pytest.mark.parametrize(
    ("case_id", "base_url", "family", "captured", "want"),
    [
        ("carry-deepseek", "https://api.deepseek.com", "p1", True, "need tool"),
        ("carry-deepseek", "https://api.deepseek.com", "p1", False, ""),
        ("carry-deepseek", "http://127.0.0.1:1/v1", "p1", True, "need tool"),
        ("carry-kimi", "https://api.moonshot.ai/v1", "p1", True, "need tool"),
        ("carry-kimi", "http://127.0.0.1:1/v1", "moonshot", True, "need tool"),
        ("carry-generic-none", "https://api.openai.com/v1", "openai", True, None),
    ],
)
def test_reasoning_goes_back_only_to_those_who_want_it(
    case_id: str, base_url: str, family: str, captured: bool, want: str | None
) -> None:
    case = json_of(case_id)
    body = body_for(
        history_of(case, reasoning=captured), base_url=base_url, family=family, model=case["model"], tools=(SHOT,)
    )
    said = body["messages"][1]
    assert said.get("reasoning_content") == want
    assert "reasoning" not in said
    call = {"id": "c1", "type": "function", "function": {"name": "w", "arguments": "{}"}}
    assert said["tool_calls"] == [call]
    assert body["messages"][2] == {"role": "tool", "tool_call_id": "c1", "content": "sunny"}


def test_kimi_takes_no_temperature_and_no_forced_tool() -> None:
    forced = {"tool_choice": {"type": "function", "function": {"name": "w"}}}
    ask = (UserMessage(text="u"),)
    body = body_for(ask, model="kimi-k2.6", temperature=0.3, tools=(SHOT,), extra=forced)
    assert not {"temperature", "tool_choice"} & body.keys()
    calm = {**forced, "thinking": {"type": "disabled"}}
    assert body_for(ask, model="kimi-k2.6", tools=(SHOT,), extra=calm)["tool_choice"] == forced["tool_choice"]


@pytest.mark.parametrize("model", ["o3-mini", "gpt-5.4-mini", "openai/gpt-5"])
def test_reasoning_models_of_openai(model: str) -> None:
    body = body_for((UserMessage(text="u"),), model=model, max_output=9, temperature=0.1, top_p=0.5)
    assert body["max_completion_tokens"] == 9
    assert not {"max_tokens", "temperature", "top_p"} & body.keys()


def test_empty_assistant_messages_are_dropped() -> None:
    body = body_for(history_of(json_of("rq-empty-assistant")))
    assert body["messages"] == [{"role": "user", "content": text} for text in "abc"]
    strict = body_for(history_of(json_of("rq-empty-assistant")), base_url="https://api.perplexity.ai")
    assert strict["messages"] == [{"role": "user", "content": "a\n\nb\n\nc"}]


def test_every_call_has_its_result() -> None:
    messages = body_for(history_of(json_of("rq-orphan-tool-call")))["messages"]
    assert [message["role"] for message in messages] == ["user", "assistant", "tool", "tool", "user"]
    assert [message["tool_call_id"] for message in messages[2:4]] == ["c1", "c2"]
    assert messages[2]["content"] == "1"
    assert messages[3]["content"].startswith("Error: ")
    assert "stray" not in json.dumps(messages)


def test_pictures_of_tools_follow_all_results() -> None:
    case = json_of("rq-image-tool-result")
    picture = case["history"][2]["content"][1]["b64"]
    messages = body_for(history_of(case), capabilities=SIGHTED)["messages"]
    assert [message["role"] for message in messages] == ["user", "assistant", "tool", "tool", "user"]
    assert messages[2]["content"].startswith("ok\n[")
    assert messages[3]["content"] == "a.txt"
    assert messages[4]["content"][1]["image_url"]["url"] == f"data:image/png;base64,{picture}"
    for blind in (
        body_for(history_of(case), capabilities=BLIND),
        body_for(history_of(case), capabilities=SIGHTED, base_url="https://api.deepseek.com"),
    ):
        assert picture not in json.dumps(blind)
        assert "left out" in blind["messages"][2]["content"]
        assert len(blind["messages"]) == 4


def test_pictures_of_the_user() -> None:
    image = ImageBlock(media_type="image/png", data="QUJD")
    look = (UserMessage(text="look", images=(image,)),)
    seen = body_for(look, capabilities=SIGHTED)["messages"][0]["content"]
    assert seen[0] == {"type": "text", "text": "look"}
    assert seen[1]["image_url"]["url"] == "data:image/png;base64,QUJD"
    assert body_for(look, capabilities=BLIND)["messages"][0]["content"].startswith("look\n[A picture")


def test_tool_names_fit_and_lead_back() -> None:
    names = [f"{tool['server']}__{tool['name']}" for tool in json_of("rq-tool-names")["tools"]]
    tools = tuple(ToolSpec(name=name, description="", parameters={}) for name in names)
    body = body_for((UserMessage(text="u"),), tools=tools)
    wire = [tool["function"]["name"] for tool in body["tools"]]
    assert len(set(wire)) == len(names) == 7
    assert all(re.fullmatch(r"[a-zA-Z_][a-zA-Z0-9_-]{0,63}", name) for name in wire)
    assert [real_names(names)[name] for name in wire] == names
    assert [wire_name(name) for name in names] == wire
    assert wire_name("read") == "read"


def test_ids_are_made_to_fit() -> None:
    given_ids = ("functions.f:0", "dup", "dup", "")
    calls = tuple(PromptCall(id=given, name="f", arguments={}, arguments_text="{}") for given in given_ids)
    results = tuple(ToolMessage(call_id=call.id, name="f", text=str(n)) for n, call in enumerate(calls))
    history = (UserMessage(text="u"), AssistantMessage(calls=calls), *results)
    for url in ("https://api.generic.test", "https://api.mistral.ai/v1"):
        said, *told = body_for(history, base_url=url)["messages"][1:]
        ids = [call["id"] for call in said["tool_calls"]]
        assert len(set(ids)) == 4
        assert [(message["tool_call_id"], message["content"]) for message in told] == [
            (given, str(n)) for n, given in enumerate(ids)
        ]
        assert url.startswith("https://api.generic") or all(re.fullmatch("[a-zA-Z0-9]{9}", given) for given in ids)


def test_opaque_parts_go_back_to_their_family_alone() -> None:
    data = {"reasoning_details": [{"type": "x"}], "calls": {"0": {"google": {"thought_signature": "S"}}, "9": {"a": 1}}}
    call = PromptCall(id="c", name="f", arguments={}, arguments_text='{"a": 1}')
    said = AssistantMessage(calls=(call,), carry=(CarryBlock(family="mine", data=data),))
    history = (UserMessage(text="u"), said)
    mine = body_for(history, family="mine")["messages"][1]
    assert mine["reasoning_details"] == [{"type": "x"}]
    assert mine["tool_calls"][0]["extra_content"] == {"google": {"thought_signature": "S"}}
    assert mine["tool_calls"][0]["function"]["arguments"] == '{"a": 1}'
    other = body_for(history, family="other")["messages"][1]
    assert "S" not in json.dumps(other)
    assert "reasoning_details" not in other


def test_a_model_without_tools_is_told_of_none() -> None:
    assert "tools" not in body_for((UserMessage(text="u"),), tools=(SHOT,), capabilities=ModelCapabilities(tools=False))


@pytest.mark.parametrize(
    ("message", "more", "want"),
    [
        ("Unrecognized request argument supplied: stream_options", {}, "stream_options"),
        ("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
         {"param": "max_tokens", "code": "unsupported_parameter"}, "max_tokens"),
        ("Unsupported value: 'temperature' does not support 0.5", {"param": "temperature"}, "temperature"),
        ("property 'reasoning_content' is unsupported", {}, "reasoning_content"),
        ("max_tokens is too large: 20000", {"param": "max_tokens", "code": "invalid_value"}, None),
        ("Unknown parameter: 'nonsense'", {}, None),
        ("Unsupported parameter: top_p", {}, None),
    ],
)
def test_a_field_that_is_refused_by_name(message: str, more: dict[str, str], want: str | None) -> None:
    history = (UserMessage(text="u"), AssistantMessage(text="a", reasoning="r"))
    sent = body_for(history, family="deepseek", max_output=3, temperature=0.5, tools=(SHOT,))
    assert refused_field(json.dumps({"error": {"message": message, **more}}).encode(), sent) == want


def test_what_was_refused_is_left_out_or_renamed() -> None:
    body = body_for((UserMessage(text="u"),), max_output=3, refused=frozenset({"max_tokens", "stream_options"}))
    assert body["max_completion_tokens"] == 3
    assert not {"max_tokens", "stream_options"} & body.keys()
