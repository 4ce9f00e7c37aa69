"""Prices from recorded shapes of lists, in dollars a million tokens; what is no price stays none."""

from typing import Any

import pytest

from deepchat_desktop.domain.settings import Price
from deepchat_desktop.services.providers.model_list import models_of
from deepchat_desktop.services.providers.model_prices import price_of


@pytest.mark.parametrize(
    ("entry", "price"),
    [
        ({"pricing": {"prompt": "0.00000045", "completion": "0.0000032"}}, Price(input=0.45, output=3.2)),
        (
            {"pricing": {"prompt": "0.000003", "completion": "0", "input_cache_read": "0.0000003",
                         "input_cache_write": "0.00000375"}},
            Price(input=3.0, output=0.0, cached=0.3, cache_write=3.75),
        ),
        (
            {"model_spec": {"pricing": {"input": {"usd": 1.875, "diem": 9}, "output": {"usd": 9.375}}}},
            Price(input=1.875, output=9.375),
        ),
        ({"pricing": {"input": 0.6, "output": 0.6, "cached_input": 0}}, Price(input=0.6, output=0.6, cached=0.0)),
        ({"pricing": {"prompt": "-1", "completion": "-1"}}, None),
        ({"pricing": {"prompt": "free"}}, None),
        ({"pricing": {"prompt": "nan", "completion": "inf"}}, None),
        ({"pricing": {"image": "0.1"}}, None),
        ({"pricing": [1, 2]}, None),
        ({}, None),
    ],
)  # fmt: skip
def test_a_price_is_read_or_none(entry: dict[str, Any], price: Price | None) -> None:
    assert price_of(entry) == price


def test_a_list_tells_what_answers_in_text() -> None:
    entries = [
        {"id": "speech", "output_modalities": ["speech"]},
        {"id": "text", "architecture": {"output_modalities": ["text", "image"]}},
        {"id": "ranker", "capabilities": {"completion_chat": False}},
        {"id": "plain"},
    ]
    assert {model.id: model.chat for model in models_of(entries)} == {
        "speech": False, "text": True, "ranker": False, "plain": None,
    }  # fmt: skip
