"""The program's window over a real data folder, in this process, worked from inside as a user works it.

Invariants: everything is built as the program builds it (core, bridge, presenters, window); keys, wheel and mouse go
through Qt's events; log records of WARNING and above, uncaught exceptions and Qt's messages are noted.
"""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt, QTimer, qInstallMessageHandler
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QWidget

from deepchat_desktop.app import warm_up
from deepchat_desktop.core import Core, open_core
from deepchat_desktop.domain.settings import AppSettings, ModelChoice, ModelSettings, ProviderSettings
from deepchat_desktop.presenters.bridge import EventBridge
from deepchat_desktop.presenters.loop_host import LoopHost
from deepchat_desktop.presenters.window_shell import WindowShell
from deepchat_desktop.services.settings_file import SettingsFile
from deepchat_desktop.ui.chat.chat_view import ChatView
from deepchat_desktop.ui.main_window import MainWindow
from deepchat_desktop.ui.style import install

BEAT_MS = 2
BUCKET_MS = 0.1
LIMIT_S = 120.0
CONTEXT = 200_000


class Heart:
    """Beats every 2 ms on a Qt timer; counts how late each beat is, in buckets, so that it needs no more memory."""

    def __init__(self) -> None:
        self._buckets = [0] * 20_000
        self.max_ms = 0.0
        self.beats = 0
        self._due = 0.0
        self._timer = QTimer()
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._beat)
        self.start()

    def start(self) -> None:
        """Count from zero."""
        self._buckets[:] = [0] * len(self._buckets)
        self.max_ms, self.beats = 0.0, 0
        self._next()

    def take_max(self) -> float:
        """Return the longest lateness since the last call, in ms; a beat that is due already counts."""
        late = max(self.max_ms, (time.perf_counter() - self._due) * 1000)
        self.max_ms = 0.0
        self._next()
        return late

    def percentile(self, share: float) -> float:
        """Return the lateness in ms that this share of all beats kept to."""
        left = self.beats * share
        for at, count in enumerate(self._buckets):
            left -= count
            if left <= 0:
                return at * BUCKET_MS
        return len(self._buckets) * BUCKET_MS

    def _next(self) -> None:
        self._due = time.perf_counter() + BEAT_MS / 1000
        self._timer.start(BEAT_MS)

    def _beat(self) -> None:
        late = max(0.0, (time.perf_counter() - self._due) * 1000)
        self.max_ms = max(self.max_ms, late)
        self.beats += 1
        self._buckets[min(len(self._buckets) - 1, int(late / BUCKET_MS))] += 1
        self._next()


@dataclass
class Complaints(logging.Handler):
    """What nobody should have said."""

    records: list[str] = field(default_factory=list)
    exceptions: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(logging.WARNING)
        logging.getLogger().addHandler(self)
        sys.excepthook = self._note_exception
        sys.unraisablehook = lambda told: self.exceptions.append(f"{told.exc_type.__name__}: {told.exc_value}")
        threading.excepthook = lambda told: self.exceptions.append(f"{told.exc_type.__name__}: {told.exc_value}")
        qInstallMessageHandler(lambda _kind, _context, words: self.records.append(f"Qt: {words}"))

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(self.format(record))

    def _note_exception(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        self.exceptions.append(f"{kind.__name__}: {error}")
        sys.__excepthook__(kind, error, trace)  # the one that ends this process is among them

    __hash__ = logging.Handler.__hash__


@dataclass
class RealWindow:
    """The window and what stands behind it."""

    core: Core
    shell: WindowShell
    window: MainWindow
    chat: ChatView
    heart: Heart
    complaints: Complaints

    async def until(self, condition: Callable[[], object], limit_s: float = LIMIT_S) -> None:
        """Wait for a state. Raises ``TimeoutError``."""
        end = time.monotonic() + limit_s
        while not condition():
            if time.monotonic() > end:
                raise TimeoutError("the window did not come to that state")
            await asyncio.sleep(0.02)

    async def open(self, session_id: str) -> None:
        """Open a session as a click in the side bar does."""
        self.shell.session.open(session_id)
        attached = self.shell.session.attachments
        await self.until(lambda: self.shell.messages.session_id == session_id and attached.is_complete(session_id))

    async def ask(self, text: str) -> None:
        """Type into the composer and press Enter; returns when the run began."""
        edit = self.chat.composer.edit
        edit.setFocus()
        type_text(edit, text)
        key(edit, Qt.Key.Key_Return)
        await self.until(self.running, 20)

    def running(self) -> bool:
        """Tell whether the open session is being answered."""
        return self.core.runtime.is_running(self.shell.session.current_id())

    def copied(self) -> str:
        """Select all and copy; return the Markdown that is on the clipboard."""
        messages = self.chat.message_list
        press(messages, QKeySequence.StandardKey.SelectAll)
        press(messages, QKeySequence.StandardKey.Copy)
        return bytes(QGuiApplication.clipboard().mimeData().data("text/markdown").data()).decode()


def key(widget: QWidget, code: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier,
        text: str = "") -> None:  # fmt: skip
    """Press and release a key on a widget."""
    for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
        QApplication.sendEvent(widget, QKeyEvent(kind, code, modifiers, text))


def press(widget: QWidget, standard: QKeySequence.StandardKey) -> None:
    """Press a shortcut on a widget."""
    combination: Any = QKeySequence(standard)[0]  # type: ignore[index]
    key(widget, combination.key(), combination.keyboardModifiers())


def type_text(widget: QWidget, text: str) -> None:
    """Type letters into a widget."""
    for letter in text:
        key(widget, Qt.Key.Key_unknown, text=letter)


def wheel(view: QWidget, px: int) -> None:
    """Turn the wheel over a widget; up is positive."""
    at = QPointF(view.width() / 2, view.height() / 2)
    event = QWheelEvent(
        at, view.mapToGlobal(at), QPoint(0, px), QPoint(0, px * 2), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(view, event)


def click(view: QWidget, at: QPointF, to: QPointF | None = None) -> None:
    """Press the left button, move to ``to`` if that is given, and let go."""
    end, left, none = to or at, Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton
    kinds = QEvent.Type
    for kind, place, button, held in (
        (kinds.MouseButtonPress, at, left, left), (kinds.MouseMove, end, none, left),
        (kinds.MouseButtonRelease, end, left, none),
    ):  # fmt: skip
        event = QMouseEvent(kind, place, view.mapToGlobal(place), button, held, Qt.KeyboardModifier.NoModifier)
        QApplication.sendEvent(view, event)


def provider(data_dir: Path, port: int) -> None:
    """Make a scripted server the default model of a data folder."""
    address = f"http://127.0.0.1:{port}/v1"
    choice = ModelChoice(context=CONTEXT, tools=False)
    made = ProviderSettings(
        id="bench", name="Bench", api="openai_chat", base_url=address, models=(ModelSettings(id="m"),),
        choices={"m": choice},
    )  # fmt: skip
    settings = AppSettings(providers=(made,), default_provider="bench", default_model="m")
    SettingsFile(data_dir / "settings.json").save(settings)


def run(data_dir: Path, drive: Callable[[RealWindow], Awaitable[int]]) -> int:
    """Open the window over a data folder, let ``drive`` work it, and close everything; returns what it returned."""
    app = QApplication([])
    app.setQuitOnLastWindowClosed(False)
    install(app)
    complaints, bridge = Complaints(), EventBridge()
    core = open_core(data_dir, bridge.post)

    async def main(_host: LoopHost) -> int:
        from deepchat_desktop.ui.blocks.rendering import rendering
        from deepchat_desktop.ui.pauses import Pauses

        shell = WindowShell(core, bridge)
        shell.load()
        window = MainWindow(
            session=shell.session, agent=shell.agent, setup=shell.setup, settings=shell.settings,
            make_chat=lambda: ChatView(shell.messages, shell.agent, shell.permission, shell.session),
        )  # fmt: skip
        window.show()
        Pauses(window).start()
        chat = window.chat
        assert isinstance(chat, ChatView)
        core.start_now()
        rendering.connect_to(shell.renders)
        warm_up()
        await asyncio.sleep(2.0)  # the view's own warm-up follows its first paint
        try:
            return await drive(RealWindow(core, shell, window, chat, Heart(), complaints))
        finally:
            window.hide()
            await core.close()

    return LoopHost(app).run(main)
