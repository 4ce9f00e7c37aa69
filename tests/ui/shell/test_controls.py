"""The kit: names for assistive tools, the focus ring, sharp drawing, and icons that are all there."""

from typing import get_args

import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QImage, QPixmap
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from deepchat_desktop.resources import resource_path
from deepchat_desktop.ui import icons, motion
from deepchat_desktop.ui.controls import Button, Chip, IconButton
from deepchat_desktop.ui.controls_choice import Segmented, Select
from deepchat_desktop.ui.controls_shown import Box, Ring, SearchField, Spinner
from deepchat_desktop.ui.focus_ring import FocusRing
from deepchat_desktop.ui.icons import IconName, MissingIcon
from deepchat_desktop.ui.main_window import MainWindow
from deepchat_desktop.ui.paint import hline, painting, rr, shadow
from deepchat_desktop.ui.theme import theme
from tests.fakes.presenters import FakePresenters


def test_every_control_has_an_accessible_name(window: MainWindow, presenters: FakePresenters) -> None:
    presenters.settings.add("OpenAI", "https://api.openai.com/v1", ("a", "b"))
    presenters.start("a")
    window.open_settings(1)
    assert window.first_start is not None
    sheet = window.first_start.add_key()
    found = [
        widget
        for kind in (QAbstractButton, QLineEdit)
        for widget in (*window.findChildren(kind), *sheet.findChildren(kind))
    ]
    assert len(found) > 25
    nameless = [widget for widget in found if not widget.accessibleName() and not widget.text()]
    assert nameless == []
    sheet.reject()


@pytest.mark.parametrize("name", get_args(IconName))
def test_every_icon_has_its_file_and_draws_something(qapp: object, name: IconName) -> None:
    image = icons.pixmap(name, theme.text, 18, 2.0).toImage()
    assert (image.width(), image.height()) == (36, 36)
    assert any(image.pixelColor(x, y).alpha() > 0 for x in range(36) for y in range(36))


def test_every_icon_file_has_its_name() -> None:
    shipped = {path.stem for path in resource_path("icons").glob("*.svg")}
    assert set(get_args(IconName)) <= shipped


def test_a_missing_icon_is_an_error(qapp: object) -> None:
    with pytest.raises(MissingIcon, match="no-such-icon"):
        icons.pixmap("no-such-icon", theme.text, 16)  # type: ignore[arg-type]


@pytest.mark.parametrize("px", [11, 12, 16, 17, 18])
@pytest.mark.parametrize("dpr", [1.0, 1.25, 1.5, 2.0])
def test_an_icon_is_as_wide_as_asked(qapp: object, px: int, dpr: float) -> None:
    assert icons.pixmap("plus", theme.text, px, dpr).deviceIndependentSize().width() == pytest.approx(px)


def picture(dpr: float) -> QImage:
    image = QImage(round(100 * dpr), round(40 * dpr), QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(dpr)
    image.fill(theme.surface)
    return image


@pytest.mark.parametrize("dpr", [1.0, 1.25, 1.5, 1.75, 2.0])
def test_lines_are_sharp_at_every_scale(qapp: object, dpr: float) -> None:
    image = picture(dpr)
    with painting(image) as p:
        hline(p, 0, 20.3, 100)
    colours = {image.pixelColor(5, y).name() for y in range(image.height())}
    assert colours == {theme.surface.name(), theme.line.name()}


@pytest.mark.parametrize("dpr", [1.0, 1.25, 1.5, 1.75, 2.0])
def test_a_box_keeps_all_four_borders(qapp: object, dpr: float) -> None:
    image = picture(dpr)
    with painting(image) as p:
        rr(p, QRectF(0, 0, 100, 40), 6, None, theme.danger)
    wide, high = image.width(), image.height()
    for x, y in ((wide // 2, 0), (wide // 2, high - 1), (0, high // 2), (wide - 1, high // 2)):
        assert image.pixelColor(x, y).name() == theme.danger.name()


def test_a_painter_is_ended_by_an_exception(qapp: object) -> None:
    image = picture(1.0)
    with pytest.raises(ZeroDivisionError), painting(image):
        raise ZeroDivisionError
    with painting(image) as p:
        assert p.isActive()


def test_a_shadow_fades_outwards(qapp: object) -> None:
    image = QImage(200, 120, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    with painting(image) as p:
        shadow(p, QRectF(40, 30, 120, 60), 10, blur=12)
    alphas = [image.pixelColor(100, y).alpha() for y in (90, 95, 100, 104)]
    assert alphas == sorted(alphas, reverse=True)
    assert alphas[0] > alphas[-1] >= 0


@pytest.fixture
def keyed(qtbot: QtBot) -> tuple[QWidget, list[Button], FocusRing]:
    host = Box("surface")
    row = QHBoxLayout(host)
    row.setContentsMargins(20, 20, 20, 20)
    buttons = [Button("one"), Button("two")]
    for button in buttons:
        row.addWidget(button)
    ring = FocusRing(host)
    qtbot.addWidget(host)
    host.show()
    host.activateWindow()
    return host, buttons, ring


def test_the_ring_comes_with_the_keyboard_and_goes_with_the_mouse(
    qtbot: QtBot, keyed: tuple[QWidget, list[Button], FocusRing]
) -> None:
    host, buttons, ring = keyed
    assert not ring.isVisible()
    buttons[0].setFocus()
    assert not ring.isVisible()
    QTest.keyClick(host.windowHandle(), Qt.Key.Key_Tab)
    assert buttons[1].hasFocus()
    qtbot.waitUntil(ring.isVisible)
    assert ring.geometry() == buttons[1].geometry().adjusted(-3, -3, 3, 3)
    QTest.mouseClick(host.windowHandle(), Qt.MouseButton.LeftButton, pos=buttons[0].geometry().center())
    assert not ring.isVisible()


def test_the_ring_lets_go_of_a_widget_that_is_gone(
    qtbot: QtBot, keyed: tuple[QWidget, list[Button], FocusRing]
) -> None:
    host, buttons, ring = keyed
    buttons[0].setFocus()
    QTest.keyClick(host.windowHandle(), Qt.Key.Key_Tab)
    qtbot.waitUntil(ring.isVisible)
    buttons[1].deleteLater()
    qtbot.waitUntil(lambda: not ring.isVisible() or ring.geometry() == buttons[0].geometry().adjusted(-3, -3, 3, 3))


def test_return_and_space_press_a_focused_button(keyed: tuple[QWidget, list[Button], FocusRing]) -> None:
    _host, buttons, _ring = keyed
    pressed: list[int] = []
    buttons[0].clicked.connect(lambda: pressed.append(1))
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Space):
        QTest.keyClick(buttons[0], key)
    assert pressed == [1, 1]


def test_a_chip_takes_the_room_of_its_words(qtbot: QtBot) -> None:
    chip = Chip("x", "folder-simple")
    qtbot.addWidget(chip)
    small = chip.width()
    chip.set_label("a much longer label")
    assert chip.width() > small
    chip.set_limit(40)
    assert chip.width() < small + 60
    chip.set_compact(True)
    assert chip.width() == 8 + 16 + 15 + 8
    assert chip.accessibleName() == "a much longer label"


def test_a_spinner_turns_only_on_the_screen(qtbot: QtBot) -> None:
    spinner = Spinner("Running")
    qtbot.addWidget(spinner)
    assert not spinner._beat.isActive()
    spinner.show()
    assert spinner._beat.isActive()
    spinner.hide()
    assert not spinner._beat.isActive()


def test_all_kinds_paint_in_all_states(qtbot: QtBot) -> None:
    host = QWidget()
    row = QHBoxLayout(host)
    widgets: list[QWidget] = [Ring("Context"), SearchField("Search"), IconButton("plus", "Add")]
    widgets += [Button("Word", kind) for kind in ("normal", "primary", "ghost", "split_left", "split_right")]
    widgets += [Button("", "split_right", "caret-down"), Button("With icon", icon="key")]
    widgets += [Segmented("Theme", (("a", "A"), ("b", "B"))), Select("Provider", (("a", "A"), ("b", "B")))]
    filled = IconButton("arrow-up", "Send", 32)
    filled.set_filled(True)
    for widget in (*widgets, filled):
        row.addWidget(widget)
    qtbot.addWidget(host)
    host.show()
    grabs = [host.grab()]
    host.setEnabled(False)
    grabs.append(host.grab())
    host.setEnabled(True)
    theme.use("dark")
    grabs.append(host.grab())
    assert len({bytes(png(grab)) for grab in grabs}) == 3


def png(pixmap: QPixmap) -> bytes:
    image = pixmap.toImage()
    return bytes(image.constBits())


def test_a_segment_tells_what_was_chosen(qtbot: QtBot) -> None:
    control = Segmented("Theme", (("a", "A"), ("b", "B")))
    qtbot.addWidget(control)
    chosen: list[str] = []
    control.chosen.connect(chosen.append)
    control.set_value("a")
    assert (control.value(), chosen) == ("a", [])
    QTest.mouseClick(control._buttons["b"], Qt.MouseButton.LeftButton)
    assert (control.value(), chosen) == ("b", ["b"])


def test_an_unknown_token_is_an_error(qapp: object) -> None:
    with pytest.raises(ValueError, match="nosuch"):
        Box("nosuch")


def test_tab_leads_to_the_choice_that_is_set(qtbot: QtBot) -> None:
    control = Segmented("Theme", (("a", "A"), ("b", "B"), ("c", "C")))
    qtbot.addWidget(control)
    control.set_value("b")
    control.show()
    takes = {value for value, button in control._buttons.items() if button.focusPolicy() & Qt.FocusPolicy.TabFocus}
    assert takes == {"b"}
    chosen: list[str] = []
    control.chosen.connect(chosen.append)
    control.activateWindow()
    control._buttons["b"].setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.waitUntil(control._buttons["b"].hasFocus)
    QTest.keyClick(control._buttons["b"], Qt.Key.Key_Right)
    assert chosen == ["c"]


def test_marks_stand_still_where_less_motion_is_wanted(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    class Hints:
        wish = "ReducedMotion"

        def accessibility(self) -> "Hints":
            return self

        def motionPreference(self) -> object:
            return type("Wish", (), {"name": self.wish})()

    hints = Hints()
    monkeypatch.setattr(motion.QGuiApplication, "styleHints", lambda: hints)
    shown = Spinner("Running")
    qtbot.addWidget(shown)
    shown.show()
    assert not shown._beat.isActive()
    shown.hide()
    hints.wish = "NoPreference"
    shown.show()
    assert shown._beat.isActive()
