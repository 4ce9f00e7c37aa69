"""Makes `.venv` beside the project and installs DeepChat Desktop into it, only when something changed.

Invariants: standard library only. The stamp in `.venv` holds what was installed for: the hash of pyproject.toml and
constraints.txt, the interpreter, the project's own path (entry points hold it) and the extras; the same stamp means
that nothing is run and no network is touched. An install that fails leaves no stamp.

    environment.py EXTRA[,EXTRA…]
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
STAMP = VENV / "deepchat-installed.json"
BIN = VENV / ("Scripts" if sys.platform == "win32" else "bin")
# A package of a megabyte or more is named while it comes; the many other lines of pip appear only when it fails.
LARGE = re.compile(r"(?:Downloading|Using cached) \S*?([^/\s]+?)-([0-9][^-\s]*)-\S+ \(([0-9.]+ [MG]B)\)")


def fingerprint() -> dict[str, str]:
    """Return what the environment was made for: a change in any of it means a new install."""
    digest = hashlib.sha256()
    for name in ("pyproject.toml", "constraints.txt"):
        digest.update((ROOT / name).read_bytes())
    return {"hash": digest.hexdigest(), "python": f"{sys.executable} {sys.version}", "root": str(ROOT)}


def stamped() -> dict[str, object]:
    """Return the stamp of the last good install, or an empty one."""
    try:
        found = json.loads(STAMP.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def shown(line: str) -> str:
    """Return what a person who waits reads instead of this line of pip; "" for nothing."""
    if line.startswith("Installing collected"):
        return "installing the packages …"
    large = LARGE.match(line)
    return f"{large[1]} {large[2]} ({large[3]})" if large else ""


def run_pip(arguments: list[str]) -> int:
    """Run the environment's pip with its progress condensed; everything it said is printed when it fails."""
    command = [str(BIN / "python"), "-m", "pip", "--disable-pip-version-check", "--no-input", *arguments]
    said: list[str] = []
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        assert process.stdout is not None
        for line in map(str.strip, process.stdout):
            said.append(line)
            if words := shown(line):
                print("  " + words, flush=True)
    if process.returncode != 0:
        print("\n".join(said[-40:]), file=sys.stderr)
    return process.returncode


def main(extras: set[str]) -> int:
    """Bring the environment up to date; returns an exit code."""
    wanted, found = fingerprint(), stamped()
    same_place = (BIN / "python").exists() and all(found.get(key) == wanted[key] for key in ("python", "root"))
    present = set(found.get("extras", ())) if same_place else set()  # type: ignore[call-overload]
    if same_place and found.get("hash") == wanted["hash"] and extras <= present:
        return 0
    if not same_place:
        print(f"Making the environment {VENV} (Python {sys.version.split()[0]}) …", flush=True)
        if subprocess.call([sys.executable, "-m", "venv", "--clear", str(VENV)]) != 0:
            return 1
    STAMP.unlink(missing_ok=True)
    extras = extras | present
    print("Installing DeepChat Desktop and what it needs (about 200 MB the first time) …", flush=True)
    code = run_pip(["install", "--constraint", "constraints.txt", "--editable", f".[{','.join(sorted(extras))}]"])
    if code != 0:
        print("The install failed (see above). Check the network, then run the same command again.", file=sys.stderr)
        return 1
    STAMP.write_text(json.dumps({**wanted, "extras": sorted(extras)}), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(set(filter(None, sys.argv[1].split(",")))))
