"""The window program: builds every object and ends them in order. The only file that knows all layers."""

import asyncio
import importlib
import logging
import os
import sys
import time
from pathlib import Path
from typing import NoReturn

import PySide6
from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication, QWidget

from deepchat_desktop import APP_ID, __version__, boot
from deepchat_desktop.core import Core, open_core
from deepchat_desktop.domain.errors import DeepChatError, StoreBusy
from deepchat_desktop.domain.events import Notice
from deepchat_desktop.presenters.bridge import EventBridge
from deepchat_desktop.presenters.loop_host import LoopHost
from deepchat_desktop.presenters.window_shell import WindowShell
from deepchat_desktop.presenters.words import words_of
from deepchat_desktop.services.secrets_mask import MaskFilter
from deepchat_desktop.ui.chat.chat_view import ChatView
from deepchat_desktop.ui.main_window import MainWindow
from deepchat_desktop.ui.style import install

_STARTED = time.perf_counter()
FIRST_PAINT_VARIABLE = "DEEPCHAT_PRINT_FIRST_PAINT"


def run_window(argv: list[str]) -> int:
    """Open the window; returns the exit code when it could not be opened, and ends the process otherwise.

    ``argv`` holds at most a data folder and one link.
    """
    try:
        boot.refuse_bad_qt(PySide6.__version__)
    except DeepChatError as error:
        sys.stderr.write(error.user_message + "\n")
        return 1
    folder, rest = _data_folder(argv)
    boot.install_excepthooks()
    boot.set_up_input_methods()
    app = _application()
    bridge = EventBridge()
    try:
        boot.make_private(folder)
        boot.start_logging(folder, [MaskFilter()])
        core = open_core(folder, bridge.post)
    except StoreBusy as error:
        from deepchat_desktop.presenters.instance import hand_over

        return 0 if hand_over(folder, rest) else _trouble(app, error)
    except DeepChatError as error:
        return _trouble(app, error)
    return _leave(LoopHost(app).run(lambda host: _main(host, core, bridge, rest)))


def _leave(code: int) -> NoReturn:
    """End the process. Everything is stored and closed: collecting all widgets first would only take a second."""
    logging.shutdown()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _application() -> QApplication:
    QApplication.setApplicationName(APP_ID)
    QApplication.setApplicationDisplayName("DeepChat Desktop")
    QApplication.setApplicationVersion(__version__)
    QApplication.setDesktopFileName(APP_ID)
    app = QApplication([APP_ID])
    app.setQuitOnLastWindowClosed(False)
    install(app)
    return app


def _data_folder(argv: list[str]) -> tuple[Path, list[str]]:
    if argv[:1] == ["--data-dir"] and len(argv) >= 2:
        return boot.data_folder(argv[1]), argv[2:]
    if argv and argv[0].startswith("--data-dir="):
        return boot.data_folder(argv[0].partition("=")[2]), argv[1:]
    return boot.data_folder(), argv


def _trouble(app: QApplication, error: DeepChatError) -> int:
    """Say in a window of its own why there is no main window; there is no event loop yet, so none is nested."""
    sys.stderr.write(error.user_message + "\n")
    from deepchat_desktop.ui.dialogs.trouble import TroubleWindow

    window = TroubleWindow(words_of(error))
    window.closed.connect(app.quit)
    window.show()
    app.exec()
    return 1


async def _main(host: LoopHost, core: Core, bridge: EventBridge, links: list[str]) -> int:
    """Live as long as the window, then tear down: window, drafts, runs, processes, tasks, store."""
    shell = WindowShell(core, bridge)
    shell.load()
    shell.expect_last()
    window = MainWindow(
        session=shell.session,
        agent=shell.agent,
        setup=shell.setup,
        settings=shell.settings,
        make_chat=lambda: ChatView(shell.messages, shell.agent, shell.permission, shell.session),
    )
    window.closing.connect(host.close)
    painted = _FirstPaint(window)
    window.show()
    await painted.seen.wait()
    from deepchat_desktop.presenters.instance import InstanceServer
    from deepchat_desktop.ui.pauses import Pauses

    Pauses(window).start()
    server = InstanceServer(core.data_dir, lambda handed: _raise(window, bridge, handed))
    _begin(core, shell, bridge, links)
    await host.closing.wait()
    shell.remember_session()
    server.close()
    window.hide()
    await shell.save_drafts()
    await core.close()
    window.deleteLater()
    return 0


def _begin(core: Core, shell: WindowShell, bridge: EventBridge, links: list[str]) -> None:
    """Do what follows the first paint: put in order what a crash left, open the last session, look around."""
    from deepchat_desktop.services.secrets import harden_process
    from deepchat_desktop.ui.blocks.rendering import rendering

    harden_process()  # before any key is read
    # Blocking, so that nothing the user does can come between what a crash left and its putting in order.
    try:
        core.start_now()
    except DeepChatError as error:  # a full disk, say: what is there can be read all the same
        bridge.post(Notice(code=error.code, text=error.user_message))
    core.runtime.ask_titles = True
    rendering.connect_to(shell.renders)
    shell.load()
    shell.open_last()
    core.tasks.start(asyncio.to_thread(warm_up), "warm up")
    if notice := core.settings_file.notice:
        bridge.post(notice)
    _tell_of_links(bridge, links)
    core.tasks.start(shell.setup.look_around(), "look around")


def warm_up() -> None:
    """Import what the first question needs, on a thread, so that it does not hold the window then."""
    for name in ("httpx", "truststore", "jsonschema"):
        importlib.import_module(name)


def _tell_of_links(bridge: EventBridge, links: list[str]) -> None:
    if links:
        bridge.post(Notice(code="links_later", text="Links to DeepChat come in a later version: nothing was opened."))


def _raise(window: QWidget, bridge: EventBridge, links: list[str]) -> None:
    """Bring the window to the front for a second start."""
    _tell_of_links(bridge, links)
    if window.isMinimized():
        window.showNormal()
    window.show()
    window.raise_()
    window.activateWindow()


class _FirstPaint(QObject):
    """Notes the first paint, after which heavy modules may be imported."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.seen = asyncio.Event()
        self._window = window
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint and watched is self._window:
            self._window.removeEventFilter(self)
            QTimer.singleShot(0, self._tell)
        return False

    def _tell(self) -> None:
        if os.environ.get(FIRST_PAINT_VARIABLE):
            sys.stdout.write(f"first_paint_ms {(time.perf_counter() - _STARTED) * 1000:.0f}\n")
            sys.stdout.flush()
        self.seen.set()
