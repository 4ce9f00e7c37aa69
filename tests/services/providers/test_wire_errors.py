"""What a refusal means, what of it is shown, and how long it asks to wait."""

import json
from email.utils import formatdate

import pytest

from deepchat_desktop.services.providers.wire_errors import classify

KEY = "SENTINEL-KEY-NOT-A-REAL-ONE-0001"


def kind(status: int | None, body: object) -> str:
    return classify(status, {}, json.dumps(body).encode()).error


@pytest.mark.parametrize(
    ("status", "body", "want"),
    [
        (401, {"error": {"message": "Unauthorized"}}, "auth"),
        (403, {"error": {"message": "Forbidden"}}, "auth"),
        (403, {"error": {"message": "Your input was flagged", "code": 403}}, "content_filter"),
        (402, {"error": {"message": "Insufficient Balance"}}, "quota"),
        (404, {"detail": "Not Found"}, "model_not_found"),
        (408, {}, "timeout"),
        (409, {}, "server"),
        (429, {}, "rate_limit"),
        (500, {"error": {"message": "boom"}}, "server"),
        (502, {}, "server"),
        (503, {"error": {"message": "Loading model", "type": "unavailable_error", "code": 503}}, "overloaded"),
        (529, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, "overloaded"),
        (400, {"error": {"message": "bad", "code": "content_filter", "innererror": {"code": "x"}}}, "content_filter"),
        (400, {"error": {"message": "No. Missing API key"}}, "auth"),
        (400, {"error": "x:latest does not support tools"}, "unsupported_feature"),
        (400, {"error": {"message": "m: unknown variant `image_url`"}}, "bad_request"),
        (422, {"detail": [{"loc": ["body"], "msg": "field required"}]}, "bad_request"),
        (302, {}, "bad_request"),
        (None, {"error": {"message": "boom", "code": 429}}, "rate_limit"),
        (None, {"error": {"message": "boom", "type": "invalid_request_error"}}, "bad_request"),
        (None, {"error": {"message": "boom"}}, "server"),
    ],
)
def test_kinds(status: int | None, body: object, want: str) -> None:
    assert kind(status, body) == want


def test_a_gateway_tells_the_real_reason_inside() -> None:
    raw = json.dumps({"error": {"message": "prompt is too long: 9 tokens > 8", "type": "invalid_request_error"}})
    metadata = {"raw": raw, "provider_name": "X"}
    body = {"error": {"message": "Provider returned error", "code": 400, "metadata": metadata}}
    error = classify(400, {}, json.dumps(body).encode())
    assert error.error == "context_overflow"
    assert error.message.startswith("prompt is too long")
    metadata["raw"] = "upstream is on fire"
    assert classify(502, {}, json.dumps(body).encode()).message == "upstream is on fire"


def test_what_is_shown_is_short_and_holds_no_secret() -> None:
    text = (
        f"Bad key {KEY} for https://user:pw@api.test/v1?key=SENTINEL&x=1 and https://api.test?api_key={KEY}\n\x1b[31m"
        f"Authorization: Bearer abc.def sk-proj-0123456789abcdefghij {'long ' * 200}"
    )
    error = classify(400, {}, json.dumps({"error": {"message": text}}).encode(), mask=lambda t: t.replace(KEY, "***"))
    assert len(error.message) <= 300
    for secret in (KEY, "SENTINEL", "pw@", "abc.def", "0123456789abcdefghij", "\x1b", "\n"):
        assert secret not in error.message


def test_a_page_is_told_by_status_and_title() -> None:
    page = b"<html><head><title>Bad\n gateway</title></head><body>Ray ID 8f1 IP 203.0.113.9</body></html>"
    error = classify(502, {}, page)
    assert error.message == "The server answered with a web page: status 502, \u201cBad gateway\u201d."
    assert "203" not in classify(520, {}, b"<html><body>203.0.113.9</body></html>").message


def test_a_redirect_is_explained() -> None:
    assert "Redirects are not followed" in classify(307, {"location": "https://evil.test/?k=1"}, b"").message


@pytest.mark.parametrize(
    ("headers", "want"),
    [
        ({"Retry-After": "7"}, 7),
        ({"retry-after": "0"}, 0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "Wed, 21 Oct 2026 07:28:30 GMT", "date": "Wed, 21 Oct 2026 07:28:00 GMT"}, 30),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:30 GMT"}, 0),
        ({"retry-after": "99999999"}, 86_400),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-5"}, None),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "6m0.5s"}, 360.5),
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "20ms"}, 0.02),
        ({"x-ratelimit-remaining-requests": "5", "x-ratelimit-reset-requests": "20s"}, None),
        ({}, None),
    ],
)
def test_how_long_to_wait(headers: dict[str, str], want: float | None) -> None:
    assert classify(429, headers, b"{}").retry_after_s == want


def test_a_date_without_the_servers_clock_counts_from_now() -> None:
    import time

    told = classify(429, {"retry-after": formatdate(time.time() + 1000, usegmt=True)}, b"{}").retry_after_s
    assert told is not None
    assert 900 < told <= 1000


def test_google_tells_the_wait_in_the_body() -> None:
    body = {"error": {"code": 429, "message": "m", "details": [{"@type": "RetryInfo", "retryDelay": "36s"}]}}
    assert classify(429, {}, json.dumps([body]).encode()).retry_after_s == 36


def test_a_wait_is_told_only_where_waiting_helps() -> None:
    body = json.dumps({"error": {"message": "m", "code": "insufficient_quota"}}).encode()
    assert classify(429, {"retry-after": "7"}, body).retry_after_s is None
