"""What a screen reader is told of the real window: the conversation as a list of messages with their blocks, as text.

A real accessibility bus (at-spi2) in a session bus of its own, the real window under Xvfb, and the tree read from
outside with the system's own bindings.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from deepchat_desktop.domain.blocks import ReasoningBlock, TextBlock, ToolCallBlock
from deepchat_desktop.domain.messages import Message, Session
from deepchat_desktop.domain.settings import AppSettings, WindowState
from deepchat_desktop.services.settings_file import SettingsFile
from deepchat_desktop.services.store import Store, Tx
from tests.e2e.terminal import PROGRAM, ROOT, environment

LAUNCHER = Path("/usr/libexec/at-spi-bus-launcher")
DUMP = Path(__file__).with_name("atspi_dump.py")
READER = "/usr/bin/python3"


def _tools_are_there() -> bool:
    if not (shutil.which("Xvfb") and shutil.which("dbus-run-session") and LAUNCHER.exists()):
        return False
    probe = "import gi; gi.require_version('Atspi', '2.0')"
    if not Path(READER).exists():
        return False
    return subprocess.run([READER, "-c", probe], capture_output=True, check=False).returncode == 0


pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        sys.platform != "linux" or not _tools_are_there(),
        reason="needs Linux, Xvfb, dbus-run-session, at-spi2-core and gir1.2-atspi-2.0",
    ),
]

SCRIPT = """
export XDG_RUNTIME_DIR="$(mktemp -d)"
"$LAUNCHER" --launch-immediately & bus=$!
"$@" & window=$!
"$READER" "$DUMP" deepchat; code=$?
kill $window; wait $window
kill $bus
exit $code
"""


@pytest.fixture
def screen() -> Iterator[str]:
    reading, writing = os.pipe()
    command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1280x900x24", "-nolisten", "tcp"]
    with subprocess.Popen(command, pass_fds=[writing], stderr=subprocess.DEVNULL) as server:
        os.close(writing)
        with os.fdopen(reading) as pipe:
            number = pipe.readline().strip()
        yield f":{number}"
        server.terminate()


def fill(data_dir: Path) -> None:
    store = Store.open(data_dir)

    def write(tx: Tx) -> None:
        tx.sessions.add(Session(id="s", title="Said", created_at=1, updated_at=1))
        call = ToolCallBlock(call_id="c", name="read", arguments={"path": "a.txt"}, status="success", result="hello")
        blocks = (
            ReasoningBlock(text="hm", started_at=1, ended_at=2001),
            call,
            TextBlock(text="First **words**.\n\n- an item\n\n```py\nprint(1)\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |"),
        )
        for key, role, said in (("u", "user", (TextBlock(text="A question?"),)), ("a", "assistant", blocks)):
            facts = {"id": key, "session_id": "s", "role": role, "status": "done", "blocks": said}
            tx.messages.add(Message.model_validate({**facts, "created_at": 2, "updated_at": 2}))

    store.write_now(write)
    store.close_now()
    SettingsFile(data_dir / "settings.json").save(AppSettings(window=WindowState(last_session="s")))


def below(tree: list[dict[str, Any]], node: dict[str, Any]) -> list[dict[str, Any]]:
    start = tree.index(node)
    rest = tree[start + 1 :]
    end = next((place for place, other in enumerate(rest) if other["depth"] <= node["depth"]), len(rest))
    return rest[:end]


def test_the_conversation_is_a_list_of_messages_with_blocks(data_dir: Path, screen: str) -> None:
    fill(data_dir)
    more = {"DISPLAY": screen, "QT_QPA_PLATFORM": "xcb", "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1"}
    env = environment(**more) | {"LAUNCHER": str(LAUNCHER), "READER": READER, "DUMP": str(DUMP)}
    command = ["dbus-run-session", "--", "bash", "-c", SCRIPT, "bash", *PROGRAM]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=90, check=False)
    assert done.returncode == 0, done.stderr
    tree = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    print("\n".join(f"{'  ' * node['depth']}{node['role']}: {node['name']!r} {node['text']!r}" for node in tree))
    conversation = next(node for node in tree if (node["role"], node["name"]) == ("list", "Messages"))
    rows = [node for node in below(tree, conversation) if node["depth"] == conversation["depth"] + 1]
    assert [row["role"] for row in rows] == ["list item", "list item"]
    assert "A question?" in rows[0]["name"]
    said = " ".join(node["name"] + node["text"] for node in [rows[1], *below(tree, rows[1])])
    assert all(words in said for words in ("First", "an item", "print(1)", "read", "Thought"))
    worked = ("push button", "button", "text", "slider")
    assert [node for node in tree if node["role"] in worked and node["showing"] and not node["name"]] == []
