"""A real llama.cpp server answers through each of the wire formats that it speaks."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from deepchat_desktop.domain.prompt import AssistantMessage, ModelRequest, SystemMessage, UserMessage
from deepchat_desktop.services.local_model.catalog import STARTER_ID
from deepchat_desktop.services.local_model.service import LocalModel
from deepchat_desktop.services.providers.base import Endpoint
from deepchat_desktop.services.providers.registry import make_provider
from deepchat_desktop.services.providers.wire_fold import fold_events
from deepchat_desktop.services.runtime.tasks import TaskOwner

pytestmark = [pytest.mark.anyio, pytest.mark.slow]
STYLES = ("openai_chat", "openai_responses", "anthropic")
HISTORY = (
    SystemMessage(text="You are a helpful assistant."),
    UserMessage(text="Hello!"),
    AssistantMessage(text="Hello! How can I help you?"),
    UserMessage(text="What is the capital of France? Answer in one sentence."),
)


@pytest.fixture
async def local(anyio_backend: Any, tmp_path: Path, model_file: Path) -> AsyncIterator[LocalModel]:
    (tmp_path / f"{STARTER_ID}.gguf").symlink_to(model_file)
    owner = TaskOwner()
    model = LocalModel(tmp_path, owner.start)
    yield model
    await model.stop()
    assert await owner.close() == []


@pytest.mark.parametrize("api", STYLES)
async def test_it_answers_to_its_end_and_to_a_limit(local: LocalModel, api: str) -> None:
    async with local.lease(STARTER_ID, None) as at:

        async def key() -> str:
            return at.token

        provider = make_provider(api, Endpoint(base_url=at.base_url, key=key, keepalive=False))
        results = []
        for limit in (60, 4):
            request = ModelRequest(model=STARTER_ID, messages=HISTORY, max_output=limit, temperature=0)
            results.append(fold_events([event async for event in provider.stream(request)]))
        models = await provider.list_models()
        await provider.aclose()
    whole, cut = results
    assert "Paris" in whole["text"]
    assert (whole["stop"], whole["error"]) == ("complete", None)
    assert whole["usage"]["output"] > 4
    # Its responses say "completed" even when the limit cut them.
    assert cut["stop"] == "max_tokens" or (api == "openai_responses" and cut["usage"]["output"] == 4), cut
    assert len(models) == 1
