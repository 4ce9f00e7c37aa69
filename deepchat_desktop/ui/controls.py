"""The controls that are pressed: buttons, icon buttons and chips, painted by themselves.

Each has an accessible name from its constructor on, paints from the theme in use, and shows focus only by
the window's ``FocusRing``; ``radius`` tells that ring the corner it follows.
"""

from typing import Literal

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QEnterEvent,
    QGuiApplication,
    QIcon,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QRegion,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractButton, QMenu, QPushButton, QWidget

from deepchat_desktop.ui import fonts, icons
from deepchat_desktop.ui.icons import IconName
from deepchat_desktop.ui.paint import painting, rr, text
from deepchat_desktop.ui.plain_tip import set_plain_tip
from deepchat_desktop.ui.theme import theme

ButtonKind = Literal["normal", "primary", "ghost", "split_left", "split_right"]

HEIGHT = 30
CHIP_HEIGHT = 28
MENU_RADIUS = 10


class Button(QPushButton):
    """A push button. ``split_left`` and ``split_right`` stand side by side and share a border."""

    radius = 6

    def __init__(
        self, label: str, kind: ButtonKind = "normal", icon: IconName | None = None, parent: QWidget | None = None
    ) -> None:
        super().__init__(label, parent)
        self.kind = kind
        self._glyph = icon
        self.setAccessibleName(label)
        self.setAutoDefault(True)  # Return presses the focused button, as Space does
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def set_label(self, label: str) -> None:
        """Change the words."""
        self.setText(label)
        self.setAccessibleName(label)
        self.updateGeometry()

    def set_kind(self, kind: ButtonKind) -> None:
        """Change the emphasis."""
        self.kind = kind
        self.update()

    def sizeHint(self) -> QSize:
        words = fonts.text_width(self.text(), fonts.CONTROL, fonts.MEDIUM) if self.text() else 0
        pad = 18 if self.kind == "ghost" else 26
        if self.kind == "split_right" and not self.text():
            pad = 10
        glyph = (16 + (6 if self.text() else 0)) if self._glyph else 0
        return QSize(round(words + 0.5) + pad + glyph, max(HEIGHT, fonts.line_height(fonts.CONTROL) + 8))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        fill, line, ink = self._colours()
        box = QRectF(self.rect())
        shape = QRectF(box)
        if self.kind == "split_left":
            shape.setRight(shape.right() + 2 * self.radius)
        elif self.kind == "split_right":
            shape.setLeft(shape.left() - 2 * self.radius)
        with painting(self) as p:
            if fill is not None or line is not None:
                rr(p, shape, self.radius, fill, line)
            if self.kind == "split_right" and line is not None:
                p.fillRect(QRectF(0, 0, 1, box.height()), line)
            self._paint_label(p, box, ink)

    def _paint_label(self, p: QPainter, box: QRectF, ink: QColor) -> None:
        words = fonts.text_width(self.text(), fonts.CONTROL, fonts.MEDIUM) if self.text() else 0
        glyph = (16 + (6 if self.text() else 0)) if self._glyph else 0
        left = box.center().x() - (words + glyph) / 2
        if self._glyph:
            px = 12 if self._glyph.startswith("caret") else 16
            icons.draw(p, QRectF(left, 0, 16, box.height()), self._glyph, ink, px)
        if self.text():
            area = QRectF(left + glyph, 0, min(words + 1, box.width() - glyph), box.height())
            text(p, area, self.text(), fonts.CONTROL, fonts.MEDIUM, ink)

    def _colours(self) -> tuple[QColor | None, QColor | None, QColor]:
        """Return fill, border and ink of the state it is in."""
        t = theme
        hover, down, on = self.underMouse(), self.isDown(), self.isEnabled()
        match self.kind:
            case "primary":
                if not on:
                    return t.pressed, t.pressed, t.faint
                fill = t.accent_pressed if down else t.accent_hover if hover else t.accent
                return fill, fill, t.on_accent
            case "ghost":
                if not on:
                    return None, None, t.faint
                return (t.pressed if down else t.hover if hover else None), None, t.text if hover else t.muted
            case "normal" | "split_left" | "split_right":
                if not on:
                    return t.raised, t.line, t.faint
                return (t.pressed if down else t.hover2 if hover else t.raised), t.line2, t.text


class IconButton(QAbstractButton):
    """A square button with an icon; ``name`` is its tool tip and its accessible name."""

    def __init__(
        self, icon: IconName, name: str, size: int = 28, px: int = 18, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.radius = 6
        self._glyph: IconName = icon
        self._px = px
        self._filled = False
        self.setFixedSize(size, size)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.set_name(name)

    def set_name(self, name: str) -> None:
        """Change tool tip and accessible name."""
        self.setAccessibleName(name)
        set_plain_tip(self, name)

    def set_icon(self, icon: IconName) -> None:
        """Change the icon."""
        self._glyph = icon
        self.update()

    def set_filled(self, filled: bool) -> None:
        """Make it the round accent button of the composer."""
        self._filled = filled
        self.radius = self.width() // 2 if filled else 6
        self.update()

    def sizeHint(self) -> QSize:
        return self.minimumSize()

    def enterEvent(self, event: QEnterEvent) -> None:
        self.update()
        super().enterEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        fill, ink = self._filled_colours() if self._filled else self._plain_colours()
        with painting(self) as p:
            if fill is not None:
                rr(p, self.rect(), self.radius, fill)
            icons.draw(p, QRectF(self.rect()), self._glyph, ink, self._px)

    def _filled_colours(self) -> tuple[QColor | None, QColor]:
        if not self.isEnabled():
            return theme.hover, theme.faint
        over = theme.accent_hover if self.underMouse() else theme.accent
        return theme.accent_pressed if self.isDown() else over, theme.on_accent

    def _plain_colours(self) -> tuple[QColor | None, QColor]:
        if not self.isEnabled():
            return None, theme.faint
        lit = self.underMouse() or self.isChecked()
        fill = theme.pressed if self.isDown() else hover_fill() if lit else None
        return fill, theme.text if self.isChecked() else theme.muted


class Chip(QAbstractButton):
    """A flat button in a bar: icon, words and, where it opens something, a caret."""

    radius = 6

    def __init__(
        self, label: str, icon: IconName | None = None, *, caret: bool = True, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._glyph = icon
        self._caret = caret
        self._compact = False
        self._limit = 240
        self.setFixedHeight(CHIP_HEIGHT)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.set_label(label)
        theme.changed.connect(self._fit)

    def set_label(self, label: str, *, name: str | None = None) -> None:
        """Change the words; ``name`` is the accessible name where the words alone say too little."""
        self.setText(label)
        self.setAccessibleName(name or label)
        self._show_tip(name or "")
        self._fit()

    def set_compact(self, compact: bool) -> None:
        """Show the icon only (narrow windows)."""
        self._compact = compact and self._glyph is not None
        self._show_tip("")
        self._fit()

    def _show_tip(self, name: str) -> None:
        set_plain_tip(self, self.accessibleName() if self._compact else name)

    def set_limit(self, px: int) -> None:
        """Elide the words beyond this width."""
        self._limit = px
        self._fit()

    def sizeHint(self) -> QSize:
        return self.minimumSize()

    def _words_width(self) -> float:
        shown = "" if self._compact else self.text()
        return min(float(self._limit), fonts.text_width(shown, fonts.CONTROL)) if shown else 0.0

    def _fit(self) -> None:
        words = self._words_width()
        glyph = (20 if words else 16) if self._glyph else 0
        self.setFixedWidth(round(8 + glyph + words + (15 if self._caret else 0) + 8))
        self.update()

    def enterEvent(self, event: QEnterEvent) -> None:
        self.update()
        super().enterEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        lit = self.isEnabled() and (self.underMouse() or self.isDown())
        ink = theme.faint if not self.isEnabled() else theme.text if lit else theme.muted
        box = QRectF(self.rect())
        with painting(self) as p:
            if lit:
                rr(p, box, self.radius, theme.pressed if self.isDown() else hover_fill())
            x = 8.0
            if self._glyph:
                icons.draw(p, QRectF(x, 0, 16, box.height()), self._glyph, ink, 16)
                x += 20 if not self._compact else 16
            words = self._words_width()
            if words:
                x += text(p, QRectF(x, 0, words + 1, box.height()), self.text(), fonts.CONTROL, colour=ink)
            if self._caret:
                tone = theme.muted if lit else theme.faint
                icons.draw(p, QRectF(x + 4, 1, 11, box.height()), "caret-down", tone, 10)


def hover_fill() -> QColor:
    """Return the hover fill of flat controls: ``hover`` is invisible on raised ground in the dark."""
    return theme.hover2 if theme.dark else theme.hover


class Menu(QMenu):
    """A pop-up menu with round corners; open it with ``popup``, never ``exec``."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowFlags(
            Qt.WindowType.Popup | Qt.WindowType.FramelessWindowHint | Qt.WindowType.NoDropShadowWindowHint
        )
        # On X11 without a compositor what is translucent is black: there the corners are cut off instead.
        self._cut = QGuiApplication.platformName() == "xcb"
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground, not self._cut)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setFont(fonts.font(fonts.CONTROL))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._cut:
            shape = QPainterPath()
            shape.addRoundedRect(QRectF(self.rect()), MENU_RADIUS, MENU_RADIUS)
            self.setMask(QRegion(shape.toFillPolygon().toPolygon()))

    def popup_under(self, anchor: QWidget, *, right: bool = False) -> None:
        """Open below ``anchor``, flush with its left or right edge."""
        corner = anchor.rect().bottomRight() if right else anchor.rect().bottomLeft()
        at = anchor.mapToGlobal(corner)
        at.setY(at.y() + 4)
        if right:
            at.setX(at.x() - self.sizeHint().width())
        self.popup(at)


def menu_icon(name: IconName) -> QIcon:
    """Return an icon for a menu entry in the theme in use."""
    return icons.qicon(name, theme.muted, 16)


