"""The token table: contrast of every pair in use, and that nothing else in the program names a colour."""

import re
from pathlib import Path

import pytest
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QFileDialog, QHeaderView
from pytestqt.qtbot import QtBot

import deepchat_desktop
from deepchat_desktop.ui import style
from deepchat_desktop.ui.theme import Theme, Token, theme

ROOT = Path(deepchat_desktop.__file__).parent
TEXT = [
    ("text", "window"), ("text", "surface"), ("text", "raised"), ("text", "selected"), ("text", "hit"),
    ("text", "bubble"), ("text", "icode"), ("on_hit", "hit_now"), ("muted", "surface"), ("muted", "selected"),
    ("muted", "hover"), ("muted", "hover2"), ("muted", "danger_soft"), ("muted", "ok_soft"), ("subtle", "window"),
    ("subtle", "surface"), ("subtle", "raised"), ("subtle", "code"), ("accent_text", "surface"),
    ("accent_text", "window"), ("accent_text", "selected"), ("on_accent", "accent"), ("on_accent", "accent_hover"),
    ("ok", "surface"), ("ok", "ok_soft"), ("warn", "surface"), ("warn", "warn_soft"), ("danger", "surface"),
    ("danger", "danger_soft"), ("danger", "raised"), ("text", "warn_soft"), ("text", "danger_soft"),
    *[(f"syn_{kind}", ground) for kind in ("keyword", "string", "number", "comment", "function", "operator")
      for ground in ("code", "add", "dele")],
]  # fmt: skip
MARKS = [
    ("off", "surface"), ("off", "raised"), ("accent", "window"), ("accent", "raised"), ("mapuser", "surface"),
    ("mapbot", "surface"),
    *[(f"budget_{part}", "surface") for part in ("system", "tools", "summary", "history", "message", "output")],
]  # fmt: skip


def luminance(colour: QColor) -> float:
    def channel(value: float) -> float:
        return value / 12.92 if value <= 0.03928 else ((value + 0.055) / 1.055) ** 2.4

    red, green, blue = channel(colour.redF()), channel(colour.greenF()), channel(colour.blueF())
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(a: QColor, b: QColor) -> float:
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("name", ["light", "dark"])
def test_contrast(name: str) -> None:
    theme.use(name)  # type: ignore[arg-type]
    wanted = [(*pair, 4.45) for pair in TEXT] + [(*pair, 3.0) for pair in MARKS]
    poor = [
        (a, b, round(contrast(getattr(theme, a), getattr(theme, b)), 2))
        for a, b, least in wanted
        if contrast(getattr(theme, a), getattr(theme, b)) < least
    ]
    assert poor == []


def test_a_colour_may_be_changed_by_its_reader() -> None:
    colour = theme.accent
    colour.setAlpha(10)
    assert theme.accent.alpha() == 255


def test_use_tells_once_for_each_real_change(qapp: object) -> None:
    told: list[str] = []

    def note() -> None:
        told.append(theme.name)

    theme.changed.connect(note)
    for choice in ("dark", "dark", "light", "system", "light"):
        theme.use(choice)  # type: ignore[arg-type]
    theme.changed.disconnect(note)
    assert told == ["dark", "light"]


def test_the_style_sheet_and_the_palette_follow(qapp: object) -> None:
    theme.use("dark")
    dark_sheet, dark_window = style.qss(), style.palette().window().color()
    theme.use("light")
    assert dark_sheet != style.qss()
    assert dark_window.name() != style.palette().window().color().name()


COLOUR = re.compile(
    r"""["'][^"'\n]*\#[0-9A-Fa-f]{3}(?:[0-9A-Fa-f]{3})?(?:[0-9A-Fa-f]{2})?\b(?![^"'\n]*\ )"""
    r"""|QColor\(\s*["'\d]"""
    r"""|Qt\.(?:GlobalColor\.)?(?!transparent)(?:black|white|red|green|blue|gray|darkGray|lightGray|yellow)\b"""
    r"""|rgba?\(\s*\d""",
)


def sources() -> list[Path]:
    return [path for path in (ROOT / "ui").rglob("*.py") if path.name != "theme.py"]


def test_nothing_else_names_a_colour() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in sources()
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if COLOUR.search(line)
    ]
    assert found == []


@pytest.mark.parametrize(
    "line", ['x = "#FFF"', "QColor(1, 2, 3)", 'QColor("red")', "Qt.GlobalColor.black", "rgba(0,0,0,1)", '"#1D1E20AA"']
)
def test_the_search_for_colours_finds_them(line: str) -> None:
    assert COLOUR.search(line)


def test_no_widget_has_a_style_sheet_of_its_own() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in sources()
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if "setStyleSheet(" in line and path.name != "style.py"
    ]
    assert found == []


def test_every_token_is_known_in_both_themes() -> None:
    tokens = [name for name, value in vars(Theme).items() if isinstance(value, Token)]
    assert len(tokens) > 50
    for name in tokens:
        assert getattr(theme, name).isValid()


def test_the_table_of_the_plain_file_dialog_has_a_head(qtbot: QtBot) -> None:
    dialog = QFileDialog()
    dialog.setOption(QFileDialog.Option.DontUseNativeDialog)
    dialog.setViewMode(QFileDialog.ViewMode.Detail)
    qtbot.addWidget(dialog)
    dialog.show()
    (head,) = (view for view in dialog.findChildren(QHeaderView) if view.isVisible())
    assert head.grab().toImage().pixelColor(head.width() - 2, 2).name() == theme.window.name()
