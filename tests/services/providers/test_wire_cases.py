"""Every answer that once broke a client is understood, however the network cuts it."""

from typing import Any

import pytest

from deepchat_desktop.services.providers.base_url import endpoint_url
from deepchat_desktop.services.providers.wire_fold import fold
from tests.services.providers.wire_cases import (
    body_of,
    cases,
    cuts,
    differences,
    fold_chat,
    json_of,
    readable,
    style_of,
)


@pytest.mark.parametrize("case", readable([*cases("stream"), *cases("stream_events")]))
def test_a_stream_means_what_the_case_says(case: dict[str, Any]) -> None:
    body = body_of(case)
    results = [fold(style_of(case), pieces) for pieces in cuts(body, seed=len(body))]
    assert differences(results[0], case["expected"]) == []
    assert all(result == results[0] for result in results)


WITH_ROWS = ("err-429-quota", "err-context-phrases")


@pytest.mark.parametrize("case", readable(case for case in cases("http") if case["id"] not in WITH_ROWS))
def test_a_whole_answer_means_what_the_case_says(case: dict[str, Any]) -> None:
    answer = json_of(case["id"])
    body = answer["body_text"].encode() if "body_text" in answer else _bytes(answer["body"])
    assert differences(fold(style_of(case), [body], answer["status"], answer["headers"]), case["expected"]) == []


def test_a_spent_quota_is_no_rate_limit() -> None:
    for variant in json_of("err-429-quota")["variants"]:
        error = fold_chat([_bytes(variant["body"])], variant["status"])["error"]
        assert (error["kind"], error["retryable"]) == ("quota", False)


@pytest.mark.parametrize("row", json_of("err-context-phrases")["overflow"], ids=lambda row: row["provider"])
def test_a_full_window_is_told_from_its_words(row: dict[str, Any]) -> None:
    assert fold_chat([_bytes(row["body"])], row["status"])["error"]["kind"] == "context_overflow"


@pytest.mark.parametrize("row", json_of("err-context-phrases")["not_overflow"])
def test_what_only_sounds_like_a_full_window_is_none(row: dict[str, Any]) -> None:
    want = "rate_limit" if row["status"] == 429 else "bad_request"
    assert fold_chat([_bytes(row["body"])], row["status"])["error"]["kind"] == want


@pytest.mark.parametrize("row", json_of("rq-base-urls")["rows"], ids=lambda row: row[0].strip())
def test_a_base_url_leads_to_the_endpoint(row: list[str]) -> None:
    assert endpoint_url(row[0], "/chat/completions") in row[1].split("|")


def test_an_unknown_style_is_said_so() -> None:
    with pytest.raises(Exception, match="not supported yet") as caught:
        fold("carrier_pigeon", [b""])
    assert caught.value.code == "unsupported_feature"  # type: ignore[attr-defined]


def _bytes(value: object) -> bytes:
    import json

    return json.dumps(value).encode()
