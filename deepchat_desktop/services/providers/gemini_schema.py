"""From the JSON Schema of a tool to the part of it that Gemini's ``parameters`` takes.

Source: the API's "Schema" reference and recorded refusals. Invariants: a type is one word; references are replaced by
what they point to, a reference within itself only twice, and the whole is bounded; no object has an empty list of
properties; an array says what is in it; the values of an enum are strings. What gets lost is told in words.
"""

import json
from collections import Counter
from typing import Any

from deepchat_desktop.services.providers.wire_json import as_dict, as_list, as_text

Schema = dict[str, Any]
MAX_REPEATS, MAX_NODES, MAX_DEPTH = 2, 2_000, 24
_KEPT = ("description", "minItems", "maxItems", "minimum", "maximum", "nullable")
_FORMATS = {
    "string": frozenset({"enum", "date-time"}),
    "integer": frozenset({"int32", "int64"}),
    "number": frozenset({"float", "double"}),
}
_TYPES = frozenset({"string", "integer", "number", "boolean", "array", "object"})


def parameters_of(schema: Schema) -> Schema | None:
    """Return the parameters of a tool, None for a tool that has none."""
    root = _Translator(schema).translated(schema)
    properties: Schema = dict(as_dict(root.get("properties")))
    for branch in map(as_dict, as_list(root.get("anyOf"))):
        properties |= {name: each for name, each in as_dict(branch.get("properties")).items() if name not in properties}
    if not properties:
        return None
    required = [name for name in as_list(root.get("required") or schema.get("required")) if name in properties]
    told = {"description": root["description"]} if "description" in root else {}
    return {**told, "type": "object", "properties": properties} | ({"required": required} if required else {})


class _Translator:
    """Translates one schema; ``root`` is what references are looked up in."""

    def __init__(self, root: Schema) -> None:
        self._root = root
        self._inside: Counter[str] = Counter()
        self._nodes = 0
        self._depth = 0

    def translated(self, given: object) -> Schema:
        """Return a schema that the API takes; ``True`` and everything unreadable is a string."""
        self._nodes += 1
        if not isinstance(given, dict) or self._nodes > MAX_NODES or self._depth > MAX_DEPTH:
            return {"type": "object" if as_dict(given).get("type") == "object" else "string"}
        self._depth += 1
        try:
            return self._referred(given) if "$ref" in given else self._own(_joined(given))
        finally:
            self._depth -= 1

    def _referred(self, given: Schema) -> Schema:
        name = as_text(given["$ref"])
        beside = {key: value for key, value in given.items() if key != "$ref"}
        target = self._target(name)
        if self._inside[name] >= MAX_REPEATS or target is None:
            return self.translated({"type": (target or {}).get("type", "object"), **_told(beside)})
        self._inside[name] += 1
        try:
            return self.translated({**target, **beside})
        finally:
            self._inside[name] -= 1

    def _target(self, name: str) -> Schema | None:
        node: Any = self._root
        for step in name.removeprefix("#").split("/")[1:]:
            node = as_dict(node).get(step.replace("~1", "/").replace("~0", "~"))
        return node if name.startswith("#") and isinstance(node, dict) else None

    def _own(self, given: Schema) -> Schema:
        types = [word for word in _listed(given.get("type")) if isinstance(word, str)]
        kept = {name: given[name] for name in _KEPT if name in given}
        if "null" in types:
            kept["nullable"] = True
        kinds = [word for word in types if word in _TYPES]
        if len(kinds) > 1:
            return {**kept, "anyOf": [self.translated({**_bare(given), "type": word}) for word in kinds]}
        if choices := as_list(given.get("anyOf")) or as_list(given.get("oneOf")):
            return self._choice(kept, given, choices)
        kind = kinds[0] if kinds else _guessed(given)
        return {**self._typed(kind, given), **self._limits(kind, kept, given)}

    def _choice(self, kept: Schema, given: Schema, choices: list[Any]) -> Schema:
        """Return the one schema, or the choice, that alternatives come to; ``null`` among them is a flag."""
        shared = {name: given[name] for name in ("type", "properties", "required", "items") if name in given}
        some = [each for each in choices if not _is_null(each)]
        if len(some) < len(choices):
            kept = {**kept, "nullable": True}
        found = [self.translated({**shared, **each} if isinstance(each, dict) else each) for each in some]
        if not found:
            return {"type": "string", **kept}
        if len(found) == 1:
            return {**found[0], **kept}
        if all(each.keys() == {"type", "enum"} for each in found):
            return {**kept, "type": "string", "enum": list(dict.fromkeys(v for each in found for v in each["enum"]))}
        return {**kept, "anyOf": found}

    def _typed(self, kind: str, given: Schema) -> Schema:
        told: Schema = {"type": kind}
        if kind == "object" and (properties := as_dict(given.get("properties"))):
            told["properties"] = {name: self.translated(each) for name, each in properties.items()}
            required = [name for name in as_list(given.get("required")) if name in properties]
            if required:
                told["required"] = required
        elif kind == "array":
            items = given.get("items", given.get("prefixItems"))
            told["items"] = self.translated({"anyOf": items} if isinstance(items, list) and items else items)
        elif kind == "string" and (values := _strings(given)):
            told["enum"] = values
        if as_text(given.get("format")) in _FORMATS.get(kind, ()):
            told["format"] = given["format"]
        return told

    def _limits(self, kind: str, kept: Schema, given: Schema) -> Schema:
        values = [given["const"]] if "const" in given else as_list(given.get("enum"))
        if values and kind != "string":
            words = f"One of: {', '.join(json.dumps(value, ensure_ascii=False) for value in values)}."
            kept = {**kept, "description": " ".join(filter(None, [as_text(kept.get("description")), words]))}
        above = given.get("exclusiveMinimum")
        if kind == "integer" and isinstance(above, int) and not isinstance(above, bool) and "minimum" not in kept:
            kept = {**kept, "minimum": above + 1}
        limits = {"minItems", "maxItems"} if kind != "array" else set()
        limits |= {"minimum", "maximum"} if kind not in ("integer", "number") else set()
        return {name: value for name, value in kept.items() if name not in limits}


def _is_null(choice: object) -> bool:
    told = as_dict(choice)
    return told.get("type") == "null" or ("const" in told and told["const"] is None)


def _listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _told(given: Schema) -> Schema:
    return {"description": given["description"]} if "description" in given else {}


def _bare(given: Schema) -> Schema:
    return {name: value for name, value in given.items() if name not in ("description", "nullable")}


def _joined(given: Schema) -> Schema:
    """Return a schema with the parts of its ``allOf`` put into one."""
    parts = [as_dict(part) for part in as_list(given.get("allOf"))]
    if not parts:
        return given
    whole = {name: value for name, value in given.items() if name != "allOf"}
    for part in parts:
        properties = {**as_dict(part.get("properties")), **as_dict(whole.get("properties"))}
        required = [*as_list(whole.get("required")), *as_list(part.get("required"))]
        whole = {**part, **whole} | ({"properties": properties} if properties else {})
        whole |= {"required": required} if required else {}
    return whole


def _guessed(given: Schema) -> str:
    if "properties" in given:
        return "object"
    if "items" in given or "prefixItems" in given:
        return "array"
    value = given.get("const", next(iter(as_list(given.get("enum"))), ""))
    if isinstance(value, bool):
        return "boolean"
    return "integer" if isinstance(value, int) else "number" if isinstance(value, float) else "string"


def _strings(given: Schema) -> list[str]:
    values = [given["const"]] if "const" in given else as_list(given.get("enum"))
    return list(dict.fromkeys(value for value in values if isinstance(value, str) and value))
