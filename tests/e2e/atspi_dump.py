"""Prints the accessible tree of one program as JSON lines. Run with the system's Python.

    python3 atspi_dump.py PART_OF_THE_PROGRAM_S_NAME

Each line has depth, role, name, text, and whether it shows.
"""


import json
import sys
import time

import gi  # type: ignore[import-not-found]

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi  # type: ignore[import-not-found]  # noqa: E402

LIMIT_S, DEEPEST, CHILDREN = 20, 12, 200


def program(part: str):  # type: ignore[no-untyped-def]
    end = time.monotonic() + LIMIT_S
    while time.monotonic() < end:
        desktop = Atspi.get_desktop(0)
        for place in range(desktop.get_child_count()):
            found = desktop.get_child_at_index(place)
            if found is not None and part in (found.get_name() or "").lower() and found.get_child_count():
                return found
        time.sleep(0.2)
    raise SystemExit(f"no program called {part!r} on the accessibility bus")


def show(node, depth: int) -> None:  # type: ignore[no-untyped-def]
    text = node.get_text_iface()
    words = Atspi.Text.get_text(text, 0, min(400, Atspi.Text.get_character_count(text))) if text is not None else ""
    showing = node.get_state_set().contains(Atspi.StateType.SHOWING)
    line = {"depth": depth, "role": node.get_role_name(), "name": node.get_name(), "text": words, "showing": showing}
    print(json.dumps(line, ensure_ascii=False))
    if depth < DEEPEST:
        for place in range(min(node.get_child_count(), CHILDREN)):
            child = node.get_child_at_index(place)
            if child is not None:
                show(child, depth + 1)


show(program(sys.argv[1]), 0)
