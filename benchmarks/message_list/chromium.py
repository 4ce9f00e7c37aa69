"""The rival in a browser: headless Chromium with markdown-it, which measures itself and tells the loopback server.

Needs a `chromium` and `npm` on the path; markdown-it is fetched into a folder of this run. The page holds no code
colours and no database, which flatters it; frames are not bound to a display's rate.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from benchmarks.memory import children, pss_mb
from benchmarks.message_list import corpus
from benchmarks.message_list.stage import HEIGHT, WIDTH

PAGE = Path(__file__).parent / "page"
KINDS = ("mixed", "code", "paragraph", "table", "list")
PARTS = ("frames", "stream", "drift", "memory", *KINDS)
MARKDOWN_IT = "markdown-it@15"
LIMIT_S = 75.0
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-frame-rate-limit",
    f"--window-size={WIDTH},{HEIGHT}",
)  # fmt: skip
TYPES = {".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".json": "application/json"}


def available() -> bool:
    """Tell whether the browser and the package tool are there."""
    return shutil.which("chromium") is not None and shutil.which("npm") is not None


def cpu_s(pid: int) -> float:
    """Return the processor time that a process and its descendants have used."""
    ticks = 0
    for one in (pid, *children(pid)):
        words = Path(f"/proc/{one}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        ticks += int(words[11]) + int(words[12])
    return ticks / os.sysconf("SC_CLK_TCK")


class Host(ThreadingHTTPServer):
    """Serves the page and the conversation, and takes what the page has measured."""

    def __init__(self, files: dict[str, bytes]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.files = files
        self.result: dict[str, Any] | None = None
        self.failure = ""
        self.done = threading.Event()
        self.browser = 0
        self.mark = (0.0, 0.0)

    def answer(self, path: str, value: Any) -> dict[str, Any]:
        """Take a message of the page; returns what it gets back."""
        match path:
            case "/cpu" if value == "begin":
                self.mark = (time.perf_counter(), cpu_s(self.browser))
            case "/cpu":
                return {"cpu": (cpu_s(self.browser) - self.mark[1]) / (time.perf_counter() - self.mark[0])}
            case "/pss":
                tree = (self.browser, *children(self.browser))
                note = f"{len(tree)} processes, {value:.0%} left out"
                return {"pss": sum(map(pss_mb, tree)), "note:pss": note}
            case "/done":
                self.result = value
                self.done.set()
            case "/failed":
                self.failure = str(value)
                self.done.set()
        return {}


class Handler(BaseHTTPRequestHandler):
    """One request."""

    server: Host

    def do_GET(self) -> None:
        name = "/index.html" if self.path.startswith("/?") else self.path
        body = self.server.files.get(name)
        self._reply(404 if body is None else 200, body or b"", TYPES.get(Path(name).suffix, "text/plain"))

    def do_POST(self) -> None:
        value = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self._reply(200, json.dumps(self.server.answer(self.path, value)).encode(), TYPES[".json"])

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: the table is what is printed."""

    def _reply(self, status: int, body: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def page_files(path: Path, folder: Path) -> dict[str, bytes]:
    """Return all that the server gives out; fetches markdown-it into a folder."""
    command = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", str(folder), MARKDOWN_IT]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    files = {f"/{file.name}": file.read_bytes() for file in PAGE.iterdir()}
    built = folder / "node_modules" / "markdown-it" / "dist" / "browser" / "markdown-it.umd.min.js"
    streams = {kind: corpus.cut(corpus.stream_text(kind)) for kind in KINDS}
    return files | {
        "/markdown-it.js": built.read_bytes(), "/corpus.json": path.read_bytes(),
        "/streams.json": json.dumps(streams).encode(),
    }  # fmt: skip


@contextmanager
def browser(host: Host, part: str, profile: Path) -> Iterator[None]:
    """Run the browser on a part of the host's page."""
    program = shutil.which("chromium")
    assert program is not None
    address = f"http://127.0.0.1:{host.server_address[1]}/?{part}"
    command = [program, *FLAGS, f"--user-data-dir={profile}", address]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        host.browser = process.pid
        try:
            yield
        finally:
            process.terminate()


def measure_part(files: dict[str, bytes], part: str, profile: Path) -> dict[str, Any]:
    """Return one part's figures, measured in a browser of its own; `failed` says why there are none."""
    with Host(files) as host:
        threading.Thread(target=host.serve_forever, daemon=True).start()
        with browser(host, part, profile):
            in_time = host.done.wait(LIMIT_S)
        host.shutdown()
    if host.result is not None:
        return host.result
    return {"failed": f"chromium {part}: {(host.failure or 'no answer') if in_time else 'not done in time'}"}


def measure(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the figures of each part."""
    if not available():
        yield {"failed": "chromium: needs chromium and npm on the path"}
        return
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        files = page_files(path, Path(folder))
        for part in PARTS:
            yield measure_part(files, part, Path(folder) / f"profile-{part}")
