"""The security cases of area "secrets", each with the test that shows it.

``HANDLERS`` maps a case's id to its test. A case without a handler fails, so that none is missed; one whose feature
comes later is skipped by name.
"""

from __future__ import annotations

import base64
import io
import json
import logging
import os
import stat
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote

import apsw
import pytest
from keyring.backends.chainer import ChainerBackend
from keyring.backends.fail import Keyring as FailKeyring
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget

from deepchat_desktop.core import open_core
from deepchat_desktop.domain.errors import SecretsError
from deepchat_desktop.domain.messages import Connection, SessionSettings
from deepchat_desktop.domain.prompt import ModelRequest, UserMessage
from deepchat_desktop.domain.settings import AppSettings, ProviderSettings
from deepchat_desktop.domain.stream import ProviderEvent, Stop, StreamError
from deepchat_desktop.services import keychain
from deepchat_desktop.services.http import WIRE_LOGGERS
from deepchat_desktop.services.providers.base import Endpoint
from deepchat_desktop.services.providers.openai_chat import OpenAIChat
from deepchat_desktop.services.secrets import MASK, MaskFilter, Secrets, looks_like_key, mask
from deepchat_desktop.services.settings_file import SettingsFile
from deepchat_desktop.services.store import Store
from deepchat_desktop.services.store.backup import back_up
from deepchat_desktop.ui.chat.composer import Composer
from deepchat_desktop.ui.dialogs.add_provider import AddProviderSheet
from deepchat_desktop.ui.settings.page import SettingsPage
from deepchat_desktop.workers import spawn
from tests.fakes.chat_answers import chat
from tests.fakes.presenters import FakePresenters
from tests.fakes.wire_server import Answer, WireServer, json_answer
from tests.services.test_secrets import (
    SECRET_SERVICE,
    run_with_keyring,
    test_a_chain_is_as_good_as_its_worst_member,
    test_configuration_that_loads_code_is_ignored,
)

CASES_FILE = Path(__file__).resolve().parents[1] / "data" / "security.jsonl"
KEY = "SENTINEL-KEY-NOT-A-REAL-ONE-0001"
KWALLET = "keyring.backends.kwallet.DBusKeyring"
LATER = {
    "sec-012": "chat export",
    "sec-018": "commands, MCP servers, ACP agents and skills",
    "sec-025": "masking of secrets in tool output",
    "sec-026": "deep links",
}
Handler = Callable[[Path, pytest.MonkeyPatch], Awaitable[None]]


def load() -> list[dict[str, Any]]:
    lines = CASES_FILE.read_text(encoding="utf-8").splitlines()
    return [case for case in map(json.loads, lines) if case["area"] == "secrets"]


@pytest.mark.anyio
@pytest.mark.parametrize("case", load(), ids=lambda case: case["id"])
async def test_secret_case(case: dict[str, Any], home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert case["context"]["key"] == KEY
    if case["id"] in LATER:
        pytest.skip(f"{case['id']}: its feature comes later ({LATER[case['id']]})")
    handler = HANDLERS.get(case["id"])
    assert handler is not None, f"no test shows {case['id']}: {case['expected']['why']}"
    await handler(home, monkeypatch)


def spellings(key: str = KEY) -> set[bytes]:
    """Return how a key could stand in a file."""
    raw = key.encode()
    return {raw, base64.b64encode(raw), quote(key, safe="").encode(), key.encode("utf-16-le"), key.encode("utf-16-be")}


def holds_key(data: bytes | str) -> bool:
    data = data if isinstance(data, bytes) else data.encode()
    return any(spelled in data for spelled in spellings())


def endpoint(server: WireServer | str, secrets: Secrets) -> Endpoint:
    url = server if isinstance(server, str) else server.base_url
    return Endpoint(url, family="p", key=lambda: secrets.get("p"), mask=mask)


async def ask(place: Endpoint) -> list[ProviderEvent]:
    provider = OpenAIChat(place)
    try:
        request = ModelRequest(model="m", messages=(UserMessage(text="Hello"),))
        return [event async for event in provider.stream(request)]
    finally:
        await provider.aclose()


async def session_with_key() -> Secrets:
    secrets = Secrets(backends=list)
    await secrets.set("p", KEY)
    return secrets


class EveryLog:
    """Everything that any logger says at any level, as a file handler with our filter would write it."""

    def __enter__(self) -> io.StringIO:
        self.out = io.StringIO()
        self.handler = logging.StreamHandler(self.out)
        self.handler.addFilter(MaskFilter())
        self.levels = {name: logging.getLogger(name).level for name in ("", *WIRE_LOGGERS)}
        logging.getLogger().addHandler(self.handler)
        return self.out

    def loud(self) -> None:
        for name in self.levels:
            logging.getLogger(name).setLevel(logging.DEBUG)

    def __exit__(self, *_args: object) -> None:
        logging.getLogger().removeHandler(self.handler)
        for name, level in self.levels.items():
            logging.getLogger(name).setLevel(level)


async def no_store_means_session(_home: Path, _monkeypatch: pytest.MonkeyPatch) -> None:
    secrets = Secrets(backends=lambda: [FailKeyring()])
    assert (await secrets.set("p", KEY)).where == "session"
    assert "only until you quit" in (await secrets.status()).text
    assert await Secrets(backends=lambda: [FailKeyring()]).get("p") is None


async def every_member_of_a_chain(_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    test_a_chain_is_as_good_as_its_worst_member(monkeypatch)
    secrets = Secrets(backends=lambda: [ChainerBackend()])
    monkeypatch.setattr(ChainerBackend, "backends", [FailKeyring()])
    assert not keychain.allowed(ChainerBackend())
    assert (await secrets.set("p", KEY)).where == "session"


async def config_is_ignored(home: Path, _monkeypatch: pytest.MonkeyPatch) -> None:
    test_configuration_that_loads_code_is_ignored(home)


async def a_changed_backend_is_named(home: Path, _monkeypatch: pytest.MonkeyPatch) -> None:
    provider = ProviderSettings(
        id="p", name="P", api="openai_chat", base_url="https://x.test/v1", key_backend=SECRET_SERVICE
    )
    file = SettingsFile(home / "data" / "settings.json")
    file.save(AppSettings(providers=(provider,)))
    before = file.path.read_bytes()
    with pytest.raises(SecretsError) as caught:
        await Secrets(backends=list).get("p", provider.key_backend)
    assert SECRET_SERVICE in caught.value.user_message
    assert file.path.read_bytes() == before
    said = run_with_keyring("unlocked", home)  # and from a real keyring to KWallet
    assert KWALLET in said["elsewhere"]["text"]


async def one_prompt_then_session(home: Path, _monkeypatch: pytest.MonkeyPatch) -> None:
    said = run_with_keyring("locked", home)
    assert said["stored"]["where"] == "session"
    assert not said["asked_again"]


async def no_log_holds_it(_home: Path, _monkeypatch: pytest.MonkeyPatch) -> None:
    provider_key = await session_with_key()
    refusal = json_answer({"error": {"message": "no"}}, status=401, headers={"x-echo": f"Bearer {KEY}"})
    log = EveryLog()
    with WireServer([refusal], repeat_last=True) as server, log as out:
        provider = OpenAIChat(endpoint(server, provider_key))
        request = ModelRequest(model="m", messages=(UserMessage(text="Hello"),))
        for _time in range(2):
            assert [event.kind async for event in provider.stream(request)] == ["error"]
            log.loud()  # only now: making the client quietens its libraries
        await provider.aclose()
        assert server.requests[1].headers["authorization"] == f"Bearer {KEY}"
        logging.getLogger("httpx").debug("headers %r", [(b"Authorization", f"Bearer {KEY}".encode())])
    text = out.getvalue()
    assert "receive_response_headers" in text
    assert MASK in text
    assert not holds_key(text)


async def no_file_of_the_data_folder_holds_it(home: Path, _monkeypatch: pytest.MonkeyPatch) -> None:
    folder = home / "deepchat-data"
    echo = json_answer({"error": {"message": f"Incorrect API key provided: {KEY}."}}, status=401)
    with WireServer([echo, chat("Hello back.")]) as server:
        core = open_core(folder, lambda _event: None)
        await core.start()
        stored = await core.secrets.set("p", KEY)
        provider = ProviderSettings(
            id="p", name="P", api="openai_chat", base_url=server.base_url, key_backend=stored.backend
        )
        core.save_settings(AppSettings(providers=(provider,)))
        settings = SessionSettings(connection=Connection(provider="p", model="m"), mode="chat")
        session = (await core.runtime.create_session(settings)).id
        failed = await core.runtime.process_message(session, "Hello")
        assert failed.error is not None
        assert MASK in failed.error.message
        assert (await core.runtime.process_message(session, "Again")).text == "Hello back."
        assert [request.headers["authorization"] for request in server.requests] == [f"Bearer {KEY}"] * 2
        database = apsw.Connection(str(folder / "deepchat.db"))
        back_up(SimpleNamespace(connection=lambda: database), folder / "backups", version=1)
        database.close()
        while_open = {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        await core.close()
    closed = {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert any(name.startswith("deepchat-v1-") for name in closed)
    assert any(name.endswith("-wal") and data for name, data in while_open.items())
    assert not [name for files in (while_open, closed) for name, data in files.items() if holds_key(data)]


async def query_keys_are_masked(_home: Path, _monkeypatch: pytest.MonkeyPatch) -> None:
    url = f"https://api.x.test?key={KEY}"
    assert mask(url) == f"https://api.x.test?key={MASK}"
    assert mask("https://api.x.test?key=never-seen-before") == f"https://api.x.test?key={MASK}"
    log = EveryLog()
    with log as out:
        log.loud()
        logging.getLogger("httpx").info("HTTP Request: GET %s", url)
    assert out.getvalue() == f"HTTP Request: GET https://api.x.test?key={MASK}\n"


async def an_echoed_key_is_masked(_home: Path, _monkeypatch: pytest.MonkeyPatch) -> None:
    secrets = await session_with_key()
    body = {"error": {"message": f"Incorrect API key provided: {KEY}.", "type": "invalid_request_error"}}
    with WireServer([json_answer(body, status=401)]) as server:
        (event,) = await ask(endpoint(server, secrets))
    assert isinstance(event, StreamError)
    assert event.error == "auth"
    assert not holds_key(event.model_dump_json())


async def no_process_shows_it(_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if sys.platform != "linux":
        pytest.skip("needs /proc")
    await session_with_key()
    monkeypatch.setenv("MY_OWN_VARIABLE", KEY)  # the user's, named with --api-key-env: theirs, and not for children
    process = await spawn.start(spawn.worker_argv("echo"), spawn.child_environment())
    try:
        child = Path(f"/proc/{process.pid}")
        assert b"--worker" in (child / "cmdline").read_bytes()
        assert not holds_key((child / "cmdline").read_bytes() + (child / "environ").read_bytes())
        assert not holds_key(Path("/proc/self/cmdline").read_bytes() + Path("/proc/self/environ").read_bytes())
    finally:
        await spawn.stop(process)


async def redirects_are_not_followed(_home: Path, _monkeypatch: pytest.MonkeyPatch) -> None:
    secrets = await session_with_key()
    with WireServer([], repeat_last=True) as other:
        target = {"location": f"{other.base_url}/chat/completions"}
        with WireServer([Answer(status=302, headers=target, framing="length")]) as server:
            events = await ask(endpoint(server, secrets))
            assert len(server.requests) == 1
        assert other.connections == 0
    assert isinstance(events[-1], StreamError)
    assert not any(isinstance(event, Stop) for event in events)


async def plain_http_is_for_loopback(_home: Path, _monkeypatch: pytest.MonkeyPatch) -> None:
    secrets = await session_with_key()
    (event,) = await ask(endpoint("http://models.test/v1", secrets))
    assert isinstance(event, StreamError)
    assert not event.retryable
    assert "https" in event.message
    assert not holds_key(event.message)


async def files_are_private(home: Path, _monkeypatch: pytest.MonkeyPatch) -> None:
    old = os.umask(0)
    try:
        folder = home / "deepchat-data"
        store = Store.open(folder)
        SettingsFile(folder / "settings.json").save(AppSettings())
        paths = [folder, *folder.rglob("*")]
        modes = {str(path.relative_to(home)): stat.S_IMODE(path.stat().st_mode) for path in paths}
        store.close_now()
    finally:
        os.umask(old)
    assert len(modes) >= 3
    for name, mode in modes.items():
        assert mode == (0o700 if (home / name).is_dir() else 0o600), name


async def removing_deletes_the_key(home: Path, _monkeypatch: pytest.MonkeyPatch) -> None:
    said = run_with_keyring("unlocked", home)
    assert said["fresh"].startswith(KEY)
    assert said["deleted"] is None
    assert said["left"] == []


async def no_field_gives_a_key_to_the_clipboard(_home: Path, _monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no action that copies a key; the fields it is typed into give nothing away either."""
    app = QApplication.instance() or QApplication([])
    fakes = FakePresenters()
    fakes.settings.add("P", "https://x.test/v1")
    window = QWidget()
    shown = [AddProviderSheet(window, fakes.setup), SettingsPage(fakes.settings, fakes.setup)]
    fields = [field for part in shown for field in part.findChildren(QLineEdit)]
    hidden = [field for field in fields if field.echoMode() == QLineEdit.EchoMode.Password]
    assert len(hidden) == 3
    QApplication.clipboard().setText("before")
    for field in hidden:
        field.setText(KEY)
        field.selectAll()
        field.copy()
        field.cut()
    assert QApplication.clipboard().text() == "before"
    assert app is not None


async def a_pasted_key_is_warned_of(_home: Path, _monkeypatch: pytest.MonkeyPatch) -> None:
    app = QApplication.instance() or QApplication([])
    pasted = "my key is sk-proj-" + "a1B2c3D4" * 5
    assert looks_like_key(pasted)
    assert not looks_like_key("an ordinary question about keys and tokens")
    fakes = FakePresenters()
    window = QWidget()
    composer = Composer(fakes.agent, fakes.session, window)
    composer.edit.setPlainText(pasted)
    composer.submit()
    assert [call for call in fakes.agent.calls if call[0] == "send"] == []
    assert composer.edit.toPlainText() == pasted
    composer.note.agreed.emit()
    assert [call[1] for call in fakes.agent.calls if call[0] == "send"] == [pasted]
    assert app is not None


HANDLERS: dict[str, Handler] = {
    "sec-002": no_store_means_session,
    "sec-003": every_member_of_a_chain,
    "sec-005": config_is_ignored,
    "sec-006": a_changed_backend_is_named,
    "sec-007": one_prompt_then_session,
    "sec-008": no_log_holds_it,
    "sec-014": no_file_of_the_data_folder_holds_it,
    "sec-015": query_keys_are_masked,
    "sec-016": an_echoed_key_is_masked,
    "sec-017": no_field_gives_a_key_to_the_clipboard,
    "sec-019": no_process_shows_it,
    "sec-021": redirects_are_not_followed,
    "sec-023": plain_http_is_for_loopback,
    "sec-024": a_pasted_key_is_warned_of,
    "sec-027": files_are_private,
    "sec-028": removing_deletes_the_key,
}


@pytest.fixture(autouse=True)
def no_handler_is_left_over() -> Iterator[None]:
    yield
    assert set(HANDLERS) | set(LATER) <= {case["id"] for case in load()}
