"""The one table of colours, in light and dark, and the choice between them.

Nothing else in the program names a colour (a test reads the sources). Text keeps 4.5:1 on its ground, marks
3:1: ``faint`` is for marks and disabled text only, small text is ``subtle``, links are ``accent_text``.
"""

from typing import Literal

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication

ThemeChoice = Literal["system", "light", "dark"]
ThemeName = Literal["light", "dark"]


def _parse(text: str) -> QColor:
    """Read ``#RRGGBB`` or ``#RRGGBBAA``."""
    red, green, blue = (int(text[i : i + 2], 16) for i in (1, 3, 5))
    return QColor(red, green, blue, int(text[7:9], 16) if len(text) == 9 else 255)


class Token:
    """A colour of the theme in use; reading it gives a fresh ``QColor`` that the caller may change."""

    def __init__(self, light: str, dark: str) -> None:
        self._colours = {"light": _parse(light), "dark": _parse(dark)}

    def __get__(self, theme: "Theme", owner: type) -> QColor:
        return QColor(self._colours[theme.name])


class Theme(QObject):
    """The theme in use. ``changed`` comes after colours or text size changed; painted widgets then update."""

    changed = Signal()

    window = Token("#F7F7F5", "#17181A")
    surface = Token("#FFFFFF", "#1E1F22")
    raised = Token("#FFFFFF", "#26272B")
    text = Token("#1D1E20", "#ECEDEE")
    muted = Token("#5F6368", "#A5A9AF")
    subtle = Token("#6B7076", "#8F949B")
    faint = Token("#9AA0A6", "#6E7379")
    line = Token("#E4E4E1", "#2E3035")
    line2 = Token("#D2D2CE", "#3D4046")
    hover = Token("#EFEFEC", "#2A2C30")
    hover2 = Token("#F2F2EF", "#313338")
    pressed = Token("#E6E6E2", "#3A3C42")
    selected = Token("#E6EEFF", "#24344F")
    field = Token("#FFFFFF", "#17181A")

    accent = Token("#2F6FEB", "#6EA0FF")
    accent_hover = Token("#2560D6", "#86B0FF")
    accent_pressed = Token("#2459C7", "#6EA0FF")
    accent_text = Token("#2459C7", "#8CB4FF")
    on_accent = Token("#FFFFFF", "#0E1420")

    ok = Token("#1A7F4B", "#4CC38A")
    warn = Token("#9A6700", "#E2B340")
    danger = Token("#C4322B", "#FF6B63")
    ok_soft = Token("#EBF7F0", "#1B2E25")
    warn_soft = Token("#FFF7E0", "#332A14")
    danger_soft = Token("#FDECEA", "#3A2323")
    off = Token("#8C9095", "#7A7F86")

    bubble = Token("#F1F1EE", "#2A2C30")
    code = Token("#F7F7F5", "#18191C")
    code_head = Token("#F1F1EE", "#212226")
    icode = Token("#F0F0ED", "#2C2E33")
    add = Token("#E9F6EE", "#1B2D24")
    add_num = Token("#D5EDDF", "#213B2D")
    dele = Token("#FCEDEB", "#332224")
    dele_num = Token("#F8DAD6", "#43282A")
    hit = Token("#FFE7A3", "#554518")
    hit_now = Token("#FFC038", "#E2B340")
    on_hit = Token("#1D1E20", "#17181A")

    mapuser = Token("#5B8DEF", "#5C8DE6")
    mapbot = Token("#8F9398", "#6A6E74")
    map_view = Token("#2F6FEB1A", "#6EA0FF29")
    map_view_line = Token("#2F6FEB6E", "#6EA0FF6E")

    scroll = Token("#00000030", "#FFFFFF2E")
    scroll_hover = Token("#00000055", "#FFFFFF55")
    scrim = Token("#1415172E", "#00000080")
    shadow = Token("#0000001A", "#0000006E")
    clear = Token("#FFFFFF00", "#00000000")

    syn_keyword = Token("#8E3BB3", "#D09BF0")
    syn_string = Token("#177344", "#7FD4A6")
    syn_number = Token("#0B62A8", "#7CC0F5")
    syn_comment = Token("#666B71", "#8F949B")
    syn_function = Token("#1F5FCC", "#8CB4FF")
    syn_operator = Token("#5F6368", "#A5A9AF")

    budget_system = Token("#2F6FEB", "#6EA0FF")
    budget_tools = Token("#628DEA", "#3F69B3")
    budget_summary = Token("#8C7AE0", "#A394F0")
    budget_history = Token("#2F9A91", "#4FBDB2")
    budget_message = Token("#B97D1A", "#E2B340")
    budget_output = Token("#8C9095", "#7A7F86")

    def __init__(self) -> None:
        super().__init__()
        self.name: ThemeName = "light"
        self.choice: ThemeChoice = "light"

    @property
    def dark(self) -> bool:
        """Whether the dark column is in use."""
        return self.name == "dark"

    def use(self, choice: ThemeChoice) -> None:
        """Choose a theme; ``system`` follows the desktop from now on (light where it does not say)."""
        self.choice = choice
        self._take("dark" if choice == "dark" or (choice == "system" and _system_is_dark()) else "light")

    def follow_system(self) -> None:
        """Listen to the desktop's light or dark switch; call once, after the application exists."""
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._system_changed)

    def refresh(self) -> None:
        """Tell every view that measures changed (the text size)."""
        self.changed.emit()

    def _system_changed(self, _scheme: Qt.ColorScheme) -> None:
        if self.choice == "system":
            self.use("system")

    def _take(self, name: ThemeName) -> None:
        if name != self.name:
            self.name = name
            self.changed.emit()


def _system_is_dark() -> bool:
    return QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark


def css(colour: QColor) -> str:
    """Return a colour as a style sheet writes it."""
    return f"rgba({colour.red()},{colour.green()},{colour.blue()},{colour.alpha()})"


theme = Theme()
"""The process has one application palette, so it has one theme."""
