"""Before anything else: the version check, folders, logging, the excepthook and process hardening. No Qt."""

import logging
import logging.handlers
import os
import sys
import threading
from pathlib import Path
from types import TracebackType

from deepchat_desktop import APP_ID
from deepchat_desktop.domain.errors import ConfigError, StoreReadOnly

LOG_BYTES = 1_000_000
LOG_FILES = 3


def data_folder(given: str | None = None) -> Path:
    """Return the data folder: the argument, else ``DEEPCHAT_DATA_DIR``, else the platform's own place."""
    if chosen := given or os.environ.get("DEEPCHAT_DATA_DIR"):
        return Path(chosen).expanduser().absolute()
    import platformdirs

    return Path(platformdirs.user_data_dir(APP_ID, appauthor=False))


def make_private(folder: Path) -> None:
    """Create a folder that only its owner can enter (SEC-5). Raises ``StoreReadOnly``."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if os.name == "posix" and folder.stat().st_mode & 0o077:
            folder.chmod(0o700)
    except OSError as error:
        raise StoreReadOnly(
            f"The data folder {folder} cannot be created or used ({error.strerror}). "
            "Give another one with --data-dir, or change its rights.",
            params={"folder": str(folder)},
        ) from error


def refuse_bad_qt(version: str) -> None:
    """Refuse PySide6 6.12 on Python before 3.12, which aborts the process after some hundred signals.

    ``version`` is PySide6's own. Raises ``ConfigError``. That wheel gives away references to None, True and False
    (docs/adr/0001).
    """
    if sys.version_info >= (3, 12):
        return
    if tuple(int(part) for part in version.split(".")[:2]) >= (6, 12):
        raise ConfigError(
            f"PySide6 {version} does not work on Python {sys.version_info.major}.{sys.version_info.minor}. "
            'Install an older one with: pip install "PySide6-Essentials<6.12", or use Python 3.12 or newer.',
            code="bad_qt",
        )


def refuse_no_display() -> None:
    """Refuse to open a window where there is no display; Qt would abort the process. Raises ``ConfigError``."""
    if sys.platform in ("win32", "darwin") or os.environ.get("QT_QPA_PLATFORM", "").split(":")[0] in (
        "offscreen",
        "minimal",
        "vnc",
    ):
        return
    if not os.environ.get("DISPLAY") and not os.environ.get("WAYLAND_DISPLAY"):
        raise ConfigError(
            "There is no display to open a window on (DISPLAY and WAYLAND_DISPLAY are not set). "
            'Run it inside a desktop session, or ask in the terminal: deepchat ask "…"',
            code="no_display",
        )


def set_up_input_methods() -> None:
    """Let fcitx users type: the Qt wheel speaks IBus only, which fcitx answers too. Before QApplication."""
    module = os.environ.get("QT_IM_MODULE")
    if sys.platform.startswith("linux") and module and "QT_IM_MODULES" not in os.environ:
        os.environ["QT_IM_MODULES"] = f"{module};ibus"


def start_logging(folder: Path, filters: list[logging.Filter]) -> Path:
    """Log warnings and worse to ``logs/deepchat.log`` (rotated, 0600) and return its path.

    ``filters`` mask keys. ``DEEPCHAT_DEBUG`` logs everything of ours, and to stderr too.
    """
    debug = bool(os.environ.get("DEEPCHAT_DEBUG"))
    path = folder / "logs" / "deepchat.log"
    handlers: list[logging.Handler] = []
    try:
        make_private(path.parent)
        path.touch(mode=0o600)
        handlers.append(
            logging.handlers.RotatingFileHandler(path, maxBytes=LOG_BYTES, backupCount=LOG_FILES, encoding="utf-8")
        )
    except (OSError, StoreReadOnly):
        handlers.append(logging.StreamHandler())
    if debug and not any(type(handler) is logging.StreamHandler for handler in handlers):
        handlers.append(logging.StreamHandler())
    for handler in handlers:
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
        for item in filters:
            handler.addFilter(item)
    root = logging.getLogger()
    root.handlers[:] = handlers
    root.setLevel(logging.WARNING)
    logging.getLogger("deepchat_desktop").setLevel(logging.DEBUG if debug else logging.INFO)
    return path


def install_excepthooks() -> None:
    """Send whatever nobody caught, in any thread, to the log."""
    log = logging.getLogger("deepchat_desktop.crash")

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            sys.__excepthook__(kind, error, trace)
            return
        log.critical("Uncaught exception", exc_info=(kind, error, trace))

    def thread_hook(info: threading.ExceptHookArgs) -> None:
        if info.exc_value is not None:
            hook(info.exc_type, info.exc_value, info.exc_traceback)

    sys.excepthook = hook
    threading.excepthook = thread_hook
