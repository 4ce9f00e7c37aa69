"""The one place that builds HTTP clients."""

import logging

import pytest

from deepchat_desktop.services.http import WIRE_LOGGERS, is_loopback, new_client, quiet_http_logs


@pytest.mark.parametrize(
    ("url", "want"),
    [
        ("http://127.0.0.1:1/v1", True),
        ("http://127.9.9.9", True),
        ("http://localhost:8080", True),
        ("http://[::1]:1", True),
        ("http://LOCALHOST", True),
        ("http://localhost.evil.test", False),
        ("http://127.0.0.1.evil.test", False),
        ("http://user@192.0.2.1", False),
        ("http://127.0.0.1@evil.test", False),
        ("http://[::1", False),
        ("", False),
    ],
)
def test_loopback(url: str, want: bool) -> None:
    assert is_loopback(url) is want


@pytest.mark.anyio
async def test_a_client_ignores_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://192.0.2.1:1")
    monkeypatch.setenv("ALL_PROXY", "http://192.0.2.1:1")
    async with new_client("http://127.0.0.1:9") as client:
        assert client.trust_env is False
        assert client.follow_redirects is False
        assert client.headers["accept-encoding"] == "gzip, deflate"


def test_http_libraries_log_nothing_below_warning() -> None:
    for name in WIRE_LOGGERS:
        logging.getLogger(name).setLevel(logging.DEBUG)
    quiet_http_logs()
    assert {logging.getLogger(name).level for name in WIRE_LOGGERS} == {logging.WARNING}
