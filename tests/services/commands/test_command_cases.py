"""The security cases of area ``command``, and what must hold for any command."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deepchat_desktop.domain.permission import Grant
from deepchat_desktop.services.commands import parse as parsing
from deepchat_desktop.services.commands.approval import command_key
from deepchat_desktop.services.commands.classify import CommandDecision, CommandRequest, classify
from deepchat_desktop.services.commands.environment import SEARCH_PATH, program_path, safe_environment, steers
from deepchat_desktop.services.commands.hard_gate import gated
from deepchat_desktop.services.commands.parse import Parsed, parse
from deepchat_desktop.services.commands.prefix_rules import BadRule, PrefixRule, made
from deepchat_desktop.services.permissions import path_judge

CASES_FILE = Path(__file__).resolve().parents[2] / "data" / "security.jsonl"
Case = dict[str, Any]


def load() -> list[Case]:
    lines = CASES_FILE.read_text(encoding="utf-8").splitlines()
    return [case for case in map(json.loads, lines) if case["area"] == "command"]


def build(case: Case, root: Path) -> None:
    for entry in case["context"]["workspace"]["entries"]:
        place = root / entry["path"].lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        if entry["type"] == "symlink":
            place.symlink_to(root / entry["target"].lstrip("/"))
        else:
            place.write_text("x", encoding="utf-8")


def text_of(case: Case) -> str:
    given_text = case["input"] if isinstance(case["input"], str) else case["input"]["command"]
    return "echo " + "a" * 70_000 if case["id"] == "cmd-197" else given_text


def judged(case: Case, root: Path) -> CommandDecision:
    context = case["context"]
    asked = case["input"] if isinstance(case["input"], dict) else {}

    def here(path: str) -> str:
        return path.replace("/home/u", str(root / "home/u")) if context["os"] != "windows" else path

    workspace, cwd = here(context["workspace"]["root"]), here(asked.get("cwd", context["cwd"]))
    shell = context["shell"]
    grants = [
        Grant(session_id="s", root=here(grant["path"]), level=grant["tier"], created_at=0)
        for grant in context["grants"]
    ]
    approved = {
        command_key(parse(each["command"]), cwd=here(each["cwd"]), shell=shell, env={})
        for each in context["command_approvals"]
        if not each.get("consumed")
    }
    rules = [made(tuple(rule["tokens"])) for rule in context["prefix_rules"]]
    request = CommandRequest(
        here(text_of(case)), cwd, workspace, context["mode"], shell, asked.get("env", {}), here("/home/u")
    )
    return classify(request, path_judge(workspace, root / "own", grants), approved, rules)


@pytest.mark.parametrize("case", load(), ids=lambda case: case["id"])
def test_command_case(case: Case, tmp_path: Path) -> None:
    wanted = case["expected"]["decision"]
    if isinstance(case["input"], dict) and "create_prefix_rule" in case["input"]:
        with pytest.raises(BadRule):
            made(tuple(case["input"]["create_prefix_rule"]))
        return
    build(case, tmp_path)
    told = judged(case, tmp_path)
    assert told.decision == wanted, told
    if case["invariant"] == "MOD-1" and wanted == "ask":
        assert told.rule == "MOD-1"
        assert not told.memorable


@pytest.mark.parametrize(
    "text",
    [
        "sudo rm -rf /", "rm -rf ~", "rm -rf $HOME/", "rm --recursive --force ..", "rm --rec -f ../other", "rm -fR *",
        "ls; rm -rf .git", "sh -c 'rm -rf /'", "bash -c \"cd / && rm -rf *\"", "env A=1 nice -n 5 rm -r /etc",
        "find / -delete", "find . -name x -exec rm {} +", "find .. -exec rm -rf {} ;", "echo x | xargs rm -rf",
        "eval 'rm -rf /'", "rm -rf /tmp/$X", "timeout 5 rm -rf /home/u", "rm -rf \"$DIR\"", "(rm -rf .)",
        "if true; then rm -rf /; fi", "f() { rm -rf ~; }; f", "rm -rf src/../.git/hooks", "\\rm -rf /",
        "command rm -r ./", "echo $(rm -rf /)", "rm -rf 'unterminated", "su -c 'rm -rf /' root",
    ],
)  # fmt: skip
def test_no_mode_lets_a_catastrophe_pass(text: str, tmp_path: Path) -> None:
    workspace = tmp_path / "proj"
    (workspace / "src").mkdir(parents=True)
    request = CommandRequest(text, str(workspace), str(workspace), "full", home=str(tmp_path))
    told = classify(request, path_judge(str(workspace), tmp_path / "own", ()))
    assert (told.decision, told.memorable) == ("ask", False), told


@pytest.mark.parametrize(
    "text", ["rm -rf build", "rm -r src/old dist", "rm -rf build/*", "rm README.md", "find src -name '*.pyc' -delete",
             "npm run clean", "git rm -r src", "ls -R /", "sh -c 'echo rm'", "rm -f notes.md"],
)  # fmt: skip
def test_ordinary_deletes_are_no_catastrophe(text: str, tmp_path: Path) -> None:
    workspace = tmp_path / "proj"
    workspace.mkdir()
    assert gated(text, cwd=str(workspace), workspace=str(workspace), home=str(tmp_path)) == ""


@pytest.mark.parametrize(
    ("text", "shell"),
    [("Remove-Item -Recurse C:\\", "powershell"), ("rd /s /q C:\\", "cmd"), ("del /f /s *", "cmd")],
)
def test_shells_without_a_parser_have_a_gate_too(text: str, shell: str) -> None:
    request = CommandRequest(text, "C:\\w", "C:\\w", "full", shell)
    assert classify(request, lambda _path, _cwd: "inside").decision == "ask"
    harmless = CommandRequest("dir", "C:\\w", "C:\\w", "full", shell)
    assert classify(harmless, lambda _path, _cwd: "inside").decision == "allow"


def test_without_the_parser_nothing_is_allowed_unasked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(parsing, "_parser", lambda: None)
    told = classify(CommandRequest("ls", str(tmp_path), str(tmp_path), "ask"), lambda _path, _cwd: "inside")
    assert (told.decision, told.rule) == ("ask", "CMD-3")


def test_a_rule_keeps_its_examples_and_lets_no_acting_option_through() -> None:
    log = made(("git", "log"))
    assert log.covers(("git", "log", "--oneline", "-5"))
    for word in ("--output=x", "--outp", "--ext-diff", "-ofile", "--textconv"):
        assert not log.covers(("git", "log", word))
    kept = PrefixRule(tokens=("cargo", "test"), match=(("cargo", "test", "-q"),), not_match=(("cargo", "run"),))
    assert made(kept.tokens, kept) == kept
    with pytest.raises(BadRule, match="example"):
        made(kept.tokens, kept.model_copy(update={"not_match": (("cargo", "test"),)}))
    for tokens in ((), ("",), ("/usr/bin/git",), ("python3.11",), ("bash", "-c")):
        with pytest.raises(BadRule):
            made(tokens)


def test_what_runs_unasked_gets_little_of_the_environment(tmp_path: Path) -> None:
    own = {"PATH": "/evil", "LD_PRELOAD": "x", "HOME": "/h", "LC_ALL": "C", "OPENAI_API_KEY": "k", "BASH_ENV": "x"}
    assert safe_environment(own) == {"HOME": "/h", "LC_ALL": "C", "PATH": os.pathsep.join(SEARCH_PATH)}
    assert all(map(steers, ("LD_PRELOAD", "BASH_ENV", "PATH", "PYTHONPATH", "GIT_SSH", "BASH_FUNC_x%%", "IFS")))
    assert not steers("MY_SETTING")
    assert program_path("ls", str(tmp_path)) in {f"{folder}/ls" for folder in SEARCH_PATH}
    assert program_path("./ls", None) is None
    assert program_path("ls", "/") is None  # within the workspace


WORDS = st.sampled_from(
    ["ls", "cat", "a.txt", "-la", "'x y'", '"q"', "$HOME", "`id`", ";", "&&", "|", ">", "<", "(", ")", "{a,b}", "*",
     "~", "\\", "\n", "!", "#", "&", "-n", "--", "=", "A=1", "src/a", "time", "\t", "'", '"', "é", "\u200b",
     "$'x'", "5"]
)  # fmt: skip


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(WORDS, min_size=1, max_size=6), st.sampled_from([" ", "", "  "]))
def test_what_is_plain_is_what_a_shell_would_run(shim: Path, words: list[str], blank: str) -> None:
    """Of every text that counts as plain words, a real shell makes the same words."""
    try:
        argv = parse(blank.join(words)).argv
    except parsing.BadCommand:
        return
    if argv is None or argv[0] not in ("ls", "cat"):
        return
    done = subprocess.run(
        ["/bin/bash", "--norc", "-c", blank.join(words)], env={"PATH": str(shim)}, cwd=shim, stdin=subprocess.DEVNULL,
        capture_output=True, timeout=10, check=False,
    )  # fmt: skip
    assert done.stdout.decode().split("\0")[:-1] == list(argv)


@pytest.fixture(scope="module")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an ``ls`` and a ``cat`` that tell how they were called."""
    folder = tmp_path_factory.mktemp("shim")
    for name in ("ls", "cat"):
        (folder / name).write_text(f"#!/bin/sh\nprintf '%s\\0' {name} \"$@\"\n", encoding="utf-8")
        (folder / name).chmod(0o755)
    return folder


@given(st.lists(WORDS, max_size=5), st.lists(WORDS, max_size=5))
def test_an_approval_is_for_one_command_only(one: list[str], other: list[str]) -> None:
    texts = ["npm " + " ".join(words) for words in (one, other)]
    try:
        parsed: list[Parsed] = [parse(text) for text in texts]
    except parsing.BadCommand:
        return
    first, second = (command_key(each, cwd="/", shell="bash", env={}) for each in parsed)
    same = parsed[0].argv == parsed[1].argv and (parsed[0].argv is not None or parsed[0].text == parsed[1].text)
    assert (first == second) == same
    assert first != command_key(parsed[0], cwd="/tmp", shell="bash", env={})
    assert first != command_key(parsed[0], cwd="/", shell="bash", env={"A": "1"})
