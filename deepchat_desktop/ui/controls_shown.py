"""The controls that only show or take text: labels, pills, ring, spinner, boxes, fields.

Foreign text may land in any of them, so every label is plain text.
"""

from typing import Literal

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QAbstractButton, QLabel, QLayout, QLineEdit, QSizePolicy, QWidget

from deepchat_desktop.ui import fonts, icons, motion
from deepchat_desktop.ui.composing import ComposingLine
from deepchat_desktop.ui.icons import IconName
from deepchat_desktop.ui.paint import arc, dot, painting, rr, spinner, text
from deepchat_desktop.ui.theme import Theme, Token, theme

Tone = Literal["text", "muted", "subtle", "accent", "ok", "warn", "danger"]
PillTone = Literal["ok", "warn", "danger", "plain"]


class Label(QLabel):
    """Plain text in one of the five sizes; its colour is a tone of the style sheet."""

    def __init__(
        self,
        words: str = "",
        size: int = fonts.CONTROL,
        weight: int = fonts.REGULAR,
        tone: Tone = "text",
        *,
        wrap: bool = False,
        mono: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._type = (size, weight, mono)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("tone", tone)
        self.setWordWrap(wrap)
        self.setText(words)
        self._take_font()
        theme.changed.connect(self._take_font)

    def set_tone(self, tone: Tone) -> None:
        """Change the colour."""
        self.setProperty("tone", tone)
        self.style().unpolish(self)
        self.style().polish(self)

    def _take_font(self) -> None:
        size, weight, mono = self._type
        self.setFont(fonts.font(size, weight, mono=mono))


class ShortLabel(Label):
    """A label of one line that ends in an ellipsis where it does not fit; the tool tip has it all."""

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        size, weight, mono = self._type
        ink = self.palette().color(self.foregroundRole())
        with painting(self) as p:
            text(p, QRectF(self.rect()), self.text(), size, weight, ink, mono=mono)


class Pill(QWidget):
    """A short state in a soft rounded ground: words and colour together."""

    def __init__(self, words: str = "", tone: PillTone = "ok", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._words, self._tone = words, tone
        self.set_state(words, tone)

    def set_state(self, words: str, tone: PillTone) -> None:
        """Change words and tone; without words it takes no room."""
        self._words, self._tone = words, tone
        self.setAccessibleName(words)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        words = fonts.text_width(self._words, fonts.META, fonts.MEDIUM)
        return QSize(round(words) + 16 if self._words else 0, 20)

    def paintEvent(self, event: QPaintEvent) -> None:
        ground, ink = {
            "ok": (theme.ok_soft, theme.ok),
            "warn": (theme.warn_soft, theme.warn),
            "danger": (theme.danger_soft, theme.danger),
            "plain": (theme.hover, theme.muted),
        }[self._tone]
        with painting(self) as p:
            rr(p, self.rect(), 10, ground)
            area = QRectF(8, 0, self.width() - 14, self.height())
            text(p, area, self._words, fonts.META, fonts.MEDIUM, ink)


class Ring(QAbstractButton):
    """A share of a whole as a ring that can be pressed; above 80 % it turns to the warning colour."""

    radius = 9

    def __init__(self, name: str, size: int = 18, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._share = 0.0
        self.setFixedSize(size, size)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleName(name)

    def set_share(self, share: float) -> None:
        """Show a share from 0 to 1."""
        self._share = min(1.0, max(0.0, share))
        self.update()

    def share(self) -> float:
        """Return the share shown."""
        return self._share

    def paintEvent(self, event: QPaintEvent) -> None:
        with painting(self) as p:
            box = QRectF(self.rect()).adjusted(1, 1, -1, -1)
            ink = theme.warn if self._share > 0.8 else theme.accent
            if self._share <= 0:
                ink = theme.line2
            arc(p, box, 0, 360 * self._share, width=2.2, colour=ink)


class Turning(QTimer):
    """The beat of all running marks of one view: ``degrees`` moves on while it is started."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.degrees = 0.0
        self.setInterval(50)
        self.timeout.connect(self._step)

    def run(self, on: bool) -> None:
        """Start or stop; a stopped beat costs nothing. With reduced motion the marks stand still."""
        if not on or motion.reduced():
            self.stop()
        elif not self.isActive():
            self.start()

    def _step(self) -> None:
        self.degrees = (self.degrees + 18) % 360


class Spinner(QWidget):
    """The running mark; it turns only while it is on the screen."""

    def __init__(self, name: str, size: int = 13, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFixedSize(size, size)
        self.setAccessibleName(name)
        self._beat = Turning(self)
        self._beat.timeout.connect(self.update)

    def showEvent(self, event: QShowEvent) -> None:
        self._beat.run(True)
        super().showEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        self._beat.run(False)
        super().hideEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        with painting(self) as p:
            spinner(p, QRectF(self.rect()), self._beat.degrees, 2.0 if self.width() > 12 else 1.8)


class Progress(QWidget):
    """A thin bar; a percent below 0 means that the whole is not known."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._percent = 0.0
        self.setFixedHeight(4)
        self.setAccessibleName(name)

    def set_percent(self, percent: float) -> None:
        """Show 0 to 100."""
        self._percent = min(100.0, percent)
        self.setAccessibleDescription(f"{max(0.0, self._percent):.0f} %")
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        with painting(self) as p:
            box = QRectF(self.rect())
            rr(p, box, 2, theme.line)
            if self._percent > 0:
                rr(p, QRectF(0, 0, max(4.0, box.width() * self._percent / 100), box.height()), 2, theme.accent)


class StatusDot(QWidget):
    """A small disc beside words that say the same."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tone: Literal["ok", "warn", "danger", "off"] = "off"
        self.setFixedSize(8, 8)

    def set_tone(self, tone: Literal["ok", "warn", "danger", "off"]) -> None:
        """Change the colour."""
        self._tone = tone
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        with painting(self) as p:
            dot(p, QPointF(4, 4), 3.5, getattr(theme, self._tone))


class Box(QWidget):
    """A ground with an optional border and round corners, named by theme tokens."""

    def __init__(
        self,
        fill: str | None = None,
        line: str | None = None,
        radius: float = 0,
        layout: QLayout | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        for token in (fill, line):
            if token is not None and not isinstance(vars(Theme).get(token), Token):
                raise ValueError(f"{token!r} is not a colour of the theme")
        self._fill, self._line, self._radius = fill, line, radius
        if layout is not None:
            self.setLayout(layout)

    def set_fill(self, fill: str) -> None:
        """Change the ground."""
        self._fill = fill
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        fill = getattr(theme, self._fill) if self._fill else None
        line = getattr(theme, self._line) if self._line else None
        with painting(self) as p:
            if self._radius or line is not None:
                rr(p, self.rect(), self._radius, fill, line)
            elif fill is not None:
                p.fillRect(self.rect(), fill)


class Glyph(QWidget):
    """An icon that is only shown; what it means stands in words beside it."""

    def __init__(self, icon: IconName, tone: str = "muted", px: int = 18, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icon: IconName = icon
        self._tone, self._px = tone, px
        self.setFixedSize(px + 2, px + 2)

    def set_icon(self, icon: IconName, tone: str) -> None:
        """Change icon and colour token."""
        self._icon, self._tone = icon, tone
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        with painting(self) as p:
            icons.draw(p, QRectF(self.rect()), self._icon, getattr(theme, self._tone), self._px)


class Line(QWidget):
    """A 1-px rule, horizontal or vertical."""

    def __init__(self, *, vertical: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        if vertical:
            self.setFixedWidth(1)
        else:
            self.setFixedHeight(1)

    def paintEvent(self, event: QPaintEvent) -> None:
        with painting(self) as p:
            p.fillRect(self.rect(), theme.line)


class Field(ComposingLine):
    """A one-line field; ``wrong`` gives it the error border (the words stand under it)."""

    def __init__(self, name: str, placeholder: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setPlaceholderText(placeholder)
        self._take_font()
        theme.changed.connect(self._take_font)

    def _take_font(self) -> None:
        self.setFont(fonts.font(fonts.CONTROL))

    def set_wrong(self, wrong: bool) -> None:
        """Mark or unmark the field."""
        self.setProperty("wrong", "true" if wrong else "false")
        self.style().unpolish(self)
        self.style().polish(self)


class SearchField(Field):
    """The filled search field of the side bar; Escape clears it, then ``left`` says that it is done."""

    left = Signal()

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, name, parent)
        self.setProperty("kind", "side")
        self._action = self.addAction(
            icons.qicon("magnifying-glass", theme.subtle), QLineEdit.ActionPosition.LeadingPosition
        )
        self._action.setText(name)
        self._action.setEnabled(False)
        theme.changed.connect(self._take_icon)
        self._take_icon()

    def _take_icon(self) -> None:
        self._action.setIcon(icons.qicon("magnifying-glass", theme.subtle))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            if self.text():
                self.clear()
            else:
                self.left.emit()
            return
        super().keyPressEvent(event)
