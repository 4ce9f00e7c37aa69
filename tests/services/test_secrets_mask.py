"""Keys in texts: every spelling of a known key and every place where a credential stands is blanked."""

from __future__ import annotations

import base64
import io
import json
import logging
import re
from collections.abc import Iterator
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepchat_desktop.services.secrets import MASK, MaskFilter, looks_like_key, mask, remember

KEY = "SENTINEL-KEY-NOT-A-REAL-ONE-0001"
ODD = 'odd/key+with "quotes"\\ & ünïcode=%'


@pytest.fixture(autouse=True, scope="module")
def known() -> None:
    remember(KEY)
    remember(ODD)


@pytest.mark.parametrize("key", [KEY, ODD])
@pytest.mark.parametrize(
    "spell",
    [
        str,
        lambda key: quote(key, safe=""),
        lambda key: re.sub("%..", lambda match: match.group().lower(), quote(key, safe="")),
        lambda key: json.dumps(key)[1:-1],
        lambda key: json.dumps({"error": f"bad key {key}"}, ensure_ascii=False),
        lambda key: base64.b64encode(key.encode()).decode(),
        lambda key: base64.urlsafe_b64encode(key.encode()).decode(),
        lambda key: repr(key.encode() if key == KEY else key),
    ],
    ids=range(8),
)
def test_every_spelling_is_blanked(key: str, spell: object) -> None:
    assert callable(spell)
    spelled = spell(key)
    masked = mask(f"before {spelled} after")
    assert MASK in masked
    assert spelled not in masked
    assert masked.startswith("before ")
    assert masked.endswith(" after")


@given(st.text("abcXYZ019:@", max_size=9), st.text("abcXYZ019:@", max_size=9))
def test_base64_is_blanked_at_any_alignment(before: str, after: str) -> None:
    remember(KEY)
    encoded = base64.b64encode(f"{before}{KEY}{after}".encode()).decode()
    masked = mask(encoded)
    assert MASK in masked
    # 32 bytes fill at least 41 characters that depend on nothing but the key.
    assert len(encoded) - len(masked.replace(MASK, "")) >= 41


@pytest.mark.parametrize(
    "text",
    [
        "GET https://api.x.test/v1?key=UNKNOWN99 HTTP/1.1",
        "https://api.x.test/v1?a=b&api_key=UNKNOWN99",
        "https://api.x.test/v1?access_token=UNKNOWN99#end",
        "https://me:UNKNOWN99@api.x.test/",
        "Authorization: Bearer UNKNOWN99",
        "authorization: UNKNOWN99",
        "[(b'Authorization', b'Bearer UNKNOWN99'), (b'Host', b'x')]",
        '{"Authorization": "Bearer UNKNOWN99"}',
        "x-api-key: UNKNOWN99",
        "{'x-goog-api-key': 'UNKNOWN99'}",
        "Proxy-Authorization: Basic UNKNOWN99",
        "the server said: Bearer UNKNOWN99 is bad",
    ],
)
def test_a_credential_is_known_by_its_place(text: str) -> None:
    masked = mask(text)
    assert "UNKNOWN99" not in masked
    assert MASK in masked
    assert mask(masked) == masked


@pytest.mark.parametrize(
    "text",
    [
        "",
        "The key is under the mat.",
        "https://x.test/monkey=3?page=2&size=10",
        "def token(value): return value",
        "Press any key: now",
        "A bearer of bad news",
    ],
)
def test_ordinary_text_stays(text: str) -> None:
    assert mask(text) == text


def test_a_very_short_key_does_not_blank_everything() -> None:
    remember("a")
    remember("")
    assert mask("a banana") == "a banana"


@pytest.mark.parametrize(
    "text",
    [
        "my key is sk-proj-abcdefghij0123456789",
        "AIza" + "x" * 35,
        "ghp_" + "a1" * 18,
        "AKIA" + "ABCDEFGHIJKLMNOP",
        "-----BEGIN RSA PRIVATE KEY-----",
        f"use {KEY}",
    ],
)
def test_a_pasted_key_is_noticed(text: str) -> None:
    assert looks_like_key(text)


@pytest.mark.parametrize("text", ["", "What is a key?", "risk-free", "task-based-scheduling-of-things", "sk-short"])
def test_ordinary_words_are_no_keys(text: str) -> None:
    assert not looks_like_key(text)


@pytest.fixture
def log() -> Iterator[tuple[logging.Logger, io.StringIO]]:
    out = io.StringIO()
    handler = logging.StreamHandler(out)
    handler.addFilter(MaskFilter())
    logger = logging.getLogger("secrets.mask.test")
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    logger.propagate = False
    yield logger, out
    logger.removeHandler(handler)
    logger.propagate = True


def test_no_log_record_holds_a_key(log: tuple[logging.Logger, io.StringIO]) -> None:
    logger, out = log
    logger.debug("send_request_headers %r", [(b"Authorization", f"Bearer {KEY}".encode())])
    logger.info("GET https://x.test/?key=%s", KEY)
    logger.info("%s and %d", KEY, 5)
    logger.warning("bad arguments %d", KEY)
    logger.info("in a dict %(key)s", {"key": KEY})
    try:
        int(KEY)  # the error's text quotes it
    except ValueError:
        logger.exception("it failed", stack_info=True)
    text = out.getvalue()
    assert KEY not in text
    assert text.count(MASK) >= 6
    assert "Traceback" in text
    assert "and 5" in text
