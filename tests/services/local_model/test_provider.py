"""The local model through the provider that the runtime uses: it answers, and survives its own death."""

from __future__ import annotations

import os
import signal
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from deepchat_desktop.domain.prompt import ModelCapabilities, ModelRequest, SystemMessage, UserMessage
from deepchat_desktop.domain.stream import ProviderEvent, Stop, StreamError, TextDelta
from deepchat_desktop.domain.tools import ToolSpec
from deepchat_desktop.services.local_model.catalog import STARTER_ID
from deepchat_desktop.services.local_model.service import LocalModel
from deepchat_desktop.services.providers.local import LocalProvider
from deepchat_desktop.services.runtime.tasks import TaskOwner


@pytest.fixture
async def local(anyio_backend: Any, tmp_path: Path, model_file: Path) -> AsyncIterator[LocalModel]:
    (tmp_path / f"{STARTER_ID}.gguf").symlink_to(model_file)
    owner = TaskOwner()
    model = LocalModel(tmp_path, owner.start)
    yield model
    await model.stop()
    assert await owner.close() == []


def request(text: str, **changes: Any) -> ModelRequest:
    return ModelRequest(model=STARTER_ID, messages=(UserMessage(text=text),), **changes)


def said(events: list[ProviderEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


@pytest.mark.anyio
async def test_it_knows_the_capital_of_france(local: LocalModel) -> None:
    provider = LocalProvider(local, STARTER_ID)
    events = [event async for event in provider.stream(request("What is the capital of France?"))]
    assert "Paris" in said(events)
    assert isinstance(events[-1], Stop)
    assert not local.in_use
    assert [model.id for model in await provider.list_models()] == [STARTER_ID]
    await provider.aclose()


@pytest.mark.anyio
async def test_requests_in_a_row_all_answer(local: LocalModel) -> None:
    provider = LocalProvider(local, STARTER_ID)
    for _ in range(10):
        events = [event async for event in provider.stream(request("Say hello.", max_output=3))]
        assert isinstance(events[-1], Stop), events[-1]
    await provider.aclose()


@pytest.mark.anyio
async def test_a_death_in_the_middle_is_retryable_and_the_next_request_works(local: LocalModel) -> None:
    provider = LocalProvider(local, STARTER_ID)
    events: list[ProviderEvent] = []
    async for event in provider.stream(request("Write a long story about the sea.")):
        if not events:
            assert local.pid is not None
            os.kill(local.pid, signal.SIGKILL)
        events.append(event)
    end = events[-1]
    assert isinstance(end, StreamError)
    assert (end.error, end.retryable) == ("network", True)
    again = [event async for event in provider.stream(request("Say hello.", max_output=3))]
    assert isinstance(again[-1], Stop)
    await provider.aclose()


@pytest.mark.anyio
async def test_closing_a_stream_gives_the_lease_back(local: LocalModel) -> None:
    provider = LocalProvider(local, STARTER_ID)
    async with aclosing(provider.stream(request("Count to a thousand."))) as events:  # type: ignore[type-var]
        async for event in events:
            if isinstance(event, TextDelta):
                break
        assert local.in_use
    assert not local.in_use
    await provider.aclose()


@pytest.mark.anyio
async def test_a_missing_model_ends_the_stream_in_words(local: LocalModel) -> None:
    provider = LocalProvider(local, "nowhere")
    (event,) = [event async for event in provider.stream(request("Hello"))]
    assert isinstance(event, StreamError)
    assert (event.error, event.retryable) == ("model_not_found", False)
    assert "deepchat models pull" in event.message


def test_the_profile_fills_only_what_the_request_leaves_open(tmp_path: Path) -> None:
    provider = LocalProvider(LocalModel(tmp_path, TaskOwner().start), STARTER_ID)
    tool = ToolSpec(name="read", description="", parameters={})
    plain = provider._filled(request("Hello", tools=(tool,), capabilities=ModelCapabilities(tools=True)))
    assert isinstance(plain.messages[0], SystemMessage)
    assert (plain.temperature, plain.max_output, plain.tools) == (0.0, 512, ())
    assert plain.extra["repeat_penalty"] == 1.05
    mine = ModelRequest(
        model=STARTER_ID,
        messages=(SystemMessage(text="Be short."), UserMessage(text="Hello")),
        temperature=0.7,
        max_output=9,
        extra={"repeat_penalty": 1.0},
    )
    filled = provider._filled(mine)
    assert filled.messages == mine.messages
    assert (filled.temperature, filled.max_output, filled.extra["repeat_penalty"]) == (0.7, 9, 1.0)
