"""Builds the frozen app from pyinstaller.spec into dist/ and checks it: what is inside, its size, its self-test.

The self-test runs the way a person has it: from a read-only folder, another working directory, an empty environment
and, when this script runs as root on Linux, as an ordinary user. Exit 0 when all is well.

    build_frozen.py [--dist DIR]
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NAME = "deepchat-desktop"
SIZE_MB = 260
"""Measured 208 with the local model's library (60 of it); the gate leaves room for a release of Qt."""
NOBODY = 65534
UNWANTED = re.compile(r"libQt6(Qml|Quick|WebEngine|Pdf)|libqgtk3|libgtk-3|/(pytest|mypy|pip|setuptools)/|\.gguf$")


def build(dist: Path) -> Path:
    """Run PyInstaller; returns the app's folder. Raises CalledProcessError."""
    with tempfile.TemporaryDirectory() as work:
        command = [sys.executable, "-m", "PyInstaller", "-y", "--log-level", "WARN", "--distpath", str(dist)]
        subprocess.run([*command, "--workpath", work, str(ROOT / "pyinstaller.spec")], cwd=ROOT, check=True)
    return dist / NAME


def complaints(app: Path) -> list[str]:
    """Return what is wrong with the folder's contents; an empty list when nothing is."""
    files = [path for path in app.rglob("*") if path.is_file()]
    size = sum(path.stat().st_size for path in files if not path.is_symlink()) / 1e6
    print(f"{app}: {size:.0f} MB in {len(files)} files", flush=True)
    found = [f"not wanted: {path.relative_to(app)}" for path in files if UNWANTED.search(path.as_posix())]
    if size > SIZE_MB:
        found.append(f"{size:.0f} MB are more than {SIZE_MB}")
    if not (app / "lib" / "deepchat_desktop" / "resources" / "README.md").is_file():
        found.append("the resources are missing")
    return found


def ordinary(home: Path) -> dict[str, object]:
    """Return arguments for subprocess that make the child a person's: bare environment, and not root."""
    arguments: dict[str, object] = {
        "cwd": home,
        "env": {"HOME": str(home), "PATH": os.defpath, "LANG": "C.UTF-8", "DEEPCHAT_DATA_DIR": str(home / "data")},
    }
    if sys.platform == "linux" and os.geteuid() == 0:
        os.chown(home, NOBODY, NOBODY)
        arguments |= {"user": NOBODY, "group": NOBODY, "extra_groups": []}
    return arguments


def self_test(app: Path) -> list[str]:
    """Run both executables' self-test from a read-only copy; returns what failed."""
    with tempfile.TemporaryDirectory() as folder:
        place, home = Path(folder) / "installed app", Path(folder) / "home"
        Path(folder).chmod(0o755)
        shutil.copytree(app, place, symlinks=True)
        home.mkdir()
        for path in [place, *place.rglob("*")]:
            if not path.is_symlink():
                path.chmod(0o555 if path.is_dir() or os.access(path, os.X_OK) else 0o444)
        failed = []
        for program in ("deepchat", NAME):
            started = time.monotonic()
            command = [str(place / program), "--self-test"]
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=300, check=False, **ordinary(home)  # type: ignore[call-overload]
            )
            print(f"{program} --self-test: exit {done.returncode} in {time.monotonic() - started:.1f} s", flush=True)
            if done.returncode != 0:
                failed.append(f"{program} --self-test failed: {bad_checks(done.stdout)} {done.stderr[-2000:]}")
        for path in [place, *place.rglob("*")]:
            if path.is_dir() and not path.is_symlink():
                path.chmod(0o755)
    return failed


def bad_checks(report: str) -> str:
    """Return the failed checks of a self-test's report, or the report when it is none."""
    try:
        checks = json.loads(report)["checks"]
    except (ValueError, KeyError):
        return report[-2000:]
    return "; ".join(f"{check['name']}: {check['detail']}" for check in checks if not check["ok"])


def main() -> int:
    """Build and check; returns an exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--dist", type=Path, default=ROOT / "dist")
    app = build(parser.parse_args().dist.resolve())
    wrong = complaints(app) + self_test(app)
    for complaint in wrong:
        print(complaint, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
