"""Sessions: found by what was said, shown, and deleted without a trace."""

from __future__ import annotations

from tests.cli.conftest import Deepchat, at
from tests.fakes.chat_answers import chat
from tests.fakes.wire_server import WireServer


def test_an_empty_data_folder_holds_nothing_and_is_not_made(deepchat: Deepchat) -> None:
    assert deepchat("sessions", "list", "--json").json == []
    assert deepchat("sessions", "search", "anything", "--json").json == []
    assert "no sessions" in deepchat("sessions", "list").err
    assert not deepchat.data_dir.exists()


def test_search_show_and_delete(deepchat: Deepchat, server: WireServer) -> None:
    server.add(chat("The lighthouse keeper waved."), chat("天气很好。"))
    first = deepchat("ask", "Tell me about the sea", *at(server), "--jsonl").lines[-1]["session_id"]
    second = deepchat("ask", "天气怎么样", *at(server), "--jsonl").lines[-1]["session_id"]
    (hit,) = deepchat("sessions", "search", "LIGHTHOUSE", "--json").json
    assert hit["id"] == first
    assert "lighthouse" in hit["snippet"]
    assert {item["id"] for item in deepchat("sessions", "search", "天气", "--json").json} == {second}
    shown = deepchat("sessions", "show", first)
    assert "Tell me about the sea" in shown.out
    assert "The lighthouse keeper waved." in shown.out
    assert deepchat("sessions", "delete", first).code == 0
    assert [session["id"] for session in deepchat.sessions()] == [second]
    assert b"lighthouse" not in b"".join(
        path.read_bytes() for path in deepchat.data_dir.rglob("*") if path.is_file()
    ), "what was deleted is gone from the disk"
