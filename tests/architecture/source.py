"""Reading our own source for the architecture tests: files, functions and calls by their full dotted name."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "deepchat_desktop"


@dataclass(frozen=True)
class Module:
    """One file of the package: `name` is its path below the package, such as `services/http.py`."""

    name: str
    text: str
    tree: ast.Module

    def calls(self) -> Iterator[tuple[str, ast.Call]]:
        """Yield every call with its dotted name, imports resolved: `run()` after `from subprocess import run`."""
        known = self._imported()
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Call) and (dotted := _dotted(node.func)):
                head, _, rest = dotted.partition(".")
                yield known.get(head, head) + (f".{rest}" if rest else ""), node

    def imports(self) -> Iterator[tuple[str, int]]:
        """Yield the full name of everything imported, at whatever depth, with its line."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                yield from ((alias.name, node.lineno) for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                yield from ((f"{node.module}.{alias.name}", node.lineno) for alias in node.names)

    def functions(self) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
        """Yield every function and method."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield node

    def _imported(self) -> dict[str, str]:
        names: dict[str, str] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                names.update({a.asname or a.name.split(".")[0]: a.name if a.asname else a.name.split(".")[0]
                              for a in node.names})
            elif isinstance(node, ast.ImportFrom) and node.module:
                names.update({a.asname or a.name: f"{node.module}.{a.name}" for a in node.names})
        return names


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value) or '?'}.{node.attr}"
    return ""


@lru_cache(maxsize=1)
def modules() -> tuple[Module, ...]:
    """Return every module of the package."""
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        found.append(Module(path.relative_to(PACKAGE).as_posix(), text, ast.parse(text)))
    return tuple(found)
