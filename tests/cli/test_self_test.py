"""The self-test of the installation passes here, and says so when something is broken."""

from __future__ import annotations

import json
from pathlib import Path

from deepchat_desktop import self_test
from tests.cli.conftest import Deepchat


def test_this_installation_passes(deepchat: Deepchat, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    ran = deepchat("--self-test", "--self-test-out", str(report))
    assert (ran.code, ran.out) == (0, "")
    told = json.loads(report.read_text())
    assert told["ok"] is True
    assert all(set(check) == {"name", "ok", "ms", "detail"} for check in told["checks"])
    names = {check["name"] for check in told["checks"]}
    assert names >= {"import mcp", "worker echo", "worker render", "worker local_model", "HTTP on loopback", "Qt",
                     "Qt event loop"}  # fmt: skip
    assert not deepchat.data_dir.exists()


def test_wrong_arguments(deepchat: Deepchat) -> None:
    assert deepchat("--self-test", "--nonsense").code == 2


def test_a_broken_part_and_one_that_hangs_are_reported() -> None:
    def broken() -> str:
        raise RuntimeError("it is broken")

    def hanging() -> str:
        import threading

        threading.Event().wait(5)
        return ""

    assert self_test._timed("x", broken, 5)["detail"] == "RuntimeError: it is broken"
    late = self_test._timed("y", hanging, 0.05)
    assert late["ok"] is False
    assert "no end" in late["detail"]
