"""Pictures: what is decoded where, how large it is kept, and what is not decoded at all."""

from __future__ import annotations

import base64
import gc

import pytest
from PySide6.QtCore import QBuffer, QIODevice
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from deepchat_desktop.ui.blocks import picture_decode
from deepchat_desktop.ui.blocks.picture_decode import Decoding, Encoded
from deepchat_desktop.ui.blocks.picture_shape import MAX_HEIGHT, PictureShape
from deepchat_desktop.ui.blocks.rendering import rendering


def png(width: int, height: int) -> str:
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(0xFF3366)
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")
    return base64.b64encode(bytes(buffer.data().data())).decode()


def test_a_small_picture_is_there_at_once(qapp: object) -> None:
    shape = PictureShape("image/png", png(300, 200))
    shape.fit(700)
    assert (shape.height, shape._image is not None) == (200, True)


def test_a_large_picture_has_its_place_before_it_is_decoded(qtbot: QtBot) -> None:
    shape = PictureShape("image/png", png(3_000, 1_500), "name")
    shape.fit(700)
    assert (shape.height, shape.words(), shape._image) == (350, "name", None)
    with qtbot.waitSignal(rendering.changed):
        pass
    shape.fit(700)
    assert shape.height == 350 <= MAX_HEIGHT
    assert shape._image is not None
    assert shape._image.width() == picture_decode.LARGEST_SIDE  # not the 18 MB of all its pixels


def test_a_large_damaged_picture_becomes_a_line(qtbot: QtBot) -> None:
    data = base64.b64decode(png(3_000, 1_500))
    shape = PictureShape("image/png", base64.b64encode(data[: len(data) // 2]).decode(), "name")
    with qtbot.waitSignal(rendering.changed):
        pass
    shape.fit(700)
    assert shape.words() in ("This picture cannot be shown", "name")  # what Qt can read of a half one may be shown


def test_nobody_is_kept_alive_by_a_decoding(qtbot: QtBot) -> None:
    taken: list[QImage] = []

    class Asker:
        def take(self, image: QImage) -> None:
            taken.append(image)

    asker, gone = Asker(), Asker()
    Decoding(Encoded("image/png", png(20, 10)), gone.take)
    del gone
    gc.collect()
    Decoding(Encoded("image/png", png(40, 10)), asker.take)
    qtbot.waitUntil(lambda: bool(taken))
    assert [image.width() for image in taken] == [40]


@pytest.mark.parametrize(
    ("media_type", "data"),
    [("image/svg+xml", png(2, 2)), ("image/webp", png(2, 2)), ("image/png", "not base 64"), ("image/png", "")],
)
def test_what_is_not_decoded(media_type: str, data: str, qapp: object) -> None:
    encoded = Encoded(media_type, data)
    assert (encoded.size, encoded.pixels(), encoded.decode()) == (None, 0, None)


def test_a_picture_with_too_many_pixels_is_not_decoded(qapp: object) -> None:
    head = base64.b64decode(png(2, 2))
    huge = head[:16] + (60_000).to_bytes(4, "big") + (60_000).to_bytes(4, "big") + head[24:]
    assert Encoded("image/png", base64.b64encode(huge).decode()).size is None
