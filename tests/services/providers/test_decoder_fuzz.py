"""Every decoder of the registry against damaged answers: any bytes, any cuts give events and exactly one end."""

import json
import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deepchat_desktop.domain.stream import ProviderEvent
from deepchat_desktop.services.providers.registry import DECODERS, make_decoder
from tests.services.providers.test_decoder_properties import check
from tests.services.providers.test_recordings import recorded
from tests.services.providers.wire_cases import RECORDINGS, body_of, cases, random_cut, style_of

MAX_SEED_BYTES = 40_000
STYLES = sorted(DECODERS)
LEADS = [b"", b"data: ", b"event: error\ndata: ", b"{", b"[", b"\x00\x00\x00\x20", b'{"type":"response.completed",']


def seeds(api: str) -> list[bytes]:
    """Return bodies that the style's decoder understands; Azure's are those of chat completions."""
    own = "openai_chat" if api == "azure" else api
    bodies = [body_of(case) for case in [*cases("stream"), *cases("stream_events")] if style_of(case) == own]
    bodies += [
        (RECORDINGS / entry["file"]).read_bytes()
        for entry in recorded()
        if entry["api"] == own and entry["bytes"] <= MAX_SEED_BYTES
    ]
    return bodies


SEEDS = {api: seeds(api) for api in STYLES}
JUNK = st.sampled_from(
    [b"\n\n", b"\r", b"null", b"[]", b"{}", b'""', b"-1", b"1e999", b"\xff", b"\x00", b"true", b"[DONE]", b'"type":']
) | st.binary(min_size=1, max_size=8)
KINDS = ["cut", "insert", "replace", "repeat", "end"]
CHANGES = st.lists(
    st.tuples(st.sampled_from(KINDS), st.floats(0, 1), st.integers(1, 60), JUNK),
    max_size=5,
)


def damaged(body: bytes, changes: list[tuple[str, float, int, bytes]]) -> bytes:
    for kind, where, size, junk in changes:
        place = int(where * len(body))
        match kind:
            case "cut":
                body = body[:place] + body[place + size :]
            case "insert":
                body = body[:place] + junk + body[place:]
            case "replace":
                body = body[:place] + junk + body[place + len(junk) :]
            case "repeat":
                body = body[:place] + body[max(place - size, 0) :]
            case _:
                body = body[:place]
    return body


WRONG: list[Any] = [None, True, -1, 10**30, 0.5, "", "x", "\ud800", [], {}, [None], [[]], {"a": 1}, [{"type": 1}], [""]]


def mistyped(body: bytes, rng: random.Random) -> bytes:
    """Return a body of lines with values of wrong types somewhere in about every third of its JSON lines."""
    lines = []
    for line in body.split(b"\n"):
        lead = b"data: " if line.startswith(b"data: ") else b""
        if rng.random() < 0.35 and line[len(lead) :].startswith(b"{"):
            try:
                value = json.loads(line[len(lead) :])
            except ValueError:
                value = None
            if isinstance(value, dict):
                _spoil(value, rng)
                line = lead + json.dumps(value).encode()
        lines.append(line)
    return b"\n".join(lines)


def _spoil(value: Any, rng: random.Random) -> None:
    """Put a wrong value in one place of an object or list, at any depth."""
    while True:
        places = list(value) if isinstance(value, dict) else list(range(len(value)))
        if not places:
            return
        place = rng.choice(places)
        if not (isinstance(value[place], dict | list) and value[place] and rng.random() < 0.7):
            value[place] = rng.choice(WRONG)
            return
        value = value[place]


def decode(api: str, pieces: list[bytes]) -> list[ProviderEvent]:
    decoder = make_decoder(api)
    events = [event for piece in pieces for event in decoder.feed(piece)]
    events += decoder.finish()
    assert decoder.feed(b"data: {}\n\n") == decoder.finish() == []
    return events


@pytest.mark.parametrize("api", STYLES)
@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data(), changes=CHANGES, seed=st.integers(0, 2**32))
def test_damaged_answers(api: str, data: Any, changes: list[tuple[str, float, int, bytes]], seed: int) -> None:
    body = damaged(SEEDS[api][data.draw(st.integers(0, len(SEEDS[api]) - 1))], changes)
    check(decode(api, random_cut(body, random.Random(seed))))


@pytest.mark.parametrize("api", STYLES)
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data(), rng=st.randoms(use_true_random=False))
def test_values_of_wrong_types(api: str, data: Any, rng: random.Random) -> None:
    check(decode(api, random_cut(mistyped(SEEDS[api][data.draw(st.integers(0, len(SEEDS[api]) - 1))], rng), rng)))


@pytest.mark.parametrize("api", STYLES)
@settings(max_examples=120, deadline=None)
@given(noise=st.binary(max_size=200), lead=st.sampled_from(LEADS), size=st.integers(1, 50))
def test_any_bytes(api: str, noise: bytes, lead: bytes, size: int) -> None:
    body = lead + noise
    check(decode(api, [body[at : at + size] for at in range(0, len(body), size)]))


@pytest.mark.parametrize("api", STYLES)
def test_deep_nesting(api: str) -> None:
    for body in (b"[" * 100_000, b"data: " + b'{"a":' * 100_000 + b"\n\n", b'{"a":' * 100_000 + b"\n"):
        check(decode(api, [body]))
