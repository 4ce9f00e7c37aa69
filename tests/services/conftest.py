"""What the tests of the services share: a real model file, where there is one."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import pytest

_DEFAULT = os.environ.get("DEEPCHAT_DATA_DIR")


def _candidates() -> list[Path]:
    named = os.environ.get("DEEPCHAT_TEST_MODEL")
    if named:
        return [Path(named)]
    import platformdirs

    folders = [Path(_DEFAULT)] if _DEFAULT else []
    folders += [Path(platformdirs.user_data_dir("deepchat-desktop", appauthor=False))]
    return [path for folder in folders for path in sorted((folder / "models").glob("*.gguf"))]


_FOUND = [path for path in _candidates() if path.is_file()]  # now: later the tests have a home of their own


@pytest.fixture(scope="session")
def model_file() -> Path:
    """A real GGUF file and the engine to run it, or the test is skipped by name."""
    if importlib.util.find_spec("xllamacpp") is None:
        pytest.skip('the engine is not installed (extra "local")')
    if not _FOUND:
        pytest.skip("no model file: set DEEPCHAT_TEST_MODEL to a .gguf file, or fetch one with `deepchat models pull`")
    return _FOUND[0]
