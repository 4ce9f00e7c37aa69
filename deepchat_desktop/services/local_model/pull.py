"""Takes any GGUF file into the models folder, from a path or an address.

A download that broke goes on where it stopped, if the server still has the same file (Range with If-Range). Redirects
are followed here, one by one: never from https to http. Plain http needs a checksum unless it stays on this computer.
"""

import hashlib
import json
import os
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urljoin, urlsplit

from deepchat_desktop.domain.errors import LocalModelError
from deepchat_desktop.services.http import is_loopback, new_client
from deepchat_desktop.services.local_model.catalog import STARTER_FILE, STARTER_SHA256
from deepchat_desktop.services.local_model.receive import (
    OnProgress,
    PullProgress,
    check_magic,
    check_sum,
    copy,
    disk_errors,
    hash_file,
    in_thread,
    make_room,
    open_private,
    pull_error,
    put_in_place,
)
from deepchat_desktop.services.proxy import Way, direct

if TYPE_CHECKING:
    import httpx

MAX_REDIRECTS = 5
CHUNK = 1 << 18
"""Small: what has not come through when a connection breaks is lost."""
IDLE_LIMIT_S = 60.0
_REDIRECTS = (301, 302, 303, 307, 308)


async def pull_from(
    source: str, models_dir: Path, progress: OnProgress, *, sha256: str | None = None, route: Way = direct
) -> Path:
    """Bring the GGUF file at a path or an http(s) address into the models folder and return its path there.

    Raises ``LocalModelError``. Cancelling leaves no model behind, only what a later call can go on from.
    """
    is_url = urlsplit(source).scheme.lower() in ("http", "https")
    name = _file_name(unquote(urlsplit(source).path) if is_url else source)
    part = models_dir / f".{name}.part"
    if is_url:
        found = await _Download(source, part, progress, checked=sha256 is not None, route=route).run()
    else:
        found = await _copy_file(source, part, progress)
    try:
        check_sum(found, sha256)
    except Exception:
        await in_thread(lambda: part.unlink(missing_ok=True))
        raise
    target = models_dir / (STARTER_FILE if found == STARTER_SHA256 else name)
    await in_thread(lambda: put_in_place(part, target))
    return target


def _file_name(path: str) -> str:
    """Return a safe name ending in .gguf for what a path or an address calls its file."""
    name = re.sub(r"[^\w.-]", "_", re.split(r"[/\\]", path)[-1]).lstrip(".")
    return f"{name.removesuffix('.gguf')[:120] or 'model'}.gguf"


async def _copy_file(source: str, part: Path, progress: OnProgress) -> str:
    try:
        file = await in_thread(lambda: Path(source).expanduser().open("rb"))
        total = os.fstat(file.fileno()).st_size
    except (OSError, ValueError, RuntimeError) as error:
        raise pull_error("no_file", f"There is no readable file at {source}. Check the path.") from error
    with file, disk_errors(part.parent):
        await in_thread(lambda: make_room(part.parent, total))
        try:
            with open_private(part) as target:
                return await copy(file, target, lambda done: progress(PullProgress("fetch", done, total)))
        except BaseException:
            await in_thread(lambda: part.unlink(missing_ok=True))
            raise


@dataclass
class _Download:
    """One download. ``part`` grows; beside it a note says what file of which server it is the beginning of."""

    url: str
    part: Path
    progress: OnProgress
    checked: bool
    route: Way

    async def run(self) -> str:
        """Download to the end and return the SHA-256."""
        import httpx

        try:
            async with self._answer() as response:
                await self._receive(response)
        except LocalModelError as error:
            if error.code == "pull_not_gguf":
                await in_thread(self._forget)
            raise
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise pull_error(
                "network",
                f"The download broke off ({type(error).__name__}). Run the same command again: it goes on from there.",
                retryable=True,
            ) from error
        await in_thread(lambda: self._note.unlink(missing_ok=True))
        return await in_thread(lambda: hash_file(self.part))

    @property
    def _note(self) -> Path:
        return self.part.with_suffix(".json")

    @property
    def _fingerprint(self) -> str:
        """The address as it may lie on a disk: it can hold a credential."""
        return hashlib.sha256(self.url.encode()).hexdigest()

    @asynccontextmanager
    async def _answer(self) -> AsyncIterator["httpx.Response"]:
        """Follow redirects and give the answer that holds the file."""
        import httpx

        headers = {"Accept-Encoding": "identity", **await in_thread(self._resume_headers)}
        url = self.url
        for _hop in range(MAX_REDIRECTS + 1):
            self._refuse_unsafe(url)
            way = await self.route(url)
            async with new_client(url, keepalive=False, proxy=way.proxy) as client:
                client.timeout = httpx.Timeout(IDLE_LIMIT_S, connect=15.0)
                async with client.stream("GET", url, headers=headers) as response:
                    if response.status_code not in _REDIRECTS:
                        yield response
                        return
                    following = urljoin(url, response.headers.get("location", ""))
            if urlsplit(url).scheme == "https" and urlsplit(following).scheme != "https":
                raise pull_error("unsafe", "The server redirects from https to plain http. Not followed.")
            url = following
        raise pull_error("network", "The server redirects too often. Give the address of the file itself.")

    def _refuse_unsafe(self, url: str) -> None:
        scheme = urlsplit(url).scheme.lower()
        if scheme not in ("http", "https"):
            raise pull_error("unsafe", "Only http and https addresses can be fetched.")
        if scheme == "http" and not self.checked and not is_loopback(url):
            raise pull_error("unsafe", "Without https the file can be changed on its way: give its SHA-256 too.")

    async def _receive(self, response: "httpx.Response") -> None:
        start = await in_thread(self._size)
        if response.status_code == 416 and start and _range_total(response) == start:
            return  # all of it was here already
        if response.status_code == 206 and _range_start(response) == start:
            total = _range_total(response)
        elif response.status_code == 200:
            start, length = 0, response.headers.get("content-length", "")
            total = int(length) if length.isdigit() else None
        else:
            await in_thread(self._forget)
            raise _refused(response.status_code)
        await in_thread(lambda: make_room(self.part.parent, (total or 0) - start))
        await in_thread(lambda: self._write_note(response))
        await self._write(response, start, total)

    async def _write(self, response: "httpx.Response", start: int, total: int | None) -> None:
        done = start
        with disk_errors(self.part.parent), open_private(self.part, append=start > 0) as target:
            async for chunk in response.aiter_bytes(CHUNK):
                if done == 0:
                    check_magic(chunk)
                await in_thread(lambda data=chunk: target.write(data))  # type: ignore[misc]
                done += len(chunk)
                self.progress(PullProgress("fetch", done, total))

    def _size(self) -> int:
        return self.part.stat().st_size if self.part.exists() else 0

    def _forget(self) -> None:
        self.part.unlink(missing_ok=True)
        self._note.unlink(missing_ok=True)

    def _resume_headers(self) -> dict[str, str]:
        """Return what asks for the rest of the same file; nothing if it is not sure to be the same."""
        try:
            note: dict[str, Any] = json.loads(self._note.read_text())
            size = self._size()
            if size and note["url"] == self._fingerprint and note["validator"]:
                return {"Range": f"bytes={size}-", "If-Range": str(note["validator"])}
        except (OSError, ValueError, KeyError, TypeError):
            self._forget()
        return {}

    def _write_note(self, response: "httpx.Response") -> None:
        etag = response.headers.get("etag", "")
        # A weak tag does not promise the same bytes.
        validator = etag if etag and not etag.startswith("W/") else response.headers.get("last-modified", "")
        with disk_errors(self.part.parent), open_private(self._note) as file:
            file.write(json.dumps({"url": self._fingerprint, "validator": validator}).encode())


def _range_start(response: "httpx.Response") -> int | None:
    match = re.match(r"bytes (\d+)-", response.headers.get("content-range", ""))
    return int(match[1]) if match else None


def _range_total(response: "httpx.Response") -> int | None:
    match = re.search(r"/(\d+)$", response.headers.get("content-range", ""))
    return int(match[1]) if match else None


def _refused(status: int) -> Exception:
    if status in (401, 403):
        return pull_error("refused", f"The server does not give the file (status {status}). Download it in a browser.")
    if status in (404, 410):
        return pull_error("no_file", f"There is no file at this address (status {status}). Check the address.")
    return pull_error("network", f"The server answered with status {status}. Try again later.", retryable=True)
