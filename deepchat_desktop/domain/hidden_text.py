"""Characters that show nothing and can carry a message past the reader: taken out of foreign text, and counted (UNI-1).

Invariants: what a script or an emoji needs stays: joiners between letters that join, the tags of a flag, one variation
selector after a character; text without hidden characters comes back as the same object.
"""

import re

_FLAG = re.compile("\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{1,8}\U000e007f")
_SELECTOR = "[\ufe00-\ufe0f\U000e0100-\U000e01ef]"
_JOINING = (
    "\u0590-\u08ff\u0900-\u0dff\u1000-\u109f\u1780-\u18af\ufb1d-\ufdff\ufe70-\ufefc"
    "\u200d\ufe0f\u2190-\u2bff\U0001f000-\U0001faff"
)
"""Scripts whose letters join, and what emoji are made of."""
_HIDDEN = re.compile(
    f"(?P<flag>{_FLAG.pattern})"
    f"|{_SELECTOR}{{2,}}"
    "|[\U000e0000-\U000e007f]"
    f"|(?<![{_JOINING}])[\u200c\u200d]|[\u200c\u200d](?![{_JOINING}])"
    "|(?<![\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff])\u200b"
    "|[\u180e\u2060-\u2064\u206a-\u206f\ufeff\ufff9-\ufffb]"
)


def without_hidden(text: str) -> tuple[str, int]:
    """Return the text without hidden characters, and how many there were."""
    if text.isascii():
        return text, 0
    count = 0

    def take(found: re.Match[str]) -> str:
        nonlocal count
        if found["flag"]:
            return found[0]
        count += len(found[0])
        return ""

    cleaned = _HIDDEN.sub(take, text)
    return (cleaned, count) if count else (text, 0)
