"""What the window is told of the model's window: what is known of the model, and what the session says."""

import pytest

from deepchat_desktop.domain.messages import Connection
from deepchat_desktop.domain.prompt import ModelCapabilities
from deepchat_desktop.domain.settings import ModelSettings
from tests.fakes.chat_answers import chat
from tests.presenters.conftest import Stage

pytestmark = pytest.mark.anyio


def know(stage: Stage, **facts: int) -> None:
    """Tell what the model takes."""
    settings = stage.core.settings
    model = ModelSettings(id="m", capabilities=ModelCapabilities.model_validate(facts))
    provider = settings.providers[0].model_copy(update={"models": (model,)})
    stage.core.save_settings(settings.model_copy(update={"providers": (provider,)}))


async def test_a_window_nobody_told_is_unknown(stage: Stage) -> None:
    assert stage.shell.agent.budget() is None


async def test_the_budget_follows_what_is_known_of_the_model(stage: Stage) -> None:
    know(stage, context=64_000, max_output=8_000)
    budget = stage.shell.agent.budget()
    assert budget is not None
    assert (budget.window, budget.output) == (64_000, 8_000)


async def test_the_session_overrides_the_model(stage: Stage) -> None:
    know(stage, context=64_000)
    stage.server.add(chat(["hello"]))
    stage.shell.agent.send("go")
    await stage.until(lambda: stage.shell.messages.count() == 2 and not stage.shell.agent.is_running())
    key = stage.shell.session.current_id()
    await stage.core.runtime.change_settings(key, context=9_000, max_output=500)
    await stage.until(lambda: stage.shell.agent.settings().context == 9_000)
    budget = stage.shell.agent.budget()
    assert budget is not None
    assert (budget.window, budget.output) == (9_000, 500)


async def test_a_model_that_went_away_is_unknown(stage: Stage) -> None:
    know(stage, context=64_000)
    stage.shell.agent._draft_settings = stage.shell.agent._draft_settings.model_copy(
        update={"connection": Connection(provider="fake", model="gone")}
    )
    assert stage.shell.agent.budget() is None
