"""How text becomes a column: any Python string survives, and ordinary text is stored as it is (REL-6).

Invariants: ``unescape(escape(s)) == s`` for every str. SQLite takes no lone surrogates and its functions stop at NUL,
so both, and the escape character itself, are written as U+FDD0 (a noncharacter) and four hex digits. What is stored is
therefore valid UTF-8 without NUL, and a text contains another exactly when their stored forms do.
"""

import json
import re
from functools import cache
from typing import Any, TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError

from deepchat_desktop.domain.blocks import Block
from deepchat_desktop.domain.errors import StoreCorrupt

MARK = "\ufdd0"
_UNSTORABLE = re.compile("[\x00\ud800-\udfff\ufdd0]")
_ESCAPED = re.compile(MARK + "([0-9a-f]{4})")

V = TypeVar("V", bound=BaseModel)


def escape(text: str) -> str:
    """Return the stored form of a text."""
    return _UNSTORABLE.sub(lambda found: f"{MARK}{ord(found[0]):04x}", text)


def unescape(stored: str) -> str:
    """Return the text of a stored form."""
    if MARK not in stored:
        return stored
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), stored)


def to_json(value: Any) -> str:
    """Return the stored form of a JSON value. Surrogates stay raw inside, so two that touch do not become one."""
    return escape(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def from_json(stored: str) -> Any:
    """Return the JSON value of a stored form. Raises ``StoreCorrupt`` when it is none."""
    try:
        return json.loads(unescape(stored))
    except (ValueError, RecursionError) as error:
        raise damaged("a JSON column") from error


def build(kind: type[V], fields: dict[str, Any]) -> V:
    """Return the domain value of a row's fields. Raises ``StoreCorrupt`` when they do not make one."""
    try:
        return kind.model_validate(fields)
    except ValidationError as error:
        raise damaged(f"a {kind.__name__}") from error


def build_block(fields: Any) -> Block:
    """Return the block of its stored fields. Raises ``StoreCorrupt`` when they do not make one."""
    try:
        return _blocks().validate_python(fields)
    except ValidationError as error:
        raise damaged("a block") from error


def damaged(what: str) -> StoreCorrupt:
    """Return the error that says that a stored value cannot be read. It quotes nothing of it."""
    return StoreCorrupt(
        f"The database holds {what} that cannot be read. Close the app and restore a backup, "
        "or keep a copy of the file before going on."
    )


@cache
def _blocks() -> TypeAdapter[Block]:
    return TypeAdapter(Block)
