"""What the command line understands, refuses, and never does by mistake. No process of its own, no data folder."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from deepchat_desktop.cli import run
from tests.cli.conftest import ROOT

AD_HOC = ["--api", "openai_chat", "--base-url", "http://127.0.0.1:1/v1", "--model-id", "m"]

ADD = ["providers", "add", "x", "--api", "openai_chat", "--base-url", "https://a.test"]


@pytest.mark.parametrize(
    "argv",
    [
        ["mcp"],
        ["mcp", "list", "--json"],
        ["mcp", "add", "name", "--", "npx", "-y", "thing"],
        ["backup", "file.zip"],
        ["restore", "file.zip", "--force"],
        ["explain", "link", "deepchat://x"],
        ["explain", "context", "ID", "--help"],
        ["sessions", "fork", "ID"],
        ["sessions", "export", "ID", "--format", "md"],
        ["sessions", "import", "FILE"],
        ["answer", "ID", "--choice", "1"],
        ["answer", "ID", "--text", "word"],
        ["answer", "ID", "--allow", "--scope", "always"],
    ],
)
def test_what_comes_later_is_refused_in_words(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(argv) == 2
    out, err = capsys.readouterr()
    assert "comes in a later version" in err
    assert not out


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["ask"], "TEXT"),
        (["ask", "hi", "--nonsense"], "--nonsense"),
        (["ask", "hi", "--sess", "X"], "--sess"),
        (["ask", "  "], "empty"),
        (["ask", "hi", "--model", "name"], "PROVIDER/MODEL"),
        (["ask", "hi", "--model", "a/b", *AD_HOC], "not both"),
        (["ask", "hi", *AD_HOC[:4]], "--model-id"),
        (["ask", "hi", "--api-key-env", "X"], "--base-url"),
        (["ask", "hi", "--context", "0"], "above 0"),
        (["ask", "hi", "--max-output", "many"], "--max-output"),
        (["ask", "hi", "--mode", "full", "--no-tools"], "--no-tools"),
        (["ask", "hi", "--mode", "yolo"], "--mode"),
        (["ask", "hi", "--workspace", "/no/such/folder"], "not a folder"),
        (["ask", "hi", "--attach", "/no/such/file"], "no such file"),
        (["answer", "ID"], "--allow or --deny"),
        (["answer", "ID", "--allow", "--deny"], "not allowed with"),
        (["answer", "ID", "--deny", "--scope", "session"], "--scope"),
        (["sessions"], "ACTION"),
        (["sessions", "show"], "ID"),
        (["models", "pull", "--sha256", "0" * 64], "--from"),
        (["models", "pull", "--from", "x", "--sha256", "abc"], "64"),
        (["providers", "add", "x", "--api", "openai_chat"], "--base-url"),
        (["providers", "add", "local", "--api", "openai_chat", "--base-url", "https://a.test"], "name"),
        ([*ADD, "--header", "A"], "NAME=VALUE"),
        ([*ADD, "--header", "X-Api-Key=abc"], "looks like a key"),
        (["explain", "wire", "--api", "openai_chat", "/no/such/file"], "Cannot read"),
        (["explain", "wire", "--api", "openai_chat", __file__, "--cut", "0"], "above 0"),
        (["nonsense", "really"], "nonsense"),
    ],
)
def test_wrong_arguments_are_named(argv: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(argv) == 2
    assert said in capsys.readouterr().err


def test_a_key_given_as_argument_is_refused_and_not_repeated(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["providers", "set-key", "name", "sk-not-a-real-key-0001"]) == 2
    out, err = capsys.readouterr()
    assert "never from an argument" in err
    assert "sk-not" not in out + err


@pytest.mark.parametrize("url", ["https://user:pass@a.test/v1", "https://a.test/v1?api_key=abcdefgh1234", "ftp://a.test"])
def test_an_address_that_cannot_be_kept_is_refused(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["providers", "add", "x", "--api", "openai_chat", "--base-url", url]) == 1
    assert "pass" not in capsys.readouterr().err.replace("password", "")


def test_a_missing_key_variable_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ask", "hi", *AD_HOC, "--api-key-env", "NO_SUCH_VARIABLE"]) == 1
    assert "NO_SUCH_VARIABLE" in capsys.readouterr().err


def test_nothing_was_written(data_dir: Path) -> None:
    run(["ask", "hi", *AD_HOC, "--attach", "/no/such/file"])
    assert not data_dir.exists()


def test_version_and_parsing_are_light() -> None:
    program = (
        "import sys\n"
        "from deepchat_desktop.cli import run\n"
        "assert run(['mcp', 'list']) == 2\n"
        "heavy = {'PySide6', 'httpx', 'pydantic', 'peewee', 'apsw', 'keyring', 'mcp', 'asyncio'} & set(sys.modules)\n"
        "sys.exit(f'loaded: {heavy}' if heavy else 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
