"""``explain command`` and ``explain path``: what the rules say, without anything being run or opened."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Deepchat


def test_a_command_is_judged_with_its_reason(deepchat: Deepchat, tmp_path: Path) -> None:
    where = ["--workspace", str(tmp_path)]
    reads = deepchat("explain", "command", "ls -la", *where, "--json").json
    assert (reads["decision"], reads["rule"], len(reads["key"])) == ("allow", "CMD-3", 64)
    assert reads["resolved"].endswith("/ls")
    asks = deepchat("explain", "command", "npm run build", *where, "--json").json
    assert (asks["decision"], asks["resolved"]) == ("ask", "")
    again = deepchat("explain", "command", "npm  run build", *where, "--approved", "npm run build", "--json").json
    assert (again["decision"], again["rule"], again["key"]) == ("allow", "CMD-1", asks["key"])
    ruled = deepchat("explain", "command", "npm run lint", *where, "--prefix", "npm run", "--json").json
    assert (ruled["decision"], ruled["rule"]) == ("allow", "CMD-2")
    loads = deepchat("explain", "command", "ls", *where, "--env", "LD_PRELOAD=x.so", "--json").json
    assert loads["decision"] == "deny"
    assert deepchat("explain", "command", "dir", *where, "--os", "windows").out.startswith("ask: ")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["command", "ls", "--prefix", "python3 -c"], "runs whatever it is told"),
        (["command", "ls", "--approved", " "], "empty"),
        (["command", "ls", "--env", "NAME"], "NAME=VALUE"),
        (["path", "x", "--need", "read", "--grant", "some:x"], "TIER:PATH"),
        (["path", "x", "--need", "read", "--tool", "write"], "needs to write"),
    ],
)
def test_what_cannot_be_judged_is_a_usage_error(deepchat: Deepchat, arguments: list[str], words: str) -> None:
    ran = deepchat("explain", *arguments)
    assert ran.code == 2
    assert words in ran.err


def test_a_path_is_judged_by_where_it_leads(deepchat: Deepchat, tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "secret").write_text("x", encoding="utf-8")
    (tmp_path / "work" / "link").symlink_to(tmp_path / "secret")
    where = ["--workspace", str(tmp_path / "work"), "--json"]
    told = deepchat("explain", "path", "link", "--need", "read", *where).json
    assert (told["decision"], told["resolved"]) == ("ask", str(tmp_path / "secret"))
    granted = deepchat("explain", "path", "link", "--need", "read", "--grant", f"read:{tmp_path}", *where).json
    assert (granted["decision"], granted["rule"]) == ("allow", "TIER-1")
    assert deepchat("explain", "path", ".env", "--need", "write", "--mode", "full", *where).json["decision"] == "ask"
