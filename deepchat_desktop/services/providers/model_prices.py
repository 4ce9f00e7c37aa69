"""What a model costs, from a provider's own list; in US dollars a million tokens.

Source: recorded lists. OpenRouter and Groq give dollars a token as text, Venice and Together dollars a million.
Anything else is no price: an amount whose unit is a guess would be worse than none.
"""

import math
from typing import Any

from deepchat_desktop.domain.settings import Price
from deepchat_desktop.services.providers.wire_json import as_dict

MILLION = 1_000_000


def price_of(entry: dict[str, Any]) -> Price | None:
    """Return the price in one entry of a list, without its day; None where it tells none."""
    pricing = as_dict(entry.get("pricing")) or as_dict(as_dict(entry.get("model_spec")).get("pricing"))
    if isinstance(pricing.get("prompt"), str):
        names, factor = ("prompt", "completion", "input_cache_read", "input_cache_write"), MILLION
    elif as_dict(pricing.get("input")):
        pricing = {name: as_dict(value).get("usd") for name, value in pricing.items()}
        names, factor = ("input", "output", "cache_input", "cache_write"), 1
    elif isinstance(pricing.get("input"), int | float):
        names, factor = ("input", "output", "cached_input", "cache_write"), 1
    else:
        return None
    amounts = [_amount(pricing.get(name), factor) for name in names]
    if all(amount is None for amount in amounts):
        return None
    return Price(input=amounts[0], output=amounts[1], cached=amounts[2], cache_write=amounts[3])


def _amount(value: object, factor: int) -> float | None:
    """Return dollars a million tokens; a router's -1 means that it depends."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        amount = float(value) * factor
    except ValueError:
        return None
    return round(amount, 6) if math.isfinite(amount) and amount >= 0 else None
