"""What `make run` does once the environment stands: starter model, then the window or, without a screen, an answer.

Invariants: without a screen nothing here or below imports Qt; a missing starter model never keeps the window shut.
"""

from __future__ import annotations

import os
import subprocess
import sys

APP = [sys.executable, "-m", "deepchat_desktop"]
QUESTION = "What is the capital of France?"
NO_SCREEN = f"""
There is no screen here (DISPLAY and WAYLAND_DISPLAY are not set), so no window opens.
The same app answers in the terminal: {QUESTION}
"""
HOW_TO_OPEN = """
To open the window run `make run` in a desktop session, or give it a screen: `ssh -X` to this machine, or
    xvfb-run make run
To ask something else here: make ask Q="your question"
"""


def has_screen() -> bool:
    """Return whether Qt would find a screen; macOS and Windows always have one."""
    if not sys.platform.startswith("linux"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def main() -> int:
    """Fetch, then open or ask; returns an exit code."""
    fetched = subprocess.call([*APP, "models", "pull", "--if-missing"])
    if has_screen():
        return subprocess.call(APP)
    if fetched != 0:
        return fetched
    print(NO_SCREEN, flush=True)
    answered = subprocess.call([*APP, "ask", QUESTION])
    print(HOW_TO_OPEN, flush=True)
    return answered


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
