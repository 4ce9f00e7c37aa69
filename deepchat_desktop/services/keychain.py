"""The system's keychain: which backends may hold a key, and calls to them that cannot hang us.

Backends are constructed here, by class, from a fixed list (SEC-1). ``keyring.get_keyring()`` is never asked: it follows
PYTHON_KEYRING_BACKEND and keyringrc.cfg, which can load code from any folder, and takes a plaintext file when
``keyrings.alt`` happens to be installed. A backend may show a prompt and wait for the user, so every call runs on a
daemon thread of its own with a time limit; one that never comes back holds nothing up, not even the program's end.
"""

import asyncio
import concurrent.futures
import importlib
import logging
import secrets
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from typing import Any, TypeVar

T = TypeVar("T")
_log = logging.getLogger(__name__)

ALLOWED: dict[str, tuple[tuple[str, str], ...]] = {
    "darwin": (("keyring.backends.macOS", "Keyring"),),
    "win32": (("keyring.backends.Windows", "WinVaultKeyring"),),
    "linux": (
        ("keyring.backends.SecretService", "Keyring"),
        ("keyring.backends.kwallet", "DBusKeyring"),
        ("keyring.backends.kwallet", "DBusKeyringKWallet4"),
        ("keyring.backends.libsecret", "Keyring"),
    ),
}
CHAINER = ("keyring.backends.chainer", "ChainerBackend")
PROBE_SERVICE = "deepchat-desktop probe"


class KeychainError(Exception):
    """The keychain refused, is locked, or did not answer in time. Its text holds no key."""


def class_name(backend: object) -> str:
    """Return ``module.Class`` of a backend, as it is kept with a provider's settings."""
    return f"{type(backend).__module__}.{type(backend).__qualname__}"


def allowed(backend: object) -> bool:
    """Say whether a key may be given to this backend: exactly a listed class, or a chain of nothing but those."""
    module, name = type(backend).__module__, type(backend).__qualname__
    if (module, name) == CHAINER:
        members = list(getattr(backend, "backends", ()))
        return bool(members) and all(allowed(member) for member in members)
    if not any((module, name) in group for group in ALLOWED.values()):
        return False
    # A class can call itself anything: it must be the one that the named module holds.
    return getattr(sys.modules.get(module), name, None) is type(backend)


def construct() -> list[Any]:
    """Return the allowed backends that say they work here, the system's own first. Blocking."""
    found = []
    for module, name in ALLOWED.get(sys.platform, ALLOWED["linux"]):
        try:
            cls = getattr(importlib.import_module(module), name)
            found.append((float(cls.priority), cls()))
        except Exception as error:  # noqa: BLE001 - a backend that cannot even be built is one that is not there
            _log.debug("Keychain backend %s.%s is not usable: %s", module, name, error)
    return [backend for _priority, backend in sorted(found, key=lambda pair: pair[0], reverse=True)]


def probe(backend: Any) -> None:
    """Write, read and delete a dummy. Raises ``KeychainError``. Blocking, and may prompt the user.

    A backend's own word is not enough: a bus without an unlocked keyring looks like a working Secret Service.
    """
    if not allowed(backend):
        raise KeychainError(f"{class_name(backend)} is not a keychain that keys may be kept in")
    name, value = f"probe-{secrets.token_hex(8)}", secrets.token_hex(8)
    try:
        backend.set_password(PROBE_SERVICE, name, value)
        same = backend.get_password(PROBE_SERVICE, name) == value
        backend.delete_password(PROBE_SERVICE, name)
    except Exception as error:
        raise KeychainError(f"{type(error).__name__}: {error}") from error
    if not same:
        raise KeychainError("the keychain did not give back what was written")


def is_locked(backend: Any) -> bool:
    """Say whether using the backend will make the system ask for a password. Blocking, never prompts."""
    if type(backend).__module__ != "keyring.backends.SecretService":
        return False
    import secretstorage

    with closing(secretstorage.dbus_init()) as bus:
        try:
            return bool(secretstorage.get_any_collection(bus).is_locked())
        except secretstorage.ItemNotFoundException:
            return True  # there is no keyring yet: making one asks for a password too


async def call(work: Callable[[], T], limit_s: float) -> T:
    """Run blocking keychain work on a daemon thread. Raises ``KeychainError`` also when the limit passes."""
    done: concurrent.futures.Future[T] = concurrent.futures.Future()
    done.set_running_or_notify_cancel()

    def run() -> None:
        try:
            done.set_result(work())
        except KeychainError as error:
            done.set_exception(error)
        except Exception as error:  # noqa: BLE001 - every backend has errors of its own
            done.set_exception(KeychainError(f"{type(error).__name__}: {error}"))

    threading.Thread(target=run, name="keychain", daemon=True).start()
    try:
        async with asyncio.timeout(limit_s):
            return await asyncio.wrap_future(done)
    except TimeoutError:
        raise KeychainError(f"the keychain did not answer in {limit_s:.0f} seconds") from None
