"""Files given with ``--attach``: pictures go along as pictures, text goes into the question between fences.

A picture is known by its first bytes, never by its name. Other kinds come later and are refused.
"""

import base64
import re
from collections.abc import Iterable
from pathlib import Path

from deepchat_desktop.cli.parser import LATER, UsageError
from deepchat_desktop.domain.blocks import ImageBlock
from deepchat_desktop.domain.pictures import picture_type

MAX_TEXT_BYTES = 1_000_000
MAX_IMAGE_BYTES = 20_000_000


def attach(text: str, files: Iterable[str]) -> tuple[str, tuple[ImageBlock, ...]]:
    """Return the question with the text files added, and the pictures. Raises ``UsageError`` for any other file."""
    parts, images = [text] if text else [], []
    for name in files:
        data = _read(Path(name))
        kind = picture_type(data)
        if kind is not None:
            images.append(_image(name, kind, data))
        else:
            parts.append(_fenced(name, data))
    return "\n\n".join(parts), tuple(images)


def _read(path: Path) -> bytes:
    try:
        if not path.is_file():
            raise UsageError(f"Cannot attach {path}: there is no such file.")
        if path.stat().st_size > MAX_IMAGE_BYTES:
            raise UsageError(f"Cannot attach {path}: it is larger than {MAX_IMAGE_BYTES // 1_000_000} MB.")
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"Cannot attach {path}: {error.strerror or error}.") from error


def _image(name: str, kind: str, data: bytes) -> ImageBlock:
    return ImageBlock(media_type=kind, data=base64.b64encode(data).decode("ascii"), name=Path(name).name)


def _fenced(name: str, data: bytes) -> str:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise UsageError(f"Cannot attach {name}: only pictures (PNG, JPEG, GIF, WebP) and text; other files {LATER}")
    if len(data) > MAX_TEXT_BYTES:
        raise UsageError(f"Cannot attach {name}: a text file may have at most {MAX_TEXT_BYTES // 1_000_000} MB.")
    # A fence longer than any inside, so that the file cannot end its own frame.
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"Attached file {Path(name).name}:\n{fence}\n{text.rstrip()}\n{fence}"
