"""One window per data folder: a second start hands its arguments to the first and ends.

The lock that decides is the store's OS lock; this socket only carries the arguments. The name is derived from the
data folder, and only the same user can connect.
"""

import hashlib
import json
import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtNetwork import QLocalServer, QLocalSocket

LIMIT_BYTES = 64 * 1024
WAIT_MS = 2_000
PATIENCE_S = 5.0
RETRY_S = 0.05


def _name(data_dir: Path) -> str:
    digest = hashlib.sha256(str(data_dir.resolve()).encode("utf-8", "surrogatepass")).hexdigest()
    return f"deepchat-desktop-{digest[:24]}"


def hand_over(data_dir: Path, arguments: list[str], patience_s: float = PATIENCE_S) -> bool:
    """Give the arguments to the running instance (blocking, before any event loop); False if none answers.

    The first instance holds the lock a moment before it listens, so this tries for ``patience_s`` seconds.
    """
    end = time.monotonic() + patience_s
    while not _give(data_dir, arguments):
        if time.monotonic() > end:
            return False
        time.sleep(RETRY_S)
    return True


def _give(data_dir: Path, arguments: list[str]) -> bool:
    socket = QLocalSocket()
    socket.connectToServer(_name(data_dir))
    if not socket.waitForConnected(WAIT_MS):
        return False
    socket.write(json.dumps(arguments).encode() + b"\n")
    accepted = socket.waitForBytesWritten(WAIT_MS) and socket.waitForReadyRead(WAIT_MS)
    answer = bytes(socket.readAll().data())
    socket.disconnectFromServer()
    return accepted and answer.startswith(b"ok")


class InstanceServer(QObject):
    """Listens for later starts and gives their arguments to ``on_arguments``."""

    def __init__(self, data_dir: Path, on_arguments: Callable[[list[str]], None]) -> None:
        super().__init__()
        self._on_arguments = on_arguments
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._accept)
        QLocalServer.removeServer(_name(data_dir))
        self.listening = self._server.listen(_name(data_dir))

    def close(self) -> None:
        """Stop listening."""
        self._server.close()

    def _accept(self) -> None:
        while (socket := self._server.nextPendingConnection()) is not None:
            socket.readyRead.connect(lambda socket=socket: self._read(socket))
            socket.disconnected.connect(socket.deleteLater)
            if socket.bytesAvailable():
                self._read(socket)

    def _read(self, socket: QLocalSocket) -> None:
        if not socket.canReadLine():
            if socket.bytesAvailable() > LIMIT_BYTES:
                socket.abort()
            return
        try:
            arguments = json.loads(bytes(socket.readLine().data()))
        except ValueError:
            socket.abort()
            return
        if isinstance(arguments, list) and all(isinstance(item, str) for item in arguments):
            socket.write(b"ok\n")
            socket.flush()
            self._on_arguments(arguments)
