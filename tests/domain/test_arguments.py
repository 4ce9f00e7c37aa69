"""Argument text is read strictly: what is not exactly one JSON object never becomes a call (ARG-1)."""

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepchat_desktop.domain.tools import InvalidArguments, parse_arguments


@pytest.mark.parametrize("text", ["", " \n", "null", "{}", "{ }"])
def test_nothing_is_an_empty_object(text: str) -> None:
    assert parse_arguments(text) == {}


@pytest.mark.parametrize(
    "text",
    [
        '{"a":1,"a":2}',
        '{"a":NaN}',
        '{"a":Infinity}',
        '{"a":1e400}',
        '{"a":1} x',
        '{"a":1}{"a":1}',
        '{"path":"a.txt","content":"hal',
        "[1]",
        '"text"',
        "\ufeff{}",
        '{"a":' + "[" * 70 + "]" * 70 + "}",
        "[" * 100_000,
        '{"a":"' + "x" * 1_000_001 + '"}',
    ],
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(InvalidArguments):
        parse_arguments(text)


@given(st.dictionaries(st.text(), st.integers() | st.text() | st.booleans() | st.none(), max_size=5))
def test_a_plain_object_is_read_as_it_is(value: dict[str, object]) -> None:
    assert parse_arguments(json.dumps(value)) == value


@given(st.text(max_size=50))
def test_any_text_gives_an_object_or_the_one_error(text: str) -> None:
    with contextlib.suppress(InvalidArguments):
        assert isinstance(parse_arguments(text), dict)
