"""Run by the keychain tests in a process of its own, inside a private D-Bus session: says in JSON what happened.

Arguments: ``unlocked``, ``locked`` or ``absent`` (a bus with no keyring opened on it).
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from contextlib import closing
from typing import Any

from deepchat_desktop.domain.errors import SecretsError
from deepchat_desktop.services.secrets import SERVICE, Secrets

KEY = "SENTINEL-KEY-NOT-A-REAL-ONE-0001"
KWALLET = "keyring.backends.kwallet.DBusKeyring"


def start_keyring() -> None:
    """Start the keyring daemon with an unlocked login keyring and wait until it is on the bus."""
    import secretstorage

    subprocess.run(
        ["gnome-keyring-daemon", "--unlock", "--components=secrets"], input=b"test\n", check=True, capture_output=True
    )
    for _attempt in range(200):
        with closing(secretstorage.dbus_init()) as bus:
            here = secretstorage.check_service_availability(bus)
            if here and not secretstorage.get_default_collection(bus).is_locked():
                return
        time.sleep(0.05)
    raise SystemExit("the keyring daemon did not come up")


def lock_keyring() -> None:
    import secretstorage

    with closing(secretstorage.dbus_init()) as bus:
        secretstorage.get_default_collection(bus).lock()


async def code_of(secrets: Secrets, name: str, backend: str) -> dict[str, Any]:
    try:
        await secrets.get(name, backend)
    except SecretsError as error:
        return {"code": error.code, "text": error.user_message}
    return {}


async def report() -> dict[str, Any]:
    secrets = Secrets(prompt_limit_s=10)
    status = await secrets.status()
    stored = await secrets.set("openai", KEY + " 密钥")
    fresh = Secrets(prompt_limit_s=10)  # as after a restart
    out: dict[str, Any] = {
        "status": vars(status),
        "stored": vars(stored),
        "get": await secrets.get("openai", stored.backend),
        "elsewhere": await code_of(secrets, "other", KWALLET),
    }
    if stored.backend:
        out["fresh"] = await fresh.get("openai", stored.backend)
        await fresh.delete("openai")
        await fresh.delete("openai")
        out["deleted"] = await Secrets().get("openai", stored.backend)
        out["left"] = left()
    else:
        before = time.monotonic()
        out["again"] = vars(await secrets.status())
        out["asked_again"] = time.monotonic() - before > 1
    return out


def left() -> list[str]:
    """Return the labels of whatever is still in the keyring."""
    import secretstorage

    with closing(secretstorage.dbus_init()) as bus:
        return [item.get_label() for item in secretstorage.get_default_collection(bus).get_all_items()]


def main() -> None:
    mode = sys.argv[1]
    if mode != "absent":
        start_keyring()
    if mode == "locked":
        lock_keyring()
    print(json.dumps({"service": SERVICE, **asyncio.run(report())}))


main()
