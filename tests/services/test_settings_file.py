"""The settings file: whole, private, and never lost when it cannot be understood."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from deepchat_desktop.domain.errors import ConfigError
from deepchat_desktop.domain.settings import AppSettings, ProviderSettings
from deepchat_desktop.services.settings_file import SettingsFile

SETTINGS = AppSettings(
    theme="dark",
    providers=(ProviderSettings(id="p1", name="Überall 中文", api="openai_chat", base_url="https://models.test/v1"),),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "settings.json"


def test_a_missing_file_gives_the_defaults(path: Path) -> None:
    file = SettingsFile(path)
    assert file.load() == AppSettings()
    assert file.notice is None
    assert not path.exists()


def test_what_is_saved_is_loaded(path: Path) -> None:
    SettingsFile(path).save(SETTINGS)
    assert SettingsFile(path).load() == SETTINGS
    assert [each.name for each in path.parent.iterdir()] == ["settings.json"]


def test_the_file_and_its_folder_are_private(path: Path) -> None:
    SettingsFile(path).save(SETTINGS)
    path.chmod(0o644)
    SettingsFile(path).save(SETTINGS)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


BAD = [
    b"",
    b"{",
    b"[]",
    b"null",
    b"\xff\xfe\x00",
    b'{"version": 1, "theme": "plaid"}',
    b'{"version": 1, "unheard_of": true}',
    b"[" * 100_000,
]


@pytest.mark.parametrize("data", BAD, ids=range(len(BAD)))
def test_a_bad_file_is_kept_aside(path: Path, data: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(data)
    file = SettingsFile(path)
    assert file.load() == AppSettings()
    assert file.notice is not None
    assert file.notice.code == "settings_bad"
    assert path.with_name("settings.json.bad-1").read_bytes() == data
    assert not path.exists()


def test_a_newer_file_is_kept_aside_and_named(path: Path) -> None:
    path.parent.mkdir()
    path.write_text(json.dumps({"version": 2, "shape": "unknown"}))
    path.with_name("settings.json.bad-1").write_text("an older accident")
    file = SettingsFile(path)
    assert file.load() == AppSettings()
    assert file.notice is not None
    assert file.notice.code == "settings_newer"
    assert "settings.json.bad-2" in file.notice.text
    assert path.with_name("settings.json.bad-1").read_text() == "an older accident"


def test_a_file_that_cannot_be_read_is_said_and_left_alone(path: Path) -> None:
    path.mkdir(parents=True)
    with pytest.raises(ConfigError, match="cannot be read") as caught:
        SettingsFile(path).load()
    assert caught.value.code == "settings_file"


def test_a_failed_save_leaves_the_old_file(path: Path) -> None:
    SettingsFile(path).save(SETTINGS)
    blocked = path.parent / "blocked"
    blocked.write_text("a file where a folder is needed")
    with pytest.raises(ConfigError, match="cannot be written"):
        SettingsFile(blocked / "settings.json").save(SETTINGS)
    assert SettingsFile(path).load() == SETTINGS


def test_a_save_that_breaks_off_leaves_no_scrap(path: Path) -> None:
    path.mkdir(parents=True)  # the rename onto a folder fails after the new file was written
    with pytest.raises(ConfigError):
        SettingsFile(path).save(SETTINGS)
    assert [each.name for each in path.parent.iterdir()] == ["settings.json"]
