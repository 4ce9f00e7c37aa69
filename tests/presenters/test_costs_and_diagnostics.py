"""Under an answer stands what it cost, where that is known; an error hands on the last exchange without keys."""

import pytest

from deepchat_desktop.domain.catalogue import choose
from deepchat_desktop.domain.messages import MessageMeta
from deepchat_desktop.domain.settings import Price
from deepchat_desktop.domain.usage import Usage
from deepchat_desktop.ui.message_list.tail_cells import facts_of
from tests.fakes.chat_answers import chat
from tests.fakes.wire_server import json_answer
from tests.presenters.conftest import Stage

pytestmark = pytest.mark.anyio
KEY = "SENTINEL-KEY-NOT-A-REAL-ONE-0001"


async def answer(stage: Stage) -> MessageMeta:
    stage.shell.agent.send("hello")
    await stage.until(lambda: stage.shell.messages.count() and not stage.shell.agent.is_running())
    return stage.shell.messages.message(stage.shell.messages.count() - 1).meta


async def test_an_answer_costs_its_price_times_its_usage(stage: Stage) -> None:
    (provider,) = stage.core.settings.providers
    priced = choose(provider, "m", {"price": Price(input=2.0, output=8.0)})
    stage.core.save_settings(stage.core.settings.model_copy(update={"providers": (priced,)}))
    stage.server.add(chat("one two", usage=(1000, 250)))
    assert (await answer(stage)).cost == pytest.approx(0.004)


async def test_a_price_that_is_not_known_costs_nothing_known(stage: Stage) -> None:
    stage.server.add(chat("one two", usage=(1000, 250)))
    meta = await answer(stage)
    assert meta.cost is None
    assert "$" not in facts_of(meta, Usage(output=250))


@pytest.mark.parametrize(
    ("cost", "shown"), [(0.0, "$0.00"), (0.00001, "<$0.0001"), (0.004, "$0.004"), (0.1234, "$0.12"), (12.345, "$12.35")]
)
def test_an_amount_has_the_digits_that_say_something(cost: float, shown: str) -> None:
    assert facts_of(MessageMeta(cost=cost), Usage()).endswith(shown)


async def test_the_error_of_a_session_hands_on_its_exchange(stage: Stage) -> None:
    assert stage.shell.agent.diagnostics() == ""
    await stage.core.secrets.set("fake", KEY)
    stage.server.add(json_answer({"error": {"message": f"no such key {KEY}"}}, 401))
    await answer(stage)
    report = stage.shell.agent.diagnostics()
    assert "provider Fake, API style openai_chat" in report
    assert "POST http://127.0.0.1" in report
    assert "status 401" in report
    assert "hello" in report
    assert KEY not in report
