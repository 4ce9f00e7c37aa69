"""The round trip with a model that knows no function calling: its calls stand in its text."""

import json

import pytest

from deepchat_desktop.domain.catalogue import choose
from deepchat_desktop.domain.messages import Connection
from deepchat_desktop.domain.settings import ProviderSettings
from tests.fakes.chat_answers import chat
from tests.services.runtime.conftest import Bench

pytestmark = pytest.mark.anyio
TOLD = Connection(provider="fake", model="m")


def set_up(bench: Bench, **said: object) -> None:
    provider = ProviderSettings(id="fake", name="Fake", api="openai_chat", base_url=bench.server.base_url)
    provider = choose(provider, "m", {"added": True, **said})
    bench.core.save_settings(bench.core.settings.model_copy(update={"providers": (provider,)}))


async def test_a_call_in_the_text_is_run_and_a_broken_one_is_mended(bench: Bench) -> None:
    (bench.workspace / "a.txt").write_text("hello")
    set_up(bench, tools=False, tools_as_text=True)
    bench.server.add(
        chat('Looking. <function_call>{"name": "read", "arguments": {"path": "a.txt"</function_call>'),
        chat('```json\n<function_call>{"name": "read", "arguments": {"path": "a.txt"}}</function_call>\n```'),
        chat("It says hello."),
    )
    session = await bench.session(connection=TOLD)

    ended = await bench.core.runtime.process_message(session.id, "what is in a.txt?")

    assert ended.text == "Looking. It says hello."
    assert [(item.name, item.status) for item in ended.tool_calls] == [("read", "error"), ("read", "success")]
    assert "not JSON" in ended.tool_calls[0].result
    bodies = [request.json for request in bench.server.requests]
    assert not any("tools" in body for body in bodies)
    assert '{"name": "read", "description"' in bodies[0]["messages"][0]["content"]
    assert [message["role"] for message in bodies[2]["messages"]] == ["system", *["user", "assistant"] * 2, "user"]
    first, second = (bodies[2]["messages"][place]["content"] for place in (3, 5))
    assert "not JSON" in json.loads(first.removeprefix("<function_result>").removesuffix("</function_result>"))["error"]
    assert "1\\thello" in second


async def test_a_model_that_shall_not_call_tools_gets_none(bench: Bench) -> None:
    set_up(bench, tools=False)
    bench.server.add(chat('<function_call>{"name": "read"}</function_call>'))
    session = await bench.session(connection=TOLD)

    ended = await bench.core.runtime.process_message(session.id, "hi")

    assert (ended.text, ended.tool_calls) == ('<function_call>{"name": "read"}</function_call>', ())
    assert "function_call" not in json.dumps(bench.server.requests[0].json)
