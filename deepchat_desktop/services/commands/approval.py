"""What an approval of a command is bound to: this very command, here, in this shell and environment (CMD-1)."""

import hashlib
import os
from collections.abc import Mapping
from typing import Any

from deepchat_desktop.domain.tape import canonical_json
from deepchat_desktop.services.commands.parse import Parsed


def command_key(parsed: Parsed, *, cwd: str, shell: str, env: Mapping[str, str]) -> str:
    """Return the key: hex SHA-256. Of a plain command its words enter, of any other its text."""
    fields: dict[str, Any] = {
        "kind": "argv" if parsed.argv is not None else "text",
        "command": list(parsed.argv) if parsed.argv is not None else parsed.text,
        "cwd": os.path.realpath(cwd),
        "shell": shell,
        "env": dict(env),
    }
    return hashlib.sha256(canonical_json(fields)).hexdigest()
