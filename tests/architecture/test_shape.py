"""The shape of the source: sizes, names, no leftovers, layers, and every visible string through `tr`."""

from __future__ import annotations

import ast
import re
import subprocess
import sys

from tests.architecture.source import PACKAGE, ROOT, Module, modules

FILE_LINES = 400
FUNCTION_LINES = 40
BANNED_WORDS = {"util", "utils", "helper", "helpers", "common", "misc", "manager", "managers"}
PRODUCT = "DeepChat Desktop"
"""A name is the same in every language."""
LEFTOVERS = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|HA" r"CK|Not" r"ImplementedError)\b")

# What a person reads when a literal is given to it. Names of icons, object names and keys are not among them.
SHOWS_TEXT = {
    "setText", "setToolTip", "setStatusTip", "setWhatsThis", "setPlaceholderText", "setWindowTitle", "setTitle",
    "setAccessibleName", "setAccessibleDescription", "setLabelText", "setInformativeText", "addTab", "addAction",
    "addMenu", "addRow", "QLabel", "QPushButton", "QToolButton", "QAction", "QCheckBox", "QRadioButton", "QGroupBox",
    "QMenu", "showMessage",
}  # fmt: skip


def test_files_fit_on_a_few_screens() -> None:
    long = {module.name: module.text.count("\n") for module in modules() if module.text.count("\n") > FILE_LINES}
    assert not long


def _lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Return the lines of a function without its docstring, which should cost nothing."""
    first = function.body[0]
    described = ast.get_docstring(function, clean=False) is not None
    words = (first.end_lineno or 0) - first.lineno + 1 if described else 0
    return (function.end_lineno or 0) - function.lineno + 1 - words


def test_functions_fit_on_one_screen() -> None:
    long = [
        f"{module.name}:{function.lineno} {function.name}: {_lines(function)} lines"
        for module in modules()
        for function in module.functions()
        if _lines(function) > FUNCTION_LINES
    ]
    assert not long


def test_names_say_what_a_thing_is() -> None:
    bad = [module.name for module in modules() if BANNED_WORDS & set(re.split(r"[/_.]", module.name))]
    for module in modules():
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ClassDef):
                words = {word.lower() for word in re.findall(r"[A-Z][a-z]*", node.name)}
                bad += [f"{module.name}: {node.name}"] if BANNED_WORDS & words else []
    assert not bad


def test_every_module_opens_with_a_sentence() -> None:
    assert not [m.name for m in modules() if m.text.strip() and not (ast.get_docstring(m.tree) or "").strip()]


def test_nothing_was_left_for_later() -> None:
    places = [*PACKAGE.rglob("*.py"), *(ROOT / "tests").rglob("*.py"), *(ROOT / "packaging").rglob("*.py")]
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in places
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if LEFTOVERS.search(line)
    ]
    assert not found


def _untranslated(module: Module) -> list[str]:
    found = []
    for name, call in module.calls():
        if name.rsplit(".", 1)[-1] not in SHOWS_TEXT:
            continue
        for argument in call.args:
            literals = argument.values if isinstance(argument, ast.JoinedStr) else [argument]
            for literal in literals:
                text = literal.value if isinstance(literal, ast.Constant) else None
                if isinstance(text, str) and text != PRODUCT and re.search(r"[^\W\d_]{2}", text):
                    found.append(f"{module.name}:{call.lineno} {text!r}")
    return found


def test_visible_strings_pass_tr() -> None:
    shown = [module for module in modules() if module.name.startswith(("ui/", "presenters/"))]
    assert not [place for module in shown for place in _untranslated(module)]


def test_layers() -> None:
    code = "from importlinter.cli import lint_imports_command as run; run(['--no-cache'])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
