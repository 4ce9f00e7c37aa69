"""The reading of Gemini's answers where no recorded case is: cut calls, calls in pieces, what goes back, counts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepchat_desktop.services.providers.gemini_args import PartialArguments
from deepchat_desktop.services.providers.wire_fold import fold


def chunk(*parts: dict[str, Any], finish: str | None = None) -> bytes:
    candidate = {"content": {"parts": list(parts)}, **({"finishReason": finish} if finish else {})}
    return b"data: " + json.dumps({"candidates": [candidate]}).encode() + b"\r\n\r\n"


def call(name: str = "", **more: Any) -> dict[str, Any]:
    return {"functionCall": {**({"name": name} if name else {}), **more}}


def test_a_call_that_the_limit_cut_off_is_none() -> None:
    result = fold("gemini", [chunk(call("ls", args={"a": 1}), finish="MAX_TOKENS")])
    assert (result["stop"], result["tool_calls"]) == ("max_tokens", [])
    assert [each["name"] for each in result["incomplete_tool_calls"]] == ["ls"]


def test_a_call_in_pieces_that_never_ends_is_none() -> None:
    pieces = [chunk(call("ls", willContinue=True)), chunk(call(partialArgs=[{"jsonPath": "$.a"}], willContinue=True))]
    result = fold("gemini", [*pieces, chunk({"text": "x"}, finish="STOP")])
    assert (result["stop"], result["tool_calls"], len(result["incomplete_tool_calls"])) == ("complete", [], 1)


def test_a_call_in_pieces_goes_back_whole() -> None:
    opening = {**call("ls", willContinue=True, id="x"), "thoughtSignature": "UQ=="}
    said = [{"jsonPath": "$.p", "stringValue": "a", "willContinue": True}, {"jsonPath": "$.p", "stringValue": "b"}]
    middle = chunk(call(partialArgs=said, willContinue=True))
    result = fold("gemini", [chunk(opening), middle, chunk(call(), finish="STOP")])
    assert result["tool_calls"] == [{"id": "x", "name": "ls", "arguments": {"p": "ab"}}]
    assert result["carry"]["parts"] == [{**call("ls", id="x", args={"p": "ab"}), "thoughtSignature": "UQ=="}]


def test_text_around_a_signature_keeps_its_place() -> None:
    signed = {"text": "c", "thoughtSignature": "UQ=="}
    parts = [{"text": "a"}, {"text": "b"}, signed, {"text": "d"}, {"text": "e"}, {"text": "t", "thought": True}]
    result = fold("gemini", [*map(chunk, parts), chunk(finish="STOP")])
    assert (result["text"], result["reasoning"]) == ("abcde", "t")
    assert result["carry"]["parts"] == [{"text": "ab"}, signed, {"text": "de"}]


def test_counts_replace_each_for_itself() -> None:
    counts = [{"promptTokenCount": 5, "candidatesTokenCount": 1}, {"trafficType": "X"}, {"candidatesTokenCount": 4}]
    body = [b"data: " + json.dumps({"usageMetadata": each}).encode() + b"\n\n" for each in counts]
    usage = fold("gemini", [*body, chunk(finish="STOP")])["usage"]
    assert (usage["input"], usage["output"]) == (5, 4)


def test_no_end_is_a_cut_stream_and_the_provider_s_filter_is_said_so() -> None:
    assert fold("gemini", [chunk({"text": "x"})])["error"]["kind"] == "truncated_stream"
    filtered = fold("gemini", [chunk({"text": "x"}, finish="SAFETY")])
    assert (filtered["text"], filtered["error"]["kind"]) == ("x", "content_filter")
    assert "SAFETY" in filtered["error"]["message"]


NAMES = st.text("ab.[]'\\", min_size=1, max_size=3)
JSON = st.recursive(
    st.text(max_size=4) | st.integers(-9, 9) | st.booleans() | st.none(),
    lambda inner: st.lists(inner, min_size=1, max_size=3) | st.dictionaries(NAMES, inner, min_size=1, max_size=3),
    max_leaves=8,
)


def leaves(value: Any, path: str = "$") -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        for name, each in value.items():
            quoted = name.replace("\\", "\\\\").replace("'", "\\'")
            yield from leaves(each, f"{path}['{quoted}']")
    elif isinstance(value, list):
        for place, each in enumerate(value):
            yield from leaves(each, f"{path}[{place}]")
    elif isinstance(value, str):
        yield from ({"jsonPath": path, "stringValue": sign, "willContinue": True} for sign in value)
        yield {"jsonPath": path, "stringValue": ""}
    elif value is None:
        yield {"jsonPath": path, "nullValue": "NULL_VALUE"}
    else:
        yield {"jsonPath": path, "boolValue" if isinstance(value, bool) else "numberValue": value}


@settings(max_examples=150)
@given(st.dictionaries(NAMES, JSON, max_size=3))
def test_pieces_of_arguments_make_the_arguments(value: dict[str, Any]) -> None:
    arguments = PartialArguments()
    for piece in leaves(value):
        arguments.take([piece])
    assert arguments.whole() == value


@pytest.mark.parametrize(
    "paths", [["a"], ["$"], ["$.a", "$.a.b"], ["$[0]"], ["$.a[5]"], ["$.a[0]", "$.a.b"], ["$" + ".a" * 40]]
)
def test_pieces_that_do_not_fit_together_make_no_arguments(paths: list[str]) -> None:
    arguments = PartialArguments()
    arguments.take([{"jsonPath": path, "stringValue": "x"} for path in paths])
    assert arguments.whole() is None
