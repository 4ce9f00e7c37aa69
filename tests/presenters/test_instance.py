"""A second start hands its arguments to the first, and to nobody else."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from deepchat_desktop.presenters.instance import InstanceServer
from tests.signals import until

pytestmark = pytest.mark.anyio

HAND_OVER = """
import sys
from pathlib import Path
from deepchat_desktop.presenters.instance import hand_over
sys.exit(0 if hand_over(Path(sys.argv[1]), sys.argv[2:], patience_s=0.3) else 1)
"""


async def second_start(data_dir: Path, *arguments: str) -> int:
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", HAND_OVER, str(data_dir), *arguments)
    return await process.wait()


async def test_arguments_reach_the_first_instance(qt_loop: object, data_dir: Path) -> None:
    handed: list[list[str]] = []
    server = InstanceServer(data_dir, handed.append)
    assert server.listening

    assert await second_start(data_dir, "deepchat://start?msg=嗨") == 0
    assert await second_start(data_dir) == 0

    await until(lambda: len(handed) == 2)
    assert handed == [["deepchat://start?msg=嗨"], []]
    server.close()


async def test_nobody_there_is_said(qt_loop: object, data_dir: Path) -> None:
    assert await second_start(data_dir) == 1


async def test_another_data_folder_is_another_instance(qt_loop: object, data_dir: Path, tmp_path: Path) -> None:
    handed: list[list[str]] = []
    server = InstanceServer(data_dir, handed.append)
    assert await second_start(tmp_path / "other") == 1
    assert handed == []
    server.close()


async def test_nonsense_on_the_socket_is_dropped(qt_loop: object, data_dir: Path) -> None:
    handed: list[list[str]] = []
    server = InstanceServer(data_dir, handed.append)
    code = (
        "import sys\nfrom pathlib import Path\nfrom PySide6.QtNetwork import QLocalSocket\n"
        "from deepchat_desktop.presenters import instance\n"
        "s = QLocalSocket(); s.connectToServer(instance._name(Path(sys.argv[1]))); assert s.waitForConnected(2000)\n"
        "s.write(b'{not json}\\n'); s.waitForBytesWritten(2000); s.waitForDisconnected(2000)\n"
    )
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", code, str(data_dir), stderr=subprocess.PIPE)
    assert await process.wait() == 0
    assert await second_start(data_dir, "x") == 0
    await until(lambda: bool(handed))
    assert handed == [["x"]]
    server.close()
