#!/bin/sh
# Checks the machine, brings .venv up to date, then runs a command with the environment's Python:
#     sh packaging/with_env.sh NEED EXTRAS python-arguments...
# NEED is none, offscreen, window, or auto (window when there is a screen, else none). The shell part exists because
# make cannot quote paths with spaces, and because no Python may be there yet.
set -eu
# Without bytecode files every start compiles the whole program anew; the tests start it some hundred times.
unset PYTHONDONTWRITEBYTECODE
cd -- "$(dirname -- "$0")/.."
need=$1
extras=$2
shift 2

if [ "$need" = auto ]; then
    need=none
    case "$(uname -s)" in
        Linux | *BSD) [ -z "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] || need=window ;;
        *) need=window ;;
    esac
fi

starter=
for name in "${PYTHON:-python3}" python3 python3.13 python3.12 python3.11 python; do
    if "$name" -c 'import sys; sys.exit(sys.version_info < (3, 6))' >/dev/null 2>&1; then
        starter=$name
        break
    fi
done
if [ -z "$starter" ]; then
    echo "Missing: Python 3.11, 3.12 or 3.13 (no Python 3 runs here)" >&2
    if [ -f /etc/debian_version ] && [ "$(id -u)" = 0 ]; then
        echo "You are root, so this installs it: apt-get install -y python3 python3-venv" >&2
        apt-get update -q >&2 || true
        DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends python3 python3-venv >&2 || exit 2
        starter=python3
    else
        echo "To install it: sudo apt-get install -y python3 python3-venv | sudo dnf install -y python3.13 |" \
             "brew install python@3.13" >&2
        echo "Nothing was downloaded." >&2
        exit 2
    fi
fi

python=$("$starter" packaging/preflight.py --need "$need")
"$python" packaging/environment.py "$extras"
if [ -x .venv/bin/python ]; then
    exec .venv/bin/python "$@"
fi
exec .venv/Scripts/python.exe "$@"
