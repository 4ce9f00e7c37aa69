"""The one road of every key: into the system's keychain, or into memory until the program ends, and nowhere else.

Invariants: a key is never written to a file, a log, an argument list or a child's environment; where it is kept is
said plainly; the keychain is tried with a real write before it is trusted, and asked to unlock at most once a run;
a key that was stored in another keychain than today's is reported missing by that keychain's name, nothing is wiped.
"""

import asyncio
import ctypes
import logging
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from deepchat_desktop.domain.errors import SecretsError
from deepchat_desktop.services import keychain
from deepchat_desktop.services.secrets_mask import MASK, MaskFilter, looks_like_key, mask, remember

__all__ = [
    "MASK",
    "MaskFilter",
    "Secrets",
    "SecretsStatus",
    "Stored",
    "harden_process",
    "looks_like_key",
    "mask",
    "remember",
]

SERVICE = "deepchat-desktop"
ANSWER_LIMIT_S = 5.0
PROMPT_LIMIT_S = 60.0
"""How long the user may take over the system's own unlock window."""
PR_SET_DUMPABLE = 4
_log = logging.getLogger(__name__)

Where = Literal["keychain", "session"]


@dataclass(frozen=True)
class Stored:
    """Where a key went. ``backend`` is the keychain's class, to be kept as ``ProviderSettings.key_backend``."""

    where: Where
    backend: str | None


@dataclass(frozen=True)
class SecretsStatus:
    """Where keys are kept now, and the English sentence that says so. ``reason`` is why not in the keychain."""

    where: Where
    backend: str | None
    text: str
    reason: str = ""


class Secrets:
    """The keys of the providers, each under its provider's id.

    ``backends`` gives the keychains to try, best first; it is called once, on a worker thread.
    """

    def __init__(
        self,
        backends: Callable[[], list[Any]] = keychain.construct,
        *,
        answer_limit_s: float = ANSWER_LIMIT_S,
        prompt_limit_s: float = PROMPT_LIMIT_S,
    ) -> None:
        self._backends = backends
        self._answer_limit_s = answer_limit_s
        self._prompt_limit_s = prompt_limit_s
        self._lock = asyncio.Lock()
        self._session: dict[str, str] = {}
        self._backend: Any = None
        self._reason: str | None = None
        """None until the keychain was tried; empty when it works."""

    async def status(self) -> SecretsStatus:
        """Say where keys are kept; tries the keychain the first time."""
        backend = await self._open()
        if backend is not None:
            return SecretsStatus("keychain", keychain.class_name(backend), "Keys are kept in the system's keychain.")
        text = "There is no usable keychain: keys are kept only until you quit, and must be entered again after that."
        return SecretsStatus("session", None, text, self._reason or "")

    async def set(self, name: str, key: str) -> Stored:
        """Keep a key and say where. A keychain that does not take it makes it a key until the program ends."""
        remember(key)
        backend = await self._open()
        if backend is not None and keychain.allowed(backend):
            try:
                await self._call(lambda: backend.set_password(SERVICE, name, key))
            except keychain.KeychainError as error:
                _log.info("The keychain took no key, it is kept until the program ends: %s", mask(str(error)))
            else:
                self._session.pop(name, None)
                return Stored("keychain", keychain.class_name(backend))
        self._session[name] = key
        return Stored("session", None)

    async def get(self, name: str, expected_backend: str | None = None) -> str | None:
        """Return a key, or None if there is none.

        ``expected_backend`` is where it was stored. Raises ``SecretsError``: ``key_elsewhere`` when that is not
        today's keychain, ``keychain_failed`` when it does not give the key.
        """
        if name in self._session:
            return self._session[name]
        backend = await self._open()
        current = None if backend is None else keychain.class_name(backend)
        if expected_backend is not None and current != expected_backend:
            raise self._elsewhere(name, expected_backend, current)
        if backend is None:
            return None
        try:
            key: str | None = await self._call(lambda: backend.get_password(SERVICE, name))
        except keychain.KeychainError as error:
            raise SecretsError(
                f"The keychain did not give the key of {name} ({mask(str(error))}). Unlock it and try again.",
                code="keychain_failed",
                params={"name": name},
                retryable=True,
            ) from error
        if key:
            remember(key)
        return key

    def only_in_memory(self, name: str) -> bool:
        """Tell whether a key is kept until the program ends, in no keychain."""
        return name in self._session

    async def delete(self, name: str, stored_in: str | None = None) -> None:
        """Forget a key here and in the keychain; one that is not there is no error.

        ``stored_in`` is where it was stored. Raises ``SecretsError`` like ``get`` when it stays there.
        """
        self._session.pop(name, None)
        backend = await self._open()
        current = None if backend is None else keychain.class_name(backend)
        if stored_in is not None and current != stored_in:
            raise self._elsewhere(name, stored_in, current)
        if backend is None:
            return
        try:
            await self._call(lambda: _delete(backend, name))
        except keychain.KeychainError as error:
            raise SecretsError(
                f"The key of {name} could not be removed from the keychain ({mask(str(error))}). "
                f'Remove the entry "{SERVICE}" in the system\'s keychain program.',
                code="keychain_failed",
                params={"name": name},
            ) from error

    def know(self, key: str) -> None:
        """Mask a key that comes from elsewhere (a variable the user named)."""
        remember(key)

    def mask(self, text: str) -> str:
        """Return ``text`` without any known key."""
        return mask(text)

    async def _call(self, work: Callable[[], Any]) -> Any:
        return await keychain.call(work, self._prompt_limit_s if sys.platform == "darwin" else self._answer_limit_s)

    async def _open(self) -> Any:
        """Return the keychain that passed the probe, or None; tried once a run, so the user is asked once."""
        async with self._lock:
            if self._reason is None:
                self._backend, self._reason = await self._first_working()
            return self._backend

    async def _first_working(self) -> tuple[Any, str]:
        try:
            candidates = await keychain.call(self._backends, self._answer_limit_s)
        except keychain.KeychainError as error:
            return None, str(error)
        reasons = []
        for backend in filter(keychain.allowed, candidates):
            locked = False
            try:
                locked = await keychain.call(partial(keychain.is_locked, backend), self._answer_limit_s)
                limit = self._prompt_limit_s if locked or sys.platform == "darwin" else self._answer_limit_s
                await keychain.call(partial(keychain.probe, backend), limit)
            except keychain.KeychainError as error:
                reasons.append(f"{keychain.class_name(backend)}: {error}")
                if locked:
                    break  # the user was asked and said no; another backend may ask for the same keyring again
            else:
                return backend, ""
        return None, "; ".join(reasons) or "there is no keychain that keys may be kept in"

    def _elsewhere(self, name: str, expected: str, current: str | None) -> SecretsError:
        now = f"today's is {current}" if current else "none is usable now"
        return SecretsError(
            f"The key of {name} was stored in another keychain ({expected}); {now}. "
            "Unlock that keychain or go back to that desktop, or enter the key again.",
            code="key_elsewhere",
            params={"name": name, "old": expected, "new": current},
        )


def _delete(backend: Any, name: str) -> None:
    if backend.get_password(SERVICE, name) is not None:
        backend.delete_password(SERVICE, name)


def harden_process() -> None:
    """Keep keys in memory out of core files and, on Linux, away from other processes of the same user.

    It does not promise that memory is secret: the same user can still do much (SEC-3).
    """
    if sys.platform == "win32":
        return
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
