"""Every way out of the program stands in one place: a table of sinks and the modules that may use each.

To add a sink, add a row. To use one elsewhere, do not: call the module in the row. A pattern is matched against the
dotted name of a call with imports resolved (`calls`) or of an import (`imports`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest

from tests.architecture.source import PACKAGE, Module, modules


@dataclass(frozen=True)
class Sink:
    """`only` names the modules (or folders, with a final slash) that may; `within` limits where the rule holds."""

    what: str
    calls: str = ""
    imports: str = ""
    only: tuple[str, ...] = ()
    within: str = ""


CHECKERS = ("self_test.py", "cli/doctor.py")
"""They load the parts of an installation once, to say whether they are there."""

SINKS = (
    Sink("open a link or file in another program", calls=r"(^|\.)QDesktopServices\.openUrl$|^webbrowser\.",
         only=("ui/open_external.py",)),
    Sink("start a process", calls=r"^subprocess\.(run|Popen|call|check_\w+)$|create_subprocess_(exec|shell)$"
         r"|^os\.(system|popen|fork|exec\w+|spawn\w+|posix_spawn\w*)$|^multiprocessing\.\w*Process|(^|\.)QProcess$",
         only=("workers/spawn.py",)),
    Sink("start a task", calls=r"(^|\.)(create_task|ensure_future)$",
         only=("services/runtime/tasks.py", "presenters/loop_host.py", "app.py")),
    Sink("build an HTTP client", calls=r"^httpx2?\.(AsyncClient|Client|stream|get|post|put|request)$"
         r"|^urllib\.request\.(?!getproxies$)|(^|\.)QNetworkAccessManager$", only=("services/http.py",)),
    Sink("touch the keychain", imports=r"^(keyring|secretstorage)\b", only=("services/keychain.py", *CHECKERS)),
    Sink("touch the database", imports=r"^(apsw|peewee|playhouse|sqlite3)\b", only=("services/store/", *CHECKERS)),
    Sink("write a file from a tool", calls=r"^open$|\.(write_text|write_bytes|unlink|rename|replace|mkdir|rmdir|touch)$"
         r"|^os\.(open|remove|unlink|rename|replace|mkdir|makedirs)$|^shutil\.", only=("services/tools/write.py",),
         within="services/tools/"),
    Sink("run a nested event loop", calls=r"\.(exec_?|processEvents)$|(^|\.)QEventLoop$|QMessageBox\.(question|"
         r"information|warning|critical|about)$|QFileDialog\.get\w+$|QInputDialog\.get\w+$|QColorDialog\.getColor$",
         within="ui/", only=("ui/message_list/drag_out.py",)),
    Sink("run a nested event loop", calls=r"\.(exec_?|processEvents)$", within="presenters/",),
    Sink("turn data into code", calls=r"^(eval|exec|compile|__import__)$|^(pickle|marshal|shelve)\."),
    Sink("keep settings outside our file", calls=r"(^|\.)QSettings$"),
    Sink("ask where user data lies", imports=r"^platformdirs\b", only=("boot.py",)),
)  # fmt: skip


def _allowed(sink: Sink, module: Module) -> bool:
    if not module.name.startswith(sink.within):
        return True
    return any(module.name == place or (place.endswith("/") and module.name.startswith(place)) for place in sink.only)


def uses(sink: Sink, module: Module) -> list[str]:
    """Return the places of `module` that use the sink."""
    found = []
    if sink.calls:
        found += [f"{module.name}:{c.lineno} {name}" for name, c in module.calls() if re.search(sink.calls, name)]
    if sink.imports:
        found += [f"{module.name}:{line} {name}" for name, line in module.imports() if re.search(sink.imports, name)]
    return found


@pytest.mark.parametrize("sink", SINKS, ids=lambda sink: sink.what.replace(" ", "-"))
def test_sink_stands_in_one_place(sink: Sink) -> None:
    assert not [place for module in modules() if not _allowed(sink, module) for place in uses(sink, module)]


def test_the_reader_sees_through_imports_and_aliases() -> None:
    import ast

    text = "from subprocess import run as go\nimport asyncio as a\ngo([])\na.create_subprocess_exec()\nx().exec()\n"
    module = Module("ui/x.py", text, ast.parse(text))
    assert [len(uses(sink, module)) for sink in SINKS if sink.what == "start a process"] == [2]
    assert {len(uses(sink, module)) for sink in SINKS if sink.what == "run a nested event loop"} == {1}


def test_qt_widgets_stay_in_ui() -> None:
    outside = [
        f"{module.name}:{line}"
        for module in modules()
        if not module.name.startswith("ui/") and module.name != "app.py"
        for name, line in module.imports()
        if name.startswith("PySide6.QtWidgets")
    ]
    assert not outside
    assert (PACKAGE / "domain").is_dir()
