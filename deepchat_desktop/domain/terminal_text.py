"""Foreign text on its way to a terminal: nothing in it may steer the terminal (UNI-3).

A whole escape sequence is dropped; of one that a stream cut in two only printable pieces are left, because every
control character is written out. So each piece can be treated alone.
"""

import re

from deepchat_desktop.domain.visible_text import visible_prose

_SEQUENCES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor moves, modes
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)"  # OSC and kin: clipboard, title, links
    r"|\x1b[ -/]*[0-OQ-WYZ\\`-~]"  # the two-character ones
)


def for_terminal(text: str) -> str:
    """Return text that only prints. Line ends and tabs stay."""
    return visible_prose(_SEQUENCES.sub("", text))
