"""The clipboard's content: Markdown at once, plain and rich text made when somebody asks for them."""

import atexit
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from PySide6.QtCore import QByteArray, QMimeData
from PySide6.QtGui import QGuiApplication

MARKDOWN, PLAIN, HTML = "text/markdown", "text/plain", "text/html"


class LazyText(QMimeData):
    """``plain`` and ``html`` are called at most once each. Without them the Markdown is the plain text too."""

    def __init__(self, markdown: str, plain: Callable[[], str] | None, html: Callable[[], str] | None) -> None:
        super().__init__()
        self._known = {MARKDOWN: markdown} | ({PLAIN: markdown} if plain is None else {})
        self._makers = {PLAIN: plain, HTML: html}
        self.made: list[str] = []

    def formats(self) -> list[str]:
        return [MARKDOWN, PLAIN, *([HTML] if self._makers[HTML] is not None else [])]

    def hasFormat(self, mimetype: str) -> bool:
        return mimetype in self.formats()

    def retrieveData(self, mimetype: str, preferred: Any) -> Any:
        if mimetype not in self._known:
            maker = self._makers.get(mimetype)
            if maker is None:
                return None
            self._known[mimetype] = maker()
            self.made.append(mimetype)
        words = self._known[mimetype]
        return QByteArray(words.encode("utf-8", "replace")) if mimetype == MARKDOWN else words


@lru_cache(maxsize=1)
def _let_go_at_the_end() -> None:
    """Qt outlives the interpreter, so nothing made in Python may stay on the clipboard."""
    app = QGuiApplication.instance()
    if app is not None:
        app.aboutToQuit.connect(_let_go)
    atexit.register(_let_go)


def _let_go() -> None:
    if QGuiApplication.instance() is None:
        return
    board = QGuiApplication.clipboard()
    held = board.mimeData()
    if isinstance(held, LazyText):
        kept = QMimeData()
        kept.setText(bytes(held.data(MARKDOWN).data()).decode())
        board.setMimeData(kept)


def put(data: QMimeData) -> None:
    """Put a text on the clipboard."""
    _let_go_at_the_end()
    QGuiApplication.clipboard().setMimeData(data)
