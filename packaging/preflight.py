"""Checks, before anything is downloaded, that this machine can run DeepChat Desktop, and says what to install.

Invariants: standard library only, and syntax that Python 3.6 understands, so that an old Python gets a message and
not a SyntaxError. Nothing but the chosen interpreter's path goes to stdout; words go to stderr. Exit 0: all is there
(as root on Debian or Ubuntu perhaps installed just now); exit 2: what is missing is named, with the line to install it.

    preflight.py --need none|offscreen|window
"""

import argparse
import ctypes
import ctypes.util
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

OLDEST, NEWEST = (3, 11), (3, 13)
GLIBC = (2, 34)  # the floor of the PySide6 wheels

# What the wheels link to and do not bring (readelf -d of their files): (library file, name for find_library,
# Debian and Ubuntu package, Fedora package). TERMINAL is the local model's, the others are Qt's.
TERMINAL = [
    ("libgomp.so.1", "gomp", "libgomp1", "libgomp"),
    ("libstdc++.so.6", "stdc++", "libstdc++6", "libstdc++"),
]
OFFSCREEN = [
    ("libEGL.so.1", "EGL", "libegl1", "libglvnd-egl"),
    ("libGL.so.1", "GL", "libgl1", "libglvnd-glx"),
    ("libfontconfig.so.1", "fontconfig", "libfontconfig1", "fontconfig"),
    ("libfreetype.so.6", "freetype", "libfreetype6", "freetype"),
    ("libdbus-1.so.3", "dbus-1", "libdbus-1-3", "dbus-libs"),
    ("libX11.so.6", "X11", "libx11-6", "libX11"),
    ("libxkbcommon.so.0", "xkbcommon", "libxkbcommon0", "libxkbcommon"),
    ("libglib-2.0.so.0", "glib-2.0", "libglib2.0-0", "glib2"),
    ("libgthread-2.0.so.0", "gthread-2.0", "libglib2.0-0", "glib2"),
    ("libgssapi_krb5.so.2", "gssapi_krb5", "libgssapi-krb5-2", "krb5-libs"),
    ("libbrotlidec.so.1", "brotlidec", "libbrotli1", "libbrotli"),
    ("libzstd.so.1", "zstd", "libzstd1", "libzstd"),
]
XCB = [
    ("libX11-xcb.so.1", "X11-xcb", "libx11-xcb1", "libX11-xcb"),
    ("libxkbcommon-x11.so.0", "xkbcommon-x11", "libxkbcommon-x11-0", "libxkbcommon-x11"),
    ("libxcb-cursor.so.0", "xcb-cursor", "libxcb-cursor0", "xcb-util-cursor"),
    ("libxcb-icccm.so.4", "xcb-icccm", "libxcb-icccm4", "xcb-util-wm"),
    ("libxcb-util.so.1", "xcb-util", "libxcb-util1", "xcb-util"),
    ("libxcb-image.so.0", "xcb-image", "libxcb-image0", "xcb-util-image"),
    ("libxcb-keysyms.so.1", "xcb-keysyms", "libxcb-keysyms1", "xcb-util-keysyms"),
    ("libxcb-render-util.so.0", "xcb-render-util", "libxcb-render-util0", "xcb-util-renderutil"),
    ("libxcb-randr.so.0", "xcb-randr", "libxcb-randr0", "libxcb"),
    ("libxcb-render.so.0", "xcb-render", "libxcb-render0", "libxcb"),
    ("libxcb-shape.so.0", "xcb-shape", "libxcb-shape0", "libxcb"),
    ("libxcb-shm.so.0", "xcb-shm", "libxcb-shm0", "libxcb"),
    ("libxcb-sync.so.1", "xcb-sync", "libxcb-sync1", "libxcb"),
    ("libxcb-xfixes.so.0", "xcb-xfixes", "libxcb-xfixes0", "libxcb"),
    ("libxcb-xkb.so.1", "xcb-xkb", "libxcb-xkb1", "libxcb"),
]
WAYLAND = [
    ("libwayland-client.so.0", "wayland-client", "libwayland-client0", "libwayland-client"),
    ("libwayland-cursor.so.0", "wayland-cursor", "libwayland-cursor0", "libwayland-cursor"),
    ("libwayland-egl.so.1", "wayland-egl", "libwayland-egl1", "libwayland-egl"),
]


def say(text):
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def dotted(version):
    return "{}.{}".format(*version)


def has_library(file_name, short_name):
    """find_library needs ldconfig, gcc or objdump, which slim systems lack: there the loader itself is asked."""
    if ctypes.util.find_library(short_name):
        return True
    try:
        ctypes.CDLL(file_name)
    except OSError:
        return False
    return True


def wanted_libraries(need):
    if not sys.platform.startswith("linux"):
        return []
    if need == "none":
        return TERMINAL
    wanted = TERMINAL + OFFSCREEN
    if need == "window":
        wanted += XCB
        if os.environ.get("WAYLAND_DISPLAY"):
            wanted += WAYLAND
    return wanted


def probe(command):
    """(version, has venv and ensurepip, path) of an interpreter, or None when it does not run (a shim, say)."""
    code = (
        "import sys\n"
        "try:\n import venv, ensurepip; ok = 1\n"
        "except ImportError: ok = 0\n"
        "print(sys.version_info[0], sys.version_info[1], ok, sys.executable)"
    )
    command_line = [command, "-c", code]
    try:
        done = subprocess.run(command_line, check=False, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=60)
        major, minor, venv, path = done.stdout.decode().strip().split(" ", 3)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
    return (int(major), int(minor)), venv == "1", path


def find_python():
    """The best interpreter: a supported one with venv, else a supported one, else None; then every version seen."""
    names = [os.environ["PYTHON"]] if os.environ.get("PYTHON") else []
    names += ["python3", "python3.13", "python3.12", "python3.11", sys.executable]
    fitting, seen = [], []
    for name in names:
        found = probe(name)
        if found is None:
            continue
        seen.append(f"{name} is {dotted(found[0])}")
        if OLDEST <= found[0] <= NEWEST:
            if found[1]:
                return found, seen
            fitting.append(found)
    return (fitting[0] if fitting else None), seen


def python_packages(found, installer):
    """The packages that bring a Python with venv; an empty list when this system has none."""
    if found is not None:
        return [f"python{dotted(found[0])}-venv"] if installer == "apt" else ["python3-pip"]
    for version in ("3.13", "3.12", "3.11"):
        if installer == "dnf":
            return ["python" + version]
        query = ["apt-cache", "show", "python" + version]
        if subprocess.call(query, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) == 0:
            return ["python" + version, "python" + version + "-venv"]
    return []


def installer_here():
    if sys.platform == "darwin":
        return "brew"
    if Path("/etc/debian_version").exists() and shutil.which("apt-get"):
        return "apt"
    if shutil.which("dnf"):
        return "dnf"
    return ""


def install_line(installer, packages):
    if installer == "brew":
        return "brew install python@3.13"
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    command = {"apt": "apt-get install -y", "dnf": "dnf install -y"}.get(installer)
    if command is None:
        return "install with this system's package manager what Debian calls: " + " ".join(packages)
    return " ".join(([] if root else ["sudo"]) + [command] + packages)


def apt_lists_are_empty():
    try:
        return not any("_Packages" in path.name for path in Path("/var/lib/apt/lists").iterdir())
    except OSError:
        return True


def apt_update():
    return subprocess.call(["apt-get", "update", "-q"], stdout=sys.stderr)


def apt_install(packages):
    """Install as root; lists that are missing or older than the mirror are fetched. Returns apt's exit code."""
    environment = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
    command = ["apt-get", "install", "-y", "-q", "--no-install-recommends", *packages]
    if apt_lists_are_empty():
        apt_update()
    code = subprocess.call(command, stdout=sys.stderr, env=environment)
    if code != 0:
        apt_update()
        code = subprocess.call(command, stdout=sys.stderr, env=environment)
    return code


def check(need, installer):
    """What is missing, in words, the packages that bring it, and the interpreter found."""
    missing, packages = [], []
    found, seen = find_python()
    if found is None:
        missing.append("Python 3.11, 3.12 or 3.13 ({})".format("; ".join(seen) or "no Python 3 runs here"))
    elif not found[1]:
        missing.append(f"the venv and ensurepip modules of Python {dotted(found[0])}")
    if missing:
        packages += python_packages(found, installer)
    gone = [row for row in wanted_libraries(need) if not has_library(row[0], row[1])]
    if gone:
        missing.append("system libraries: " + ", ".join(row[0] for row in gone))
        packages += sorted({row[3 if installer == "dnf" else 2] for row in gone})
    return missing, packages, found


def glibc_is_too_old():
    name, version = platform.libc_ver()
    if name != "glibc":
        return False
    numbers = tuple(int(part) for part in version.split(".")[:2])
    if numbers >= GLIBC:
        return False
    say(f"This system's C library is glibc {version}; Qt needs 2.34 or newer (Debian 12, Ubuntu 22.04, Fedora 35).")
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--need", choices=["none", "offscreen", "window"], default="none")
    need = parser.parse_args().need
    if glibc_is_too_old():
        return 2
    installer = installer_here()
    missing, packages, found = check(need, installer)
    if missing and installer == "apt" and os.geteuid() == 0:
        if apt_lists_are_empty():
            say("The package lists are empty: running apt-get update.")
            apt_update()
            missing, packages, found = check(need, installer)
        if packages:
            say("Missing: " + "; ".join(missing) + ".")
            say("You are root, so this installs it: " + install_line(installer, packages))
            apt_install(packages)
            missing, packages, found = check(need, installer)
    if missing:
        for item in missing:
            say("Missing: " + item)
        if packages or installer == "brew":
            say("To install it: " + install_line(installer, packages))
        else:
            say("This system's packages have no such Python: install one, then run this again with PYTHON=/path/to/it.")
        say("Nothing was downloaded.")
        return 2
    print(found[2])
    return 0


if __name__ == "__main__":
    sys.exit(main())
