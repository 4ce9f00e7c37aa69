"""A Mermaid fence: source with a button that draws it; then the picture, and a button back to the source.

Invariants: nothing is drawn before it is asked for and the fence is closed; while it is drawn the block keeps its
height; a drawing that fails leaves what was shown, the source or the last picture, with one line about it.
"""

from math import ceil

from PySide6.QtCore import QCoreApplication, QRectF, Qt
from PySide6.QtGui import QGuiApplication, QPainter

from deepchat_desktop.ui import fonts
from deepchat_desktop.ui.blocks.code_shape import HEAD, PAD_LEFT, CodeChoices, CodeShape, Wanted
from deepchat_desktop.ui.blocks.rendering import Diagram, rendering
from deepchat_desktop.ui.blocks.shape import Scene
from deepchat_desktop.ui.paint import rr, text
from deepchat_desktop.ui.theme import theme

LANGUAGE = "mermaid"
PAD = 12
HIGHEST = 900
_LINE = 26


def _tr(words: str) -> str:
    return QCoreApplication.translate("Diagram", words)


class DiagramShape(CodeShape):
    """One diagram. What was asked for and the last picture are in ``choices``."""

    def __init__(
        self, code: str, choices: CodeChoices | None = None, *, open: bool = False, closed: bool = True
    ) -> None:
        self._closed = closed
        self._pending = False
        self._problem = ""
        super().__init__(code, LANGUAGE, choices, open=open)

    def arrived(self) -> None:
        """The picture has come, or cannot be made."""
        self.width = 0

    def set_closed(self, closed: bool) -> None:
        """Say whether the fence is closed, which drawing waits for."""
        self._closed = closed
        self.width = 0

    def picture(self) -> Diagram | None:
        """Return the picture that is shown, if one is."""
        shown = self.choices.picture if self.choices.drawn else None
        return shown if isinstance(shown, Diagram) else None

    def _language(self) -> str:
        return "Mermaid"

    def _wanted(self) -> list[Wanted]:
        usual = super()._wanted()
        if not self._closed or not rendering.connected:
            return usual
        if self._pending:
            words = _tr("Drawing…")
        else:
            words = _tr("Source") if self.choices.drawn and not self._problem else _tr("Render")
        return [*(usual[:1] if self.picture() is not None else usual), ("draw", words, None)]

    def act(self, action: str) -> bool:
        if action != "draw":
            return super().act(action)
        self.choices.drawn = not self.choices.drawn or (bool(self._problem) and self.picture() is None)
        self._problem = ""
        self.width = 0
        return True

    def _look(self) -> None:
        self._pending = False
        if not self.choices.drawn or not self._closed:
            return
        screen = QGuiApplication.primaryScreen()
        scale = max(2.0, float(ceil(screen.devicePixelRatio()))) if screen is not None else 2.0
        made = rendering.diagram(self.lines.raw(), scale, self)
        self._pending = made is None
        self._problem = made.problem if made is not None else ""
        if made is not None and made.value is not None:
            self.choices.picture = made.value

    def fit(self, width: int) -> None:
        self._look()
        super().fit(width)
        if self.picture() is not None:
            self.height = HEAD + 2 * PAD + ceil(self._target().height())
        if self._problem:
            self.height += fonts.scaled(_LINE)

    def _target(self) -> QRectF:
        shown = self.picture()
        if shown is None:
            return QRectF()
        wide, high = shown.image.width() / shown.scale, shown.image.height() / shown.scale
        fitting = min(1.0, (self.width - 2 * PAD) / wide, HIGHEST / high)
        left = (self.width - wide * fitting) / 2
        return QRectF(round(left), HEAD + PAD, wide * fitting, high * fitting)

    def _error_height(self) -> int:
        return fonts.scaled(_LINE) if self._problem else 0

    def paint(self, p: QPainter, area: QRectF, scene: Scene) -> None:
        shown = self.picture()
        if shown is None:
            super().paint(p, area, scene)
        else:
            rr(p, QRectF(0, 0, self.width, self.height), 10, theme.surface, theme.line)
            self._paint_head(p, scene)
            target = self._target()
            p.save()
            p.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            p.drawImage(target, shown.image)
            p.restore()
            if scene.selection[0] < scene.selection[1]:
                ground = theme.accent
                ground.setAlpha(70)
                rr(p, target.adjusted(-4, -4, 4, 4), 4, ground)
        if self._problem:
            line = QRectF(PAD_LEFT, self.height - self._error_height() - 2, self.width - 2 * PAD_LEFT, _LINE)
            text(p, line, self._problem, fonts.META, colour=theme.danger, align=Qt.AlignmentFlag.AlignLeft)

    def hint_at(self, at: object) -> str:
        return self._problem

