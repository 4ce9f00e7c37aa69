"""Where keys are kept: the real keyring in each of its moods, the allow-list, the time limit, the session."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, ClassVar

import pytest
from keyring.backend import KeyringBackend
from keyring.backends.chainer import ChainerBackend
from keyring.backends.fail import Keyring as FailKeyring
from keyring.backends.null import Keyring as NullKeyring
from keyring.backends.SecretService import Keyring as SecretServiceKeyring

from deepchat_desktop.domain.errors import SecretsError
from deepchat_desktop.services import keychain
from deepchat_desktop.services.secrets import Secrets, Stored
from deepchat_desktop.workers.spawn import child_environment

ROOT = Path(__file__).resolve().parents[2]
KEY = "SENTINEL-KEY-NOT-A-REAL-ONE-0001"
SECRET_SERVICE = "keyring.backends.SecretService.Keyring"


class PlaintextKeyring(KeyringBackend):
    """What a package for plaintext files brings: it works, and writes the key where anybody can read it."""

    priority = 0.5  # type: ignore[assignment]
    written: ClassVar[dict[tuple[str, str], str]] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.written.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.written[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.written[service, username]


@pytest.fixture(autouse=True)
def nothing_in_plain_text() -> Any:
    PlaintextKeyring.written.clear()
    yield
    assert PlaintextKeyring.written == {}


def run_with_keyring(mode: str, home: Path, variables: dict[str, str] | None = None) -> dict[str, Any]:
    """Run the script beside this file in a D-Bus session of its own."""
    for program in ("gnome-keyring-daemon", "dbus-run-session"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    runtime = home / "run"
    runtime.mkdir(mode=0o700)
    places = {"HOME": str(home), "XDG_RUNTIME_DIR": str(runtime), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        ["dbus-run-session", "--", sys.executable, str(Path(__file__).with_name("keychain_run.py")), mode],
        env=child_environment(extra={**places, **(variables or {})}),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert KEY not in done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def test_an_unlocked_keyring_keeps_gives_and_deletes(home: Path) -> None:
    said = run_with_keyring("unlocked", home)
    assert said["status"]["where"] == "keychain"
    assert said["stored"] == {"where": "keychain", "backend": SECRET_SERVICE}
    assert said["get"] == said["fresh"] == KEY + " 密钥"
    assert said["deleted"] is None
    assert said["left"] == []  # neither the key nor the probe
    assert said["elsewhere"]["code"] == "key_elsewhere"


@pytest.mark.parametrize("mode", ["locked", "absent"])
def test_a_keyring_that_stays_locked_means_session_only_and_one_prompt(home: Path, mode: str) -> None:
    said = run_with_keyring(mode, home)
    assert said["status"]["where"] == "session"
    assert "only until you quit" in said["status"]["text"]
    assert SECRET_SERVICE in said["status"]["reason"]
    assert said["stored"] == {"where": "session", "backend": None}
    assert said["get"] == KEY + " 密钥"
    assert not said["asked_again"]
    for path in home.rglob("*"):
        assert not path.is_file() or KEY.encode() not in path.read_bytes()


def test_configuration_that_loads_code_is_ignored(home: Path) -> None:
    trap = home / "trap"
    trap.mkdir()
    (trap / "evil_keyring.py").write_text("import pathlib; pathlib.Path(__file__).with_name('was-run').touch()")
    config = home / ".config" / "python_keyring"
    config.mkdir(parents=True)
    (config / "keyringrc.cfg").write_text(f"[backend]\ndefault-keyring=evil_keyring.Keyring\nkeyring-path={trap}\n")
    variables = {"PYTHON_KEYRING_BACKEND": "evil_keyring.Keyring", "XDG_CONFIG_HOME": str(home / ".config")}
    said = run_with_keyring("unlocked", home, variables)
    assert said["stored"]["backend"] == SECRET_SERVICE
    assert not (trap / "was-run").exists()


@pytest.mark.anyio
async def test_without_a_bus_keys_last_for_the_session() -> None:
    secrets = Secrets()
    assert (await secrets.status()).where == "session"
    assert await secrets.set("p", KEY) == Stored("session", None)
    assert await secrets.get("p") == KEY
    await secrets.delete("p")
    assert await secrets.get("p") is None
    assert await Secrets().get("p") is None


@pytest.mark.anyio
async def test_a_key_in_another_keychain_is_named_and_not_lost() -> None:
    secrets = Secrets(backends=list)
    for work in (secrets.get("p", SECRET_SERVICE), secrets.delete("p", SECRET_SERVICE)):
        with pytest.raises(SecretsError) as caught:
            await work
        assert caught.value.code == "key_elsewhere"
        assert SECRET_SERVICE in caught.value.user_message
        assert caught.value.params["old"] == SECRET_SERVICE
    await secrets.set("p", KEY)  # entered again: it works in this session
    assert await secrets.get("p", SECRET_SERVICE) == KEY


@pytest.mark.anyio
@pytest.mark.parametrize("backend", [PlaintextKeyring(), NullKeyring(), FailKeyring(), ChainerBackend()])
async def test_a_backend_that_is_not_listed_never_gets_a_key(backend: KeyringBackend) -> None:
    assert not keychain.allowed(backend)
    secrets = Secrets(backends=lambda: [backend])
    assert (await secrets.set("p", KEY)).where == "session"
    with pytest.raises(keychain.KeychainError):
        keychain.probe(backend)


def test_a_chain_is_as_good_as_its_worst_member(monkeypatch: pytest.MonkeyPatch) -> None:
    chain = ChainerBackend()
    monkeypatch.setattr(ChainerBackend, "backends", [SecretServiceKeyring()])
    assert keychain.allowed(chain)
    monkeypatch.setattr(ChainerBackend, "backends", [SecretServiceKeyring(), PlaintextKeyring()])
    assert not keychain.allowed(chain)
    monkeypatch.setattr(ChainerBackend, "backends", [])
    assert not keychain.allowed(chain)


def test_a_class_that_takes_a_listed_name_is_not_allowed() -> None:
    fake = type("Keyring", (PlaintextKeyring,), {"__module__": "keyring.backends.SecretService"})
    assert keychain.class_name(fake()) == SECRET_SERVICE
    assert not keychain.allowed(fake())
    assert keychain.allowed(SecretServiceKeyring())


@pytest.mark.anyio
async def test_a_keychain_that_never_answers_is_given_up() -> None:
    never = threading.Event()
    secrets = Secrets(backends=lambda: [never.wait()], answer_limit_s=0.05)
    status = await secrets.status()
    assert (status.where, status.backend) == ("session", None)
    assert "did not answer" in status.reason
    never.set()


@pytest.mark.anyio
async def test_what_a_backend_raises_is_one_kind_of_error() -> None:
    with pytest.raises(keychain.KeychainError, match="ZeroDivisionError"):
        await keychain.call(lambda: 1 // 0, 5)


HARDENED = """
import ctypes, resource
from deepchat_desktop.services.secrets import harden_process
harden_process()
print(resource.getrlimit(resource.RLIMIT_CORE), ctypes.CDLL(None).prctl(3, 0, 0, 0, 0))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="prctl")
def test_a_hardened_process_leaves_no_core_and_is_not_dumpable() -> None:
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", HARDENED], env=env, capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[0] == "(0, 0) 0"
