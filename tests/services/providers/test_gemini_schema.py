"""What becomes of the schemas of tools on their way to Gemini."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from deepchat_desktop.services.providers.gemini_schema import MAX_NODES, parameters_of
from tests.services.providers.wire_cases import json_of


def nodes(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        yield schema
        for each in [*schema.get("properties", {}).values(), *schema.get("anyOf", ()), schema.get("items")]:
            yield from nodes(each)


ALLOWED = {"type", "format", "description", "nullable", "enum", "items", "properties", "required", "anyOf", "minItems",
           "maxItems", "minimum", "maximum"}


def check_schema(schema: dict[str, Any]) -> None:
    found = list(nodes(schema))
    assert len(found) <= 2 * MAX_NODES
    for node in found:
        assert node.keys() <= ALLOWED
        assert isinstance(node.get("type", ""), str)
        assert ("type" in node) != ("anyOf" in node)
        assert node.get("properties", True)
        assert set(node.get("required", ())) <= set(node.get("properties", ()))
        assert ("items" in node) == (node.get("type") == "array")
        assert all(isinstance(value, str) for value in node.get("enum", ()))


def test_the_schemas_of_servers_become_what_the_api_takes() -> None:
    first, second = json_of("ge-schema")["tools"]
    assert parameters_of(second["input_schema"]) is None
    schema = parameters_of(first["input_schema"])
    assert schema is not None
    check_schema(schema)
    properties = schema["properties"]
    assert schema["required"] == ["mode"]
    assert properties["mode"] == {"type": "string", "enum": ["fast"]}
    assert properties["opt"] == {"type": "string", "nullable": True}
    assert properties["kind"] == {"type": "string", "enum": ["a", "b"]}
    assert properties["multi"] == {"nullable": True, "anyOf": [{"type": "string"}, {"type": "integer"}]}
    assert properties["n"] == {"type": "integer", "minimum": 1}
    assert properties["e"] == {"type": "integer", "description": "One of: 1, 2."}
    assert properties["list"]["items"] == {"type": "string"}
    assert properties["node"]["properties"]["next"]["properties"]["next"] == {"type": "object"}


WORDS = st.sampled_from(["string", "integer", "object", "array", "null", "number", "boolean", "weird"])
SCHEMA = st.recursive(
    st.fixed_dictionaries(
        {},
        optional={
            "type": WORDS | st.lists(WORDS, max_size=3),
            "const": st.sampled_from(["a", 1, None, True]),
            "enum": st.lists(st.sampled_from(["a", "", 1, None]), max_size=3),
            "format": st.sampled_from(["uri", "date-time", "int32"]),
            "$ref": st.sampled_from(["#", "#/$defs/a", "#/nowhere", "other.json"]),
            "nullable": st.booleans(),
            "exclusiveMinimum": st.integers(0, 3),
            "minItems": st.integers(0, 3),
            "additionalProperties": st.booleans(),
        },
    )
    | st.sampled_from([True, False, None, "x"]),
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "type": WORDS,
            "properties": st.dictionaries(st.sampled_from(["a", "b"]), inner, max_size=2),
            "required": st.lists(st.sampled_from(["a", "z", "b"]), max_size=3),
            "items": inner | st.lists(inner, max_size=2),
            "anyOf": st.lists(inner, max_size=3),
            "oneOf": st.lists(inner, max_size=2),
            "allOf": st.lists(inner, max_size=2),
            "$ref": st.sampled_from(["#", "#/$defs/a"]),
        },
    ),
    max_leaves=12,
)


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(st.sampled_from(["a", "b"]), SCHEMA, min_size=1), SCHEMA)
def test_any_schema_becomes_one_that_the_api_takes(properties: dict[str, Any], shared: Any) -> None:
    schema = parameters_of({"type": "object", "properties": properties, "$defs": {"a": shared}})
    assert schema is not None
    check_schema(schema)
