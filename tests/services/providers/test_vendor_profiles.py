"""What single vendors of the chat-completions family want differently, in the requests that go out."""

from typing import Any

import pytest

from deepchat_desktop.domain.blocks import ImageBlock
from deepchat_desktop.domain.prompt import ModelRequest, SystemMessage, UserMessage
from deepchat_desktop.domain.tools import ToolSpec
from deepchat_desktop.services.providers.base_url import endpoint_url, sibling_url
from deepchat_desktop.services.providers.openai_chat_profiles import profile_of
from deepchat_desktop.services.providers.openai_chat_request import refused_field, request_body
from tests.fakes.chat_answers import chat
from tests.fakes.wire_server import WireServer

ASK = (SystemMessage(text="s"), UserMessage(text="u"))
TOOL = (ToolSpec(name="w", description="", parameters={}),)


def body_for(host: str, model: str = "m", family: str = "p", **more: Any) -> dict[str, Any]:
    url = endpoint_url(f"https://{host}", "/chat/completions")
    request = ModelRequest(**({"model": model, "messages": ASK} | more))
    return request_body(request, profile_of(url, family, model), family, url=url)


@pytest.mark.parametrize(
    ("host", "model", "effort", "want"),
    [
        ("api.openai.com", "gpt-5.4", "minimal", {"reasoning_effort": "minimal"}),
        ("api.deepseek.com", "deepseek-v4-flash", "none", {"thinking": {"type": "disabled"}}),
        ("api.deepseek.com", "m", "max", {"thinking": {"type": "enabled"}, "reasoning_effort": "max"}),
        ("api.deepseek.com", "m", "medium", {"thinking": {"type": "enabled"}, "reasoning_effort": "high"}),
        ("api.moonshot.ai", "kimi-k2.6", "none", {"thinking": {"type": "disabled"}}),
        ("open.bigmodel.cn", "glm-5", "high", {"thinking": {"type": "enabled"}}),
        ("dashscope.aliyuncs.com", "qwen3-max", "none", {"enable_thinking": False}),
        ("dashscope.aliyuncs.com", "qwen3-max", "low", {"enable_thinking": True}),
        ("openrouter.ai", "x/y", "max", {"reasoning": {"effort": "xhigh"}}),
        ("api.groq.com", "qwen/qwen3-32b", "high", {"reasoning_effort": "default"}),
        ("api.groq.com", "openai/gpt-oss-20b", "minimal", {"reasoning_effort": "low"}),
        ("api.x.ai", "grok-3-mini", "medium", {"reasoning_effort": "high"}),
        ("api.mistral.ai", "mistral-small-latest", "low", {"reasoning_effort": "high"}),
        ("host.test", "m", "low", {"reasoning_effort": "low"}),
        ("api.deepseek.com", "m", None, {}),
    ],
)
def test_how_hard_to_think(host: str, model: str, effort: str | None, want: dict[str, Any]) -> None:
    body = body_for(host, model, reasoning_effort=effort)
    fields = ("reasoning_effort", "thinking", "enable_thinking", "reasoning")
    assert {name: body[name] for name in fields if name in body} == want


@pytest.mark.parametrize(
    ("base_url", "want"),
    [
        ("https://open.bigmodel.cn", "https://open.bigmodel.cn/api/paas/v4"),
        ("https://api.z.ai/api/coding/paas/v4/", "https://api.z.ai/api/coding/paas/v4"),
        ("https://api.groq.com", "https://api.groq.com/openai/v1"),
        ("https://openrouter.ai", "https://openrouter.ai/api/v1"),
        ("https://dashscope.aliyuncs.com", "https://dashscope.aliyuncs.com/compatible-mode/v1"),
        ("https://api.perplexity.ai", "https://api.perplexity.ai"),
        ("https://api.mistral.ai", "https://api.mistral.ai/v1"),
    ],
)
def test_where_a_vendor_keeps_its_endpoints(base_url: str, want: str) -> None:
    assert endpoint_url(base_url, "/chat/completions") == want + "/chat/completions"
    assert sibling_url(base_url, "/models") == want + "/models"


def test_the_role_of_instructions() -> None:
    assert body_for("api.openai.com", "o3")["messages"][0]["role"] == "developer"
    assert body_for("r.openai.azure.com", "gpt-5")["messages"][0]["role"] == "developer"
    assert body_for("api.openai.com", "gpt-4.1")["messages"][0]["role"] == "system"
    assert body_for("openrouter.ai", "openai/gpt-5")["messages"][0]["role"] == "system"


def test_what_tools_need() -> None:
    assert body_for("open.bigmodel.cn", tools=TOOL)["tool_stream"] is True
    assert "tool_stream" not in body_for("open.bigmodel.cn")
    assert "tools" not in body_for("api.perplexity.ai", tools=TOOL)
    forced = {"tool_choice": "required"}
    for host in ("api.deepseek.com", "open.bigmodel.cn", "dashscope.aliyuncs.com"):
        assert "tool_choice" not in body_for(host, tools=TOOL, extra=forced)
    assert body_for("api.openai.com", tools=TOOL, extra=forced)["tool_choice"] == "required"
    refusal = b'{"error": {"message": "Thinking mode does not support this tool_choice"}}'
    sent = body_for("host.test", tools=TOOL, extra={**forced, "thinking": {"type": "enabled"}})
    assert refused_field(refusal, sent) == "tool_choice"


def test_turns_that_must_alternate_are_joined_with_their_pictures() -> None:
    image = ImageBlock(media_type="image/png", data="QUJD")
    messages = (UserMessage(text="a"), UserMessage(text="b", images=(image,)), UserMessage(text="c"))
    (joined,) = body_for("api.perplexity.ai", messages=messages)["messages"]
    assert [part.get("text", "picture") for part in joined["content"]] == ["a", "b", "picture", "c"]


def test_a_cache_key_goes_only_to_who_knows_it() -> None:
    assert len(body_for("api.openai.com")["prompt_cache_key"]) == 32
    assert "prompt_cache_key" not in body_for("api.groq.com")


@pytest.mark.anyio
async def test_openrouter_is_told_the_program_and_the_user_has_the_last_word() -> None:
    from deepchat_desktop.services.providers.base import Endpoint
    from deepchat_desktop.services.providers.registry import make_provider

    with WireServer([chat("a")], repeat_last=True) as server:
        for family, headers in (("openrouter", {}), ("openrouter", {"X-Title": "mine"}), ("other", {})):
            endpoint = Endpoint(base_url=server.base_url, family=family, headers=headers)
            provider = make_provider("openai_chat", endpoint)
            assert [event async for event in provider.stream(ModelRequest(model="m", messages=ASK))]
            await provider.aclose()
        titles = [request.headers.get("x-title") for request in server.requests]
    assert titles == ["DeepChat Desktop", "mine", None]
