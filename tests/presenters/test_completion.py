"""What is offered for ``@``: files that may be named, sessions, and only the answer to the last question."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from deepchat_desktop.presenters.completion import LIMIT, Suggestion
from deepchat_desktop.services import workspace_files
from deepchat_desktop.services.workspace_files import list_files, matching, offered
from tests.fakes.chat_answers import chat
from tests.presenters.conftest import Stage


def tree(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("x")


def test_hidden_ignored_and_secret_files_are_left_out(tmp_path: Path) -> None:
    tree(tmp_path, "a.py", ".env", ".git/config", "node_modules/x/i.js", "src/b.py", "src/deep/c.py", "key.pem")
    tree(tmp_path, "o.log", "out/made.txt", "src/gen/g.py", "src/.hidden/h")
    (tmp_path / ".gitignore").write_text("# no\n*.log\nout/\n/src/gen\n!keep.log\n")
    (tmp_path / "away").symlink_to("/etc/hostname")
    (tmp_path / "loop").symlink_to(tmp_path)
    listed = list_files(str(tmp_path), lambda: False)
    assert listed == ["a.py", "away", "key.pem", "src/b.py", "src/deep/c.py"]
    may = offered(str(tmp_path), iter(listed), tmp_path / "data", 10)
    assert [path for path, _real in may] == ["a.py", "src/b.py", "src/deep/c.py"]
    assert may[1][1] == str(tmp_path / "src" / "b.py")
    assert offered(str(tmp_path), iter(["src/b.py"]), tmp_path / "src", 10) == [], "the app's own folder"


def test_the_walk_is_bounded_and_can_be_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree(tmp_path, *(f"d{number}/f{number}" for number in range(30)))
    monkeypatch.setattr(workspace_files, "MOST_FILES", 7)
    assert len(list_files(str(tmp_path), lambda: False)) == 7
    asked: list[int] = []
    assert list_files(str(tmp_path), lambda: len(asked) > 2 or bool(asked.append(1))) == ["d0/f0", "d1/f1"]


def test_names_come_before_folders_and_short_paths_first() -> None:
    paths = ["app/main.py", "main/x.py", "lib/domain.py", "Main.md"]
    assert list(matching(paths, "main", 9)) == ["Main.md", "app/main.py", "lib/domain.py", "main/x.py"]
    assert list(matching(paths, "main", 2)) == ["Main.md", "app/main.py"]
    assert list(matching(paths, "zzz", 9)) == []


@pytest.mark.anyio
async def test_files_and_sessions_are_found(stage: Stage) -> None:
    shell = stage.shell
    tree(stage.workspace, "src/plan.md", "other.txt")
    stage.server.add(chat("ok"))
    shell.agent.send("Plan the week")
    await stage.until(lambda: shell.messages.count() == 2 and not shell.agent.is_running())
    other = shell.session.current_id()
    shell.session.new_session()
    answers: list[tuple[str, tuple[Suggestion, ...]]] = []
    shell.agent.completion.found.connect(lambda query, found: answers.append((query, found)))
    shell.agent.completion.ask("other")
    shell.agent.completion.ask("plan")
    await stage.until(lambda: answers)
    ((query, found),) = answers
    assert query == "plan", "the older question is not answered any more"
    assert found == (
        Suggestion("file", "plan.md", "src", "@src/plan.md ", str(stage.workspace / "src" / "plan.md")),
        Suggestion("session", "Plan the week", "", "@Plan the week ", other),
    )
    assert len(found) <= LIMIT


@pytest.mark.anyio
async def test_the_folder_is_walked_once_while_the_popup_is_open_and_off_the_loop(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    walks: list[str] = []
    tree(stage.workspace, "a.py")
    from deepchat_desktop.presenters import completion

    def walk(*args):
        walks.append(threading.current_thread().name)
        return list_files(*args)

    monkeypatch.setattr(completion, "list_files", walk)
    answers: list[object] = []
    presenter = stage.shell.agent.completion
    presenter.found.connect(lambda query, found: answers.append(found))
    for query in ("", "a", "a."):
        count = len(answers)
        presenter.ask(query)
        await stage.until(lambda count=count: len(answers) > count)
    assert len(walks) == 1
    assert walks[0] != threading.main_thread().name
    tree(stage.workspace, "ab.py")
    presenter.forget()
    presenter.ask("ab")
    await stage.until(lambda: len(answers) == 4)
    assert [one.label for one in answers[-1]] == ["ab.py"]
    assert len(walks) == 2
