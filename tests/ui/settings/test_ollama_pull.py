"""Ollama's own models: fetched with progress, stopped, failed in words, deleted after a question."""

import json
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from deepchat_desktop.services.providers.ollama_store import store_url
from tests.fakes.wire_server import Answer, Gate, Step, WireServer, json_answer
from tests.ui.settings.conftest import Desk

pytestmark = pytest.mark.anyio
LEFT = Qt.MouseButton.LeftButton


def lines(*values: dict[str, Any] | Gate, cut: int | None = None) -> Answer:
    steps: list[Step] = [value if isinstance(value, Gate) else json.dumps(value).encode() + b"\n" for value in values]
    return Answer(steps=tuple(steps), cut=cut, headers={"content-type": "application/x-ndjson"})


def part(digest: str, done: int, total: int) -> dict[str, Any]:
    return {"status": f"pulling {digest}", "digest": digest, "completed": done, "total": total}


def set_up(desk: Desk, server: WireServer, *models: str) -> None:
    desk.set_up(server.base_url.removesuffix("/v1"), *models, api="ollama")


async def test_a_fetch_shows_its_progress_and_ends_with_the_model(desk: Desk, server: WireServer) -> None:
    server.add(
        lines(
            {"status": "pulling manifest"},
            part("a", 40_000_000, 100_000_000),
            part("b", 0, 100_000_000),
            Gate("half"),
            part("a", 100_000_000, 100_000_000),
            {"status": "verifying sha256 digest"},
            {"status": "success"},
        )
    )
    set_up(desk, server)
    pull = desk.providers.detail.pull
    listed: list[str] = []
    desk.shell.settings.ollama.listed.connect(listed.append)
    QTest.keyClicks(pull.name, "qwen3:8b")
    QTest.mouseClick(pull.start, LEFT)
    await desk.until(lambda: "40 of 200 MB" in pull.words.text())
    assert pull.progress.accessibleDescription() == "20 %"
    assert pull.stop.isVisible()
    assert not pull.name.isEnabled()
    server.release("half")
    await desk.until(lambda: listed == ["p"])
    assert pull.words.text() == "qwen3:8b is there."
    assert not pull.stop.isVisible()
    request = server.requests[0]
    assert (request.method, request.path, request.json) == ("POST", "/api/pull", {"model": "qwen3:8b"})
    await desk.settled()


async def test_a_stopped_fetch_closes_the_connection(desk: Desk, server: WireServer) -> None:
    server.add(lines(part("a", 1, 100), Gate("never")))
    set_up(desk, server)
    pull = desk.providers.detail.pull
    desk.shell.settings.ollama.pull("p", "big")
    await desk.until(lambda: pull.progress.accessibleDescription() == "1 %")
    QTest.mouseClick(pull.stop, LEFT)
    await desk.until(lambda: "Stopped" in pull.words.text() and pull.start.isVisible())
    await desk.until(server.requests[0].hung_up.is_set)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lines({"status": "pulling manifest"}, {"error": "pull model manifest: no such file"}), "no such file"),
        (lines({"status": "pulling manifest"}), "stopped before the model was there"),
        (json_answer({"error": "invalid model name"}, 400), "invalid model name"),
    ],
)
async def test_a_fetch_that_fails_says_why(desk: Desk, server: WireServer, answer: Answer, words: str) -> None:
    server.add(answer)
    set_up(desk, server)
    desk.shell.settings.ollama.pull("p", "x")
    await desk.until(lambda: words in desk.providers.detail.pull.words.text())
    assert desk.providers.detail.pull.start.isVisible()


async def test_deleting_asks_first_and_asks_for_the_list_anew(desk: Desk, server: WireServer) -> None:
    server.add(json_answer({}))
    set_up(desk, server, "old:1b")
    listed: list[str] = []
    desk.shell.settings.ollama.listed.connect(listed.append)
    models = desk.providers.detail.models
    QTest.keyClick(models.ask_delete("old:1b"), Qt.Key.Key_Escape)
    assert server.requests == []
    QTest.mouseClick(models.ask_delete("old:1b").agree, LEFT)
    await desk.until(lambda: listed == ["p"])
    request = server.requests[0]
    assert (request.method, request.path, request.json) == ("DELETE", "/api/delete", {"model": "old:1b"})
    await desk.settled()


@pytest.mark.parametrize("base", ["http://h:11434", "http://h:11434/", "http://h:11434/v1", "http://h:11434/api/chat"])
async def test_any_address_of_the_server_will_do(base: str) -> None:
    assert store_url(base, "/api/pull") == "http://h:11434/api/pull"


async def test_a_context_length_is_the_window_of_its_models(desk: Desk, server: WireServer) -> None:
    set_up(desk, server, "a", "b")
    options = desk.providers.detail.options
    for words, wrong in (("lots", True), ("12", True), ("16384", False)):
        options.fields["num_ctx"].setText(words)
        options.fields["num_ctx"].editingFinished.emit()
        assert options.wrong["num_ctx"].isHidden() is not wrong
    desk.shell.settings.choose("p", "b", {"context": 4096})
    windows = {model.id: model.capabilities.context for model in desk.providers.detail.models.model.shown()}
    assert windows == {"a": 16384, "b": 4096}
