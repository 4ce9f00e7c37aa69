"""Points at which a test lets the process die, to prove that what was acknowledged survives (REL-1).

``DEEPCHAT_FAIL_AT`` is ``name:moment`` or ``name:moment:n`` (moment ``before`` or ``after``, n counts from 1). It is
read once at import; unset, a point costs one comparison. Dying means no handlers, no flush: as after kill -9.
"""

import os

EXIT_CODE = 137

_NAME, _, _REST = os.environ.get("DEEPCHAT_FAIL_AT", "").partition(":")
_MOMENT, _, _COUNT = _REST.partition(":")
_left = int(_COUNT or 1)


def reach(name: str, moment: str) -> None:
    """End the process when ``name:moment`` is the point asked for and it is reached for the n-th time."""
    global _left  # noqa: PLW0603 - the count belongs to the process, as its death does
    if name != _NAME or moment != _MOMENT:
        return
    _left -= 1
    if _left == 0:
        os._exit(EXIT_CODE)
