"""Finding servers on loopback, against real sockets."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from deepchat_desktop.services.discovery import FoundServer, find_servers

OLLAMA = {"/api/tags": json.dumps({"models": [{"name": "qwen3:4b"}, {"name": "llama3.2"}]})}
OPENAI = {"/v1/models": json.dumps({"object": "list", "data": [{"id": "a"}, {"id": "b"}]})}

Serve = Callable[[dict[str, str]], int]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Start a server that answers the given paths and nothing else; its port."""
    servers: list[ThreadingHTTPServer] = []

    def start(pages: dict[str, str]) -> int:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                body = pages.get(self.path)
                self.send_response(404 if body is None else 200)
                self.end_headers()
                self.wfile.write((body or "").encode())

            def log_message(self, *_args: object) -> None:
                return

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}).start()
        servers.append(server)
        return server.server_port

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture
def closed() -> int:
    """A port where nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.mark.anyio
async def test_all_three_are_found_in_order(serve: Serve) -> None:
    ports = {"ollama": serve(OLLAMA), "lmstudio": serve(OPENAI), "llamacpp": serve({**OPENAI, "/health": "{}"})}
    found = await find_servers(ports)
    assert [server.kind for server in found] == ["ollama", "lmstudio", "llamacpp"]
    address = f"127.0.0.1:{ports['ollama']}"
    assert found[0] == FoundServer(
        "ollama", "Ollama", address, f"http://{address}/v1", "ollama", ("qwen3:4b", "llama3.2")
    )
    assert found[1].models == ("a", "b")


@pytest.mark.anyio
async def test_nothing_is_found_where_nothing_is(closed: int) -> None:
    assert await find_servers(dict.fromkeys(("ollama", "lmstudio", "llamacpp"), closed)) == ()


@pytest.mark.anyio
@pytest.mark.parametrize(
    "page",
    ["<html>hello</html>", "[]", "null", '{"data": 5}', '{"data": [{}]}', "{", '"' + "x" * (1 << 20) + '"'],
    ids=range(7),
)
async def test_another_program_on_the_port_is_no_finding(serve: Serve, closed: int, page: str) -> None:
    port = serve({"/api/tags": page, "/v1/models": page, "/health": "ok"})
    assert await find_servers(dict.fromkeys(("ollama", "lmstudio", "llamacpp"), port)) == ()


@pytest.mark.anyio
async def test_llama_cpp_that_still_loads_is_no_finding(serve: Serve, closed: int) -> None:
    assert await find_servers({"ollama": closed, "lmstudio": closed, "llamacpp": serve(OPENAI)}) == ()


@pytest.mark.anyio
async def test_a_silent_port_does_not_hold_up_the_others(serve: Serve, closed: int) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        ports = {"ollama": silent.getsockname()[1], "lmstudio": serve(OPENAI), "llamacpp": closed}
        found = await find_servers(ports, limit_s=0.3)
    assert [server.kind for server in found] == ["lmstudio"]
