"""Files given with ``--attach``: pictures go along as pictures, text files as files with their name.

Both are known by their bytes, never by their name. Other kinds come later and are refused.
"""

import base64
from collections.abc import Iterable
from pathlib import Path

from deepchat_desktop.cli.parser import LATER, UsageError
from deepchat_desktop.domain.attachments import AttachedBlock, file_block, file_text
from deepchat_desktop.domain.blocks import ImageBlock
from deepchat_desktop.domain.pictures import picture_type

MAX_TEXT_BYTES = 1_000_000
MAX_IMAGE_BYTES = 20_000_000


def attach(files: Iterable[str]) -> tuple[AttachedBlock, ...]:
    """Return what goes along with the question. Raises ``UsageError`` for a file that cannot."""
    return tuple(_block(Path(name)) for name in files)


def _block(path: Path) -> AttachedBlock:
    data = _read(path)
    if (kind := picture_type(data)) is not None:
        return ImageBlock(media_type=kind, data=base64.b64encode(data).decode("ascii"), name=path.name)
    text = file_text(data)
    if text is None:
        raise UsageError(f"Cannot attach {path}: only pictures (PNG, JPEG, GIF, WebP) and text; other files {LATER}")
    if len(data) > MAX_TEXT_BYTES:
        raise UsageError(f"Cannot attach {path}: a text file may have at most {MAX_TEXT_BYTES // 1_000_000} MB.")
    return file_block(path.name, text, len(data), most=MAX_TEXT_BYTES)


def _read(path: Path) -> bytes:
    try:
        if not path.is_file():
            raise UsageError(f"Cannot attach {path}: there is no such file.")
        if path.stat().st_size > MAX_IMAGE_BYTES:
            raise UsageError(f"Cannot attach {path}: it is larger than {MAX_IMAGE_BYTES // 1_000_000} MB.")
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"Cannot attach {path}: {error.strerror or error}.") from error
