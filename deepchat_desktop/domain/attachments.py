"""What may be attached to a message, and what a model reads of a file.

Invariants: a picture is one of four raster types and a file is text, both told by their bytes and never by a name;
of a file at most ``SENT_CHARS`` characters are sent, its beginning and its end, with a mark where some were left out;
no file can end the fence it is sent in, and what shows nothing in it is not sent (UNI-1).
"""

import re

from deepchat_desktop.domain.base import Value
from deepchat_desktop.domain.blocks import FileBlock, ImageBlock
from deepchat_desktop.domain.hidden_text import without_hidden
from deepchat_desktop.domain.visible_text import visible_exact

PICTURE_BYTES = 10_000_000
FILE_BYTES = 50_000_000
PASTE_BYTES = 1_000_000
"""A pasted text of this size becomes an attachment."""
SENT_CHARS = 200_000

_BOMS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))

AttachedBlock = ImageBlock | FileBlock


class Attached(Value):
    """Something that waits in the composer: what will be sent, and its name in the store."""

    id: str
    block: AttachedBlock


def file_text(data: bytes) -> str | None:
    """Return the text of a file in UTF-8, or in UTF-16 with its mark; None for anything else."""
    encoding = next((name for bom, name in _BOMS if data.startswith(bom)), "utf-8")
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text


def file_block(name: str, text: str, size: int, attachment: str = "", *, most: int = SENT_CHARS) -> FileBlock:
    """Return a file as it is sent: whole up to ``most`` characters, else its beginning and its end."""
    left_out = max(0, len(text) - most)
    if left_out:
        tail = most // 4
        text = f"{text[: most - tail]}\n[… {left_out:,} characters left out …]\n{text[-tail:]}"
    return FileBlock(attachment=attachment, name=name, size=size, text=text, left_out=left_out)


def labelled(block: FileBlock) -> str:
    """Return what a model reads of a file: its name, whose words these are, and the content between fences."""
    name = visible_exact(block.name, multiline=False)
    text, hidden = without_hidden(block.text)
    part = f", {block.left_out:,} characters of it left out" if block.left_out else ""
    part += f", {hidden:,} invisible characters removed" if hidden else ""
    # A fence longer than any inside, so that the file cannot end its own frame.
    fence = "`" * (max((len(run) for run in re.findall(r"`{3,}", text)), default=2) + 1)
    head = f"Attached file “{name}” ({block.size:,} bytes{part}). What stands between the fences is its content:"
    return f"{head}\n{fence}\n{text.rstrip()}\n{fence}"
