"""A scripted model server on loopback: real HTTP, with chosen cuts, pauses, stalls, drops and statuses.

It plays one answer for each request, in order (``match`` picks an answer by the request's body, ``routes`` answers
fixed paths such as ``/models`` without using one up). Nothing in it depends on the time a test takes: a ``Gate``
holds an answer until the test releases it. Run as a program it plays a JSON script (see ``wire_script``).
"""

import contextlib
import json
import select
import socket
import struct
import threading
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

REASONS = {200: "OK", 302: "Found", 400: "Bad Request", 401: "Unauthorized", 429: "Too Many Requests"}


@dataclass(frozen=True)
class Pause:
    """Wait that many seconds."""

    seconds: float


@dataclass(frozen=True)
class Gate:
    """Wait until ``server.release(name)``, or until the client hangs up or the server closes."""

    name: str


@dataclass(frozen=True)
class Drop:
    """Reset the connection."""


@dataclass(frozen=True)
class Close:
    """Close the connection without ending the body."""


Step = bytes | Pause | Gate | Drop | Close


@dataclass(frozen=True)
class Answer:
    """One HTTP answer. ``cut`` sends the bytes in pieces of that size; ``gzip`` flushes after each step.

    ``framing``: "chunked", "length" (no pauses between the bytes) or "close". ``no_answer`` closes the connection
    instead of answering. ``match`` is a text that must stand in the request's body.
    """

    steps: tuple[Step, ...] = ()
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: {"content-type": "text/event-stream"})
    cut: int | None = None
    gzip: bool = False
    framing: Literal["chunked", "length", "close"] = "chunked"
    no_answer: bool = False
    match: str | None = None


def json_answer(value: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Answer:
    """Return an answer of one JSON value."""
    head = {"content-type": "application/json", **(headers or {})}
    return Answer(steps=(json.dumps(value).encode(),), status=status, headers=head, framing="length")


def body_answer(body: bytes, *, cut: int | None = None, status: int = 200) -> Answer:
    """Return a recorded body, whole or in pieces."""
    return Answer(steps=(body,), cut=cut, status=status)


@dataclass
class Request:
    """What the client sent. ``connection`` counts connections from 0; ``hung_up`` is set when it goes away early."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    connection: int
    hung_up: threading.Event = field(default_factory=threading.Event)
    done: threading.Event = field(default_factory=threading.Event)

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class WireServer:
    """The server; a context manager. ``requests`` grows as they come."""

    def __init__(
        self,
        answers: Iterable[Answer] = (),
        *,
        routes: Mapping[str, Answer] | None = None,
        repeat_last: bool = False,
        requests_file: Path | None = None,
    ) -> None:
        self.requests: list[Request] = []
        self.connections = 0
        self.routes = dict(routes or {})
        self._answers = list(answers)
        self._repeat_last = repeat_last
        self._requests_file = requests_file
        self._gates: set[str] = set()
        self._changed = threading.Condition()
        self._closing = False
        self._sockets: set[socket.socket] = set()
        self._threads: list[threading.Thread] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.origin = f"http://127.0.0.1:{self.port}"
        self.base_url = f"{self.origin}/v1"

    def __enter__(self) -> "WireServer":
        self._spawn(self._accept)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Hang up on everybody and wait for the threads."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
            open_sockets = list(self._sockets)
        _shut(self._listener)
        self._listener.close()
        for connection in open_sockets:
            _shut(connection)
        for thread in self._threads:
            thread.join(10)

    def add(self, *answers: Answer) -> None:
        """Add answers to the end of the script."""
        with self._changed:
            self._answers += answers

    def release(self, gate: str) -> None:
        """Let answers pass a gate, now and later."""
        with self._changed:
            self._gates.add(gate)
            self._changed.notify_all()

    def wait_for_requests(self, count: int, timeout: float = 30) -> list[Request]:
        """Wait until that many requests have come."""
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.requests) >= count, timeout), "the request never came"
            return list(self.requests)

    # The connections

    def _spawn(self, target: Any, *args: Any) -> None:
        thread = threading.Thread(target=target, args=args, daemon=True, name="wire-server")
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with self._changed:
                number, self.connections = self.connections, self.connections + 1
                self._sockets.add(connection)
            self._spawn(self._serve, connection, number)

    def _serve(self, connection: socket.socket, number: int) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        reader = connection.makefile("rb")
        try:
            while (request := _read_request(reader, number)) is not None:
                answer = self._choose(request)
                try:
                    keep = self._play(connection, request, answer)
                except OSError:
                    request.hung_up.set()
                    return
                finally:
                    request.done.set()
                if not keep:
                    return
        except OSError:
            return
        finally:
            reader.close()
            _shut(connection)
            connection.close()
            with self._changed:
                self._sockets.discard(connection)

    def _choose(self, request: Request) -> Answer:
        with self._changed:
            self.requests.append(request)
            self._changed.notify_all()
            if self._requests_file is not None:
                line = {"method": request.method, "path": request.path, "headers": request.headers}
                line["body"] = request.body.decode("utf-8", "replace")
                with self._requests_file.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(line) + "\n")
            for path, answer in self.routes.items():
                if request.path.split("?")[0].endswith(path):
                    return answer
            for place, answer in enumerate(self._answers):
                if answer.match is None or answer.match.encode() in request.body:
                    if not (self._repeat_last and place == len(self._answers) - 1):
                        del self._answers[place]
                    return answer
        return json_answer({"error": {"message": "the script has no answer left", "type": "script_over"}}, 400)

    def _play(self, connection: socket.socket, request: Request, answer: Answer) -> bool:
        """Send one answer; False if the connection is not to be used again."""
        if answer.no_answer:
            return False
        connection.sendall(_head(answer))
        alive = True
        encode = _Encoder(answer)
        for step in answer.steps:
            match step:
                case bytes():
                    for piece in encode(step):
                        connection.sendall(piece)
                case Pause():
                    alive = self._wait(connection, request, time.monotonic() + step.seconds, None)
                case Gate():
                    alive = self._wait(connection, request, None, step.name)
                case Drop():
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    connection.close()
                    alive = False
                case Close():
                    alive = False
            if not alive:
                return False
        connection.sendall(encode.end())
        return answer.framing != "close"

    def _wait(self, connection: socket.socket, request: Request, until: float | None, gate: str | None) -> bool:
        """Wait for a time or a gate; False if the client hung up or the server closes."""
        while True:
            with self._changed:
                if self._closing:
                    return False
                if gate is not None and gate in self._gates:
                    return True
                if until is not None and time.monotonic() >= until:
                    return True
                self._changed.wait(0.01 if until is None else min(0.01, max(until - time.monotonic(), 0)))
            if select.select([connection], [], [], 0)[0] and connection.recv(1, socket.MSG_PEEK) == b"":
                request.hung_up.set()
                return False


def _shut(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):  # the other side was faster
        connection.shutdown(socket.SHUT_RDWR)


def _read_request(reader: Any, number: int) -> Request | None:
    first = reader.readline()
    if not first.strip():
        return None
    method, path, _ = first.decode("latin-1").split(" ", 2)
    headers: dict[str, str] = {}
    while (line := reader.readline().decode("latin-1").strip()):
        name, _, value = line.partition(":")
        headers[name.lower()] = value.strip()
    body = reader.read(int(headers.get("content-length", "0")))
    return Request(method=method, path=path, headers=headers, body=body, connection=number)


def _head(answer: Answer) -> bytes:
    lines = [f"HTTP/1.1 {answer.status} {REASONS.get(answer.status, 'Status')}"]
    lines += [f"{name}: {value}" for name, value in answer.headers.items()]
    if answer.gzip:
        lines.append("content-encoding: gzip")
    match answer.framing:
        case "chunked":
            lines.append("transfer-encoding: chunked")
        case "length":
            lines.append(f"content-length: {sum(len(step) for step in answer.steps if isinstance(step, bytes))}")
        case "close":
            lines.append("connection: close")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


class _Encoder:
    """Cuts, compresses and frames the body of one answer."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._squeeze = zlib.compressobj(wbits=31) if answer.gzip else None

    def __call__(self, step: bytes) -> Iterator[bytes]:
        squeeze = self._squeeze
        data = squeeze.compress(step) + squeeze.flush(zlib.Z_SYNC_FLUSH) if squeeze else step
        size = self._answer.cut or max(len(data), 1)
        return (self._framed(data[start : start + size]) for start in range(0, len(data), size))

    def end(self) -> bytes:
        rest = self._framed(self._squeeze.flush()) if self._squeeze else b""
        return rest + (b"0\r\n\r\n" if self._answer.framing == "chunked" else b"")

    def _framed(self, piece: bytes) -> bytes:
        chunked = self._answer.framing == "chunked" and piece
        return b"%x\r\n%s\r\n" % (len(piece), piece) if chunked else piece


def model_list(models: Iterable[str | Mapping[str, Any]]) -> Answer:
    """Return an answer to ``GET /models``."""
    items = [{"id": model, "object": "model"} if isinstance(model, str) else model for model in models]
    return json_answer({"object": "list", "data": items})


if __name__ == "__main__":
    from tests.fakes.wire_script import main

    main()
