"""The requests of every style, each for the same histories, beside what they should be (``tests/golden/wire``).

To renew them after a wanted change: ``DEEPCHAT_RENEW_GOLDENS=1 python -m pytest tests/services/providers/
test_request_goldens.py``, then read the difference. A style without goldens fails until they are written so.
"""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from deepchat_desktop.domain.blocks import CarryBlock, ImageBlock
from deepchat_desktop.domain.prompt import (
    AssistantMessage,
    ModelCapabilities,
    ModelRequest,
    PromptCall,
    SystemMessage,
    ToolMessage,
    UserMessage,
)
from deepchat_desktop.domain.tools import ToolSpec
from deepchat_desktop.services.providers.base import Endpoint
from deepchat_desktop.services.providers.http_provider import HttpProvider
from deepchat_desktop.services.providers.registry import ADAPTERS, DECODERS, make_decoder, make_provider
from tests.services.providers.wire_cases import body_of, cases

GOLDEN = Path(__file__).parents[2] / "golden" / "wire"
RENEW = "DEEPCHAT_RENEW_GOLDENS"
PICTURE = ImageBlock(media_type="image/png", data="iVBORw0KGgo=")
WEATHER = ToolSpec(
    name="weather",
    description="Tells the weather.",
    parameters={
        "type": "object",
        "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
        "required": ["city"],
    },
)
CARRY_CASES = {
    "anthropic": "an-signature",
    "bedrock": "own-bedrock-reasoning",
    "gemini": "ge-signature",
    "openai_chat": "own-call-signature",
    "openai_responses": "rs-reasoning-carry",
}
BASE_URLS = {"azure": "https://resource.openai.azure.com"}


def carried(api: str, family: str) -> tuple[AssistantMessage, tuple[ToolMessage, ...]]:
    """Return a round as the style itself gave it, its opaque parts included, and the results of its calls."""
    case = next(
        case
        for case in [*cases("stream"), *cases("stream_events")]
        if case["id"] == CARRY_CASES.get(api, "own-call-signature")
    )
    decoder = make_decoder(case["api"] if case["api"] in DECODERS else "openai_chat")
    events = [*decoder.feed(body_of(case)), *decoder.finish()]
    calls, carry = [], []
    for event in events:
        if event.kind == "tool_call_end":
            arguments, text = event.arguments or {}, event.arguments_text
            name = event.name
            calls.append(PromptCall(id=event.id, name=name, arguments=arguments, arguments_text=text))
        if event.kind == "carry":
            carry.append(CarryBlock(family=family, data=event.data))
    text = "".join(event.text for event in events if event.kind == "text")
    said = AssistantMessage(text=text, reasoning="thought", calls=tuple(calls), carry=tuple(carry))
    return said, tuple(ToolMessage(call_id=call.id, name=call.name, text="done") for call in calls)


def requests(api: str) -> dict[str, ModelRequest]:
    ask = UserMessage(text="How is the weather?")
    call = PromptCall(id="c1", name="weather", arguments={"city": "Rome"}, arguments_text='{"city": "Rome"}')
    other = call.model_copy(update={"id": "c2", "arguments": {"city": "Oslo"}, "arguments_text": '{"city": "Oslo"}'})
    said = AssistantMessage(text="I look.", reasoning="Which city?", calls=(call, other))
    results = (
        ToolMessage(call_id="c1", name="weather", text="sunny", images=(PICTURE,)),
        ToolMessage(call_id="c2", name="weather", text="no such city", is_error=True),
    )
    ours, ours_results = carried(api, "mine")
    theirs, theirs_results = carried(api, "another provider")
    sees = ModelCapabilities(vision=True)
    return {
        "text": ModelRequest(
            model="m", messages=(SystemMessage(text="Be brief."), ask), max_output=64, temperature=0.5
        ),
        "image": ModelRequest(
            model="m", messages=(UserMessage(text="What is it?", images=(PICTURE,)),), capabilities=sees
        ),
        "tools": ModelRequest(model="m", messages=(ask,), tools=(WEATHER,)),
        "results": ModelRequest(model="m", messages=(ask, said, *results), tools=(WEATHER,), capabilities=sees),
        "carried": ModelRequest(model="m", messages=(ask, ours, *ours_results), tools=(WEATHER,)),
        "foreign": ModelRequest(
            model="m", messages=(ask, theirs, *theirs_results, UserMessage(text="And now?")), tools=(WEATHER,)
        ),
    }


def sent_by(api: str, request: ModelRequest) -> dict[str, Any]:
    provider = make_provider(api, Endpoint(base_url=BASE_URLS.get(api, "https://host.test"), family="mine"))
    assert isinstance(provider, HttpProvider)
    url = provider._url(request)
    return {"url": url, "body": provider._body(request, url, frozenset())}


@pytest.mark.parametrize("api", sorted(ADAPTERS))
@pytest.mark.parametrize("name", sorted(requests("openai_chat")))
def test_a_request_is_as_it_should_be(api: str, name: str) -> None:
    sent = json.loads(json.dumps(sent_by(api, requests(api)[name])))
    path = GOLDEN / api / f"{name}.json"
    if os.environ.get(RENEW):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(sent, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    assert path.is_file(), f"no golden for {api}: run this file with {RENEW}=1 and read what it wrote"
    assert sent == json.loads(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("api", sorted(ADAPTERS))
def test_further_fields_replace_nothing_that_is_built(api: str) -> None:
    asked = requests(api)["tools"].model_copy(update={"max_output": 9, "temperature": 0.5, "top_p": 0.5})
    built = sent_by(api, asked)["body"]
    for field in built:
        more = sent_by(api, asked.model_copy(update={"extra": {field: "x", "seed": 7}}))["body"]
        kept = more[field]
        assert kept == built[field] or {**kept, **built[field]} == kept  # an object of parameters takes more of them
        assert '"seed": 7' in json.dumps(more)
    options = built.get("options", {})
    own = sent_by(api, asked.model_copy(update={"extra": dict.fromkeys(options, 0)}))["body"]
    assert own.get("options", {}) == options
