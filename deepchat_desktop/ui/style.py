"""Qt's own widgets in our look: Fusion underneath, a full palette, and one style sheet for the application.

Invariant: no widget gets a style sheet of its own. A theme change is tokens, palette and one
``setStyleSheet``; everything that this sheet does not name paints itself.
"""

from PySide6.QtGui import QPainter, QPalette
from PySide6.QtWidgets import QApplication, QProxyStyle, QStyle, QStyleHintReturn, QStyleOption, QWidget

from deepchat_desktop.ui import fonts
from deepchat_desktop.ui.theme import css, theme

_HIDDEN = frozenset(
    {
        QStyle.PrimitiveElement.PE_FrameFocusRect,
        QStyle.PrimitiveElement.PE_Frame,
        QStyle.PrimitiveElement.PE_PanelScrollAreaCorner,
        QStyle.PrimitiveElement.PE_FrameStatusBarItem,
    }
)
_HINTS = {
    QStyle.StyleHint.SH_ScrollBar_LeftClickAbsolutePosition: 1,
    QStyle.StyleHint.SH_UnderlineShortcut: 0,
    QStyle.StyleHint.SH_LineEdit_PasswordCharacter: 0x2022,
    QStyle.StyleHint.SH_Menu_Scrollable: 1,
    QStyle.StyleHint.SH_EtchDisabledText: 0,
    QStyle.StyleHint.SH_Widget_Animation_Duration: 0,
}


class AppStyle(QProxyStyle):
    """Fusion without focus rectangles, frames, mnemonic lines, etched text and animations."""

    def __init__(self) -> None:
        super().__init__("Fusion")

    def drawPrimitive(
        self,
        element: QStyle.PrimitiveElement,
        option: QStyleOption,
        painter: QPainter,
        widget: QWidget | None = None,
    ) -> None:
        if element not in _HIDDEN:
            super().drawPrimitive(element, option, painter, widget)

    def styleHint(
        self,
        hint: QStyle.StyleHint,
        option: QStyleOption | None = None,
        widget: QWidget | None = None,
        returnData: QStyleHintReturn | None = None,
    ) -> int:
        fixed = _HINTS.get(hint)
        return super().styleHint(hint, option, widget, returnData) if fixed is None else fixed


def palette() -> QPalette:
    """Return the application palette of the theme in use."""
    role = QPalette.ColorRole
    made = QPalette()
    for target, colour in (
        (role.Window, theme.window),
        (role.Base, theme.surface),
        (role.AlternateBase, theme.window),
        (role.Button, theme.raised),
        (role.ToolTipBase, theme.raised),
        (role.WindowText, theme.text),
        (role.Text, theme.text),
        (role.ButtonText, theme.text),
        (role.ToolTipText, theme.text),
        (role.PlaceholderText, theme.subtle),
        (role.Highlight, theme.accent),
        (role.HighlightedText, theme.on_accent),
        (role.Link, theme.accent_text),
        (role.LinkVisited, theme.accent_text),
        (role.Light, theme.raised),
        (role.Midlight, theme.line),
        (role.Mid, theme.line2),
        (role.Dark, theme.line2),
        (role.Shadow, theme.line),
        (role.Accent, theme.accent),
    ):
        made.setColor(target, colour)
    for target in (role.Text, role.WindowText, role.ButtonText):
        made.setColor(QPalette.ColorGroup.Disabled, target, theme.faint)
    return made


def qss() -> str:
    """Return the application's style sheet: labels' tones, fields, scroll bars, menus, tool tips."""
    return _tones() + _fields() + _scroll_bars() + _menus()


def _tones() -> str:
    tones = ("text", "muted", "subtle", "ok", "warn", "danger")
    named = [(tone, getattr(theme, tone)) for tone in tones] + [("accent", theme.accent_text)]
    return "".join(f'QLabel[tone="{name}"] {{ color:{css(colour)}; }}\n' for name, colour in named)


def _fields() -> str:
    t = theme
    return f"""
QLineEdit {{ background:{css(t.field)}; border:1px solid {css(t.line2)}; border-radius:6px; padding:0 8px;
  min-height:28px; color:{css(t.text)}; selection-background-color:{css(t.accent)};
  selection-color:{css(t.on_accent)}; placeholder-text-color:{css(t.subtle)}; }}
QLineEdit:hover {{ border-color:{css(t.faint)}; }}
QLineEdit:focus {{ border-color:{css(t.accent)}; }}
QLineEdit:disabled {{ color:{css(t.faint)}; border-color:{css(t.line)}; background:{css(t.window)}; }}
QLineEdit[wrong="true"] {{ border-color:{css(t.danger)}; }}
QLineEdit[kind="side"] {{ background:{css(t.hover)}; border-color:{css(t.clear)}; }}
QLineEdit[kind="side"]:focus {{ border-color:{css(t.accent)}; }}
QLineEdit[kind="bare"] {{ background:transparent; border:0; padding:0; }}
QLineEdit[kind="row"] {{ background:{css(t.field)}; border:1px solid {css(t.accent)}; padding:0 6px; min-height:24px; }}
QPlainTextEdit, QTextEdit {{ background:transparent; border:0; color:{css(t.text)};
  selection-background-color:{css(t.accent)}; selection-color:{css(t.on_accent)}; }}
"""


def _scroll_bars() -> str:
    t = theme
    return f"""
QAbstractScrollArea {{ background:transparent; border:0; }}
QHeaderView {{ background:transparent; border:0; }}
QHeaderView::section {{ background:{css(t.window)}; color:{css(t.muted)}; border:0; padding:4px 6px; }}
QScrollBar:vertical {{ background:transparent; width:10px; margin:0; border:0; }}
QScrollBar::handle:vertical {{ background:{css(t.scroll)}; border-radius:3px; min-height:32px; margin:2px 2px; }}
QScrollBar::handle:vertical:hover {{ background:{css(t.scroll_hover)}; }}
QScrollBar[idle="true"]::handle:vertical {{ background:transparent; }}
QScrollBar:horizontal {{ background:transparent; height:10px; margin:0; border:0; }}
QScrollBar::handle:horizontal {{ background:{css(t.scroll)}; border-radius:3px; min-width:32px; margin:2px 2px; }}
QScrollBar::handle:horizontal:hover {{ background:{css(t.scroll_hover)}; }}
QScrollBar::add-line, QScrollBar::sub-line {{ width:0; height:0; border:0; background:none; }}
QScrollBar::add-page, QScrollBar::sub-page {{ background:none; }}
"""


def _menus() -> str:
    t = theme
    return f"""
QToolTip {{ background:{css(t.raised)}; color:{css(t.text)}; border:1px solid {css(t.line)}; padding:4px 8px; }}
QMenu {{ background:{css(t.raised)}; border:1px solid {css(t.line2)}; border-radius:10px; padding:4px; }}
QMenu::item {{ padding:6px 12px; border-radius:6px; color:{css(t.text)}; }}
QMenu::item:selected {{ background:{css(t.hover2)}; }}
QMenu::item:disabled {{ color:{css(t.faint)}; }}
QMenu::separator {{ height:1px; background:{css(t.line)}; margin:4px 8px; }}
QMenu::icon {{ padding-left:8px; }}
"""


def install(app: QApplication) -> None:
    """Give the application our style and keep it in step with the theme; call once."""
    app.setStyle(AppStyle())
    theme.changed.connect(lambda: refresh(app))
    theme.follow_system()
    refresh(app)


def refresh(app: QApplication) -> None:
    """Apply palette, font and style sheet of the theme in use."""
    app.setPalette(palette())
    if app.font() != fonts.font(fonts.CONTROL):
        app.setFont(fonts.font(fonts.CONTROL))
    app.setStyleSheet(qss())
