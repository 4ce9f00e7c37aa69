"""``--self-test``: tells whether every part of this installation loads and works, in a frozen build above all.

Each lazy import and each worker is tried once, under a time limit. Nothing is written outside a temporary folder,
and nothing is reached but loopback. Prints ``{"ok": bool, "checks": [{"name", "ok", "ms", "detail"}]}``.
"""

import asyncio
import importlib
import json
import logging
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Coroutine
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

Check = Callable[[], str]
"""Returns a detail to show; raises when the part does not work."""

LIMIT_S = 30.0
MODEL_LIMIT_S = 150.0
_log = logging.getLogger(__name__)


def main(arguments: list[str]) -> int:
    """Run all checks and print the report, or write it with ``--self-test-out FILE``. 0 if all is well, 1, 2 usage."""
    match arguments:
        case []:
            return run()
        case ["--self-test-out", name]:
            return run(Path(name))
    if sys.stderr is not None:
        sys.stderr.write("deepchat --self-test takes only --self-test-out FILE.\n")
    return 2


def run(out: Path | None = None) -> int:
    """Run all checks, print the report (to ``out`` when given) and return 0 if all is well, else 1."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    results = [_timed(name, check, limit) for name, check, limit in _checks()]
    report = {"ok": all(result["ok"] for result in results), "checks": results}
    text = json.dumps(report, indent=1) + "\n"
    if out is not None:
        out.write_text(text, encoding="utf-8")
    elif sys.stdout is not None:
        sys.stdout.write(text)
        sys.stdout.flush()
    return 0 if report["ok"] else 1


def _checks() -> list[tuple[str, Check, float]]:
    imports = [(f"import {name}", _importing(name), LIMIT_S) for name in _IMPORTS]
    return [
        *imports,
        ("keyring backends", keyring_backends, LIMIT_S),
        ("database and full-text search", full_text_search, LIMIT_S),
        ("token tables", token_tables, LIMIT_S),
        ("HTTP on loopback", http_round_trip, LIMIT_S),
        ("worker echo", echo_worker, LIMIT_S),
        ("worker render", render_worker, LIMIT_S),
        ("worker local_model", local_model_worker, LIMIT_S),
        ("local model answers", local_model_answers, MODEL_LIMIT_S),
        ("Qt", qt_window_parts, 0.0),
        ("Qt event loop", qt_event_loop, 0.0),
    ]


_IMPORTS = ("httpx", "truststore", "keyring", "mcp", "markdown_it", "pygments", "tiktoken", "jsonschema", "peewee")


def _timed(name: str, check: Check, limit_s: float) -> dict[str, Any]:
    """Run one check. A limit of 0 means: on this thread, because Qt wants it so."""
    started = time.monotonic()
    outcome: list[tuple[bool, str]] = []

    def attempt() -> None:
        try:
            outcome.append((True, check()))
        except BaseException as error:  # noqa: BLE001 - whatever it is, it is this check's result
            _log.debug("Self-test %s failed", name, exc_info=error)
            outcome.append((False, f"{type(error).__name__}: {error}"))

    if limit_s:
        worker = threading.Thread(target=attempt, name=f"self-test {name}", daemon=True)
        worker.start()
        worker.join(limit_s)
    else:
        attempt()
    ok, detail = outcome[0] if outcome else (False, f"no end after {limit_s:.0f} s")
    return {"name": name, "ok": ok, "ms": round((time.monotonic() - started) * 1000), "detail": detail}


def _importing(name: str) -> Check:
    def check() -> str:
        return str(getattr(importlib.import_module(name), "__version__", ""))

    return check


def keyring_backends() -> str:
    """List the backends that would be allowed here; none is a state, not a fault."""
    from keyring import backend

    return ", ".join(sorted({type(item).__module__ for item in backend.get_all_keyring()})) or "none"


def full_text_search() -> str:
    """Make a table with the trigram tokenizer through peewee on apsw, and find something in it."""
    import apsw
    from playhouse.apsw_ext import APSWDatabase

    with tempfile.TemporaryDirectory() as folder:
        database = APSWDatabase(str(Path(folder) / "test.db"))
        database.execute_sql("CREATE VIRTUAL TABLE words USING fts5(body, tokenize='trigram')")
        database.execute_sql("INSERT INTO words VALUES ('a stream of tokens')")
        found = database.execute_sql("SELECT count(*) FROM words WHERE words MATCH 'token'").fetchone()
        database.close()
    if found != (1,):
        raise RuntimeError(f"the search found {found}")
    return f"SQLite {apsw.sqlite_lib_version()}"


def token_tables() -> str:
    """Read the shipped token table and encode with it; nothing is fetched and nothing written."""
    import base64

    import tiktoken

    from deepchat_desktop.resources import resource_path

    folder = resource_path("tiktoken")
    tables = sorted(folder.glob("*.tiktoken")) if folder.is_dir() else []
    if not tables:
        return "none shipped: tokens are estimated"
    lines = (line.split() for line in tables[0].read_bytes().splitlines() if line)
    ranks = {base64.b64decode(token): int(rank) for token, rank in lines}
    encoding = tiktoken.Encoding("self-test", pat_str=r"\S+|\s+", mergeable_ranks=ranks, special_tokens={})
    if encoding.decode(encoding.encode("hello world")) != "hello world":
        raise RuntimeError("the tokens do not give the text back")
    return f"{tables[0].stem}: {len(ranks)} tokens"


class _Hello(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        """Answer with two letters."""
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: the report is the only output."""


def http_round_trip() -> str:
    """Fetch a page from a server of our own with the client that the providers use."""
    from deepchat_desktop.services.http import new_client

    server = ThreadingHTTPServer(("127.0.0.1", 0), _Hello)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/"

    async def fetch() -> str:
        async with new_client(url) as client:
            return (await client.get(url)).text

    try:
        text = asyncio.run(fetch())
    finally:
        server.shutdown()
        server.server_close()
    if text != "ok":
        raise RuntimeError("the answer is not what was sent")
    return url


async def _ask_worker(name: str, config: dict[str, Any]) -> dict[str, Any]:
    from deepchat_desktop.workers import spawn

    process = await spawn.start_worker(name, config)
    assert process.stdout is not None
    try:
        line = await process.stdout.readline()
    finally:
        await spawn.stop(process)
    said = json.loads(line or b"null")
    if not isinstance(said, dict):
        raise TypeError("the worker said nothing")
    return said


def echo_worker() -> str:
    """Start the program as a worker and hear the echo."""
    said = asyncio.run(_ask_worker("echo", {"say": "hello"}))
    if said != {"echo": "hello"}:
        raise RuntimeError(f"the worker said {said}")
    return "answered"


def render_worker() -> str:
    """Have a formula and a diagram drawn."""
    from deepchat_desktop.services.render import RenderWorker
    from deepchat_desktop.services.runtime.tasks import TaskOwner

    async def draw() -> str:
        tasks = TaskOwner()
        worker = RenderWorker(tasks.start)
        try:
            svg = await worker.ask("formula", {"tex": r"\frac{a}{b}", "display": True})
            drawn = await worker.ask("diagram", {"source": "flowchart LR\n a --> b", "colours": {}, "scale": 1.0})
        finally:
            await tasks.close()
        return f"SVG of {len(svg)} characters, PNG of {len(drawn['png']) * 3 // 4} bytes"

    return asyncio.run(draw())


def local_model_worker() -> str:
    """Start the model worker on a file that is not there: it must say so in its own words."""
    config = {"model": str(Path(tempfile.gettempdir()) / "no-such-model.gguf"), "context": 512, "token": "self-test"}
    said = asyncio.run(_ask_worker("local_model", config))
    if said.get("error") not in ("no_file", "no_engine"):
        raise RuntimeError(f"the worker said {said}")
    return str(said["error"])


def local_model_answers() -> str:
    """Let the local model say one token, when there is a model and an engine."""
    import importlib.util

    from deepchat_desktop.boot import data_folder

    models = data_folder() / "models"
    if importlib.util.find_spec("xllamacpp") is None:
        return "skipped: the engine is not installed (extra \"local\")"
    if not any(models.glob("*.gguf")):
        return "skipped: no model in the data folder"
    return asyncio.run(_one_token(models))


async def _one_token(models: Path) -> str:
    from deepchat_desktop.services.http import new_client
    from deepchat_desktop.services.local_model.service import LocalModel
    from deepchat_desktop.services.runtime.tasks import TaskOwner

    tasks = TaskOwner()

    def start(work: Coroutine[Any, Any, Any], name: str) -> "asyncio.Task[Any]":
        return tasks.start(work, name)

    local = LocalModel(models, start)
    try:
        async with local.lease() as endpoint, new_client(endpoint.base_url, keepalive=False) as client:
            response = await client.post(
                f"{endpoint.base_url}/chat/completions",
                headers={"Authorization": f"Bearer {endpoint.token}"},
                json={"messages": [{"role": "user", "content": "Hello"}], "max_tokens": 1},
            )
            response.raise_for_status()
            return repr(response.json()["choices"][0]["message"]["content"])
    finally:
        await local.stop()
        await tasks.close()


def qt_window_parts() -> str:
    """Make an application without a screen, load what the window needs, and draw one icon."""
    from deepchat_desktop.resources import resource_path

    core, gui = importlib.import_module("PySide6.QtCore"), importlib.import_module("PySide6.QtGui")
    widgets, svg = importlib.import_module("PySide6.QtWidgets"), importlib.import_module("PySide6.QtSvg")
    network = importlib.import_module("PySide6.QtNetwork")
    widgets.QApplication.instance() or widgets.QApplication(["deepchat-self-test"])
    icon = resource_path("app", "deepchat-desktop.svg").read_bytes()
    renderer = svg.QSvgRenderer(core.QByteArray(icon))
    image = gui.QImage(32, 32, gui.QImage.Format.Format_ARGB32)
    image.fill(0)
    painter = gui.QPainter(image)
    renderer.render(painter)
    painter.end()
    if not renderer.isValid() or not any(image.pixelColor(i % 32, i // 32).alpha() for i in range(32 * 32)):
        raise RuntimeError("the icon was not drawn")
    return f"Qt {core.qVersion()}, TLS {network.QSslSocket.activeBackend() or 'none'}"


def qt_event_loop() -> str:
    """Run one coroutine on the loop that joins Qt and asyncio."""
    qasync = importlib.import_module("qasync")
    widgets = importlib.import_module("PySide6.QtWidgets")
    loop = qasync.QEventLoop(widgets.QApplication.instance(), already_running=False)

    async def tick() -> str:
        await asyncio.sleep(0)
        return "ticked"

    with loop:
        return str(loop.run_until_complete(tick()))
