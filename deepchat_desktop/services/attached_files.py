"""Reading what the user attaches: a chosen file, a pasted picture or text. Blocks, so it belongs on a thread.

Invariants: a file is read only because the user chose, dropped or named it, never past its limit and never what is no
plain file; what it is, is told by its bytes.
"""

import base64
import os
import stat
from pathlib import Path

from deepchat_desktop.domain.attachments import FILE_BYTES, PICTURE_BYTES, Attached, file_block, file_text
from deepchat_desktop.domain.blocks import ImageBlock
from deepchat_desktop.domain.errors import DeepChatError
from deepchat_desktop.domain.ids import new_id
from deepchat_desktop.domain.pictures import picture_type
from deepchat_desktop.domain.visible_text import visible_exact

Read = tuple[Attached, bytes]
"""What will be sent, and the bytes to keep."""


class AttachmentRefused(DeepChatError):
    """This cannot be attached. Codes: ``attachment_unreadable``, ``attachment_large``, ``attachment_binary``."""


def read_file(path: str) -> Read:
    """Return a picture or a text file. Raises ``AttachmentRefused``."""
    name = Path(path).name
    try:
        # Not blocking: a pipe without a writer would hold the thread for ever.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise _refused("attachment_unreadable", name, "cannot be read: it is no plain file.")
            data = file.read(FILE_BYTES + 1)
    except (OSError, ValueError) as error:
        raise _refused("attachment_unreadable", name, "cannot be read.") from error
    return read_picture(data, name) if picture_type(data) is not None else _text_file(data, name)


def read_picture(data: bytes, name: str) -> Read:
    """Return a picture from its bytes. Raises ``AttachmentRefused``."""
    kind = picture_type(data)
    if kind is None:
        raise _refused("attachment_binary", name, "is no picture that can be attached.")
    if len(data) > PICTURE_BYTES:
        raise _refused("attachment_large", name, "is larger than 10 MB.", limit=PICTURE_BYTES)
    block = ImageBlock(media_type=kind, data=base64.b64encode(data).decode("ascii"), name=name)
    return Attached(id=new_id(), block=block), data


def read_text(text: str, name: str) -> Read:
    """Return a text as a file. Raises ``AttachmentRefused``."""
    data = text.encode("utf-8", "surrogatepass")
    if len(data) > FILE_BYTES:
        raise _refused("attachment_large", name, "is larger than 50 MB.", limit=FILE_BYTES)
    key = new_id()
    return Attached(id=key, block=file_block(name, text, len(data), key)), data


def _text_file(data: bytes, name: str) -> Read:
    if len(data) > FILE_BYTES:
        raise _refused("attachment_large", name, "is larger than 50 MB.", limit=FILE_BYTES)
    text = file_text(data)
    if text is None:
        raise _refused("attachment_binary", name, "is neither text nor a PNG, JPEG, GIF or WebP picture.")
    return read_text(text, name)


def _refused(code: str, name: str, words: str, limit: int = 0) -> AttachmentRefused:
    shown = visible_exact(name, multiline=False)
    return AttachmentRefused(f"“{shown}” {words}", code=code, params={"name": shown, "limit": limit})
