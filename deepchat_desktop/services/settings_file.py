"""The settings file: what the user configured, as one JSON document without secrets.

Invariants: the file on disk is always whole (written beside it, flushed, then renamed) and readable by its owner
only; a file that cannot be understood is kept aside under another name before anything else is written.
"""

import contextlib
import json
import logging
import os
import tempfile
from pathlib import Path

from pydantic import ValidationError

from deepchat_desktop.domain.errors import ConfigError
from deepchat_desktop.domain.events import Notice
from deepchat_desktop.domain.settings import AppSettings

VERSION = 1
_log = logging.getLogger(__name__)


class SettingsFile:
    """Reads and writes ``settings.json``. Both calls block; the file is a few KB.

    ``notice`` is what the user should know after ``load``: None, ``settings_bad`` or ``settings_newer``.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.notice: Notice | None = None

    def load(self) -> AppSettings:
        """Return what is on disk, or the defaults when there is nothing or nothing usable.

        Raises ``ConfigError`` when the file is there and cannot be read, or cannot be kept aside: then nothing
        may be written over it.
        """
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            return AppSettings()
        except OSError as error:
            raise self._unusable("read", error) from error
        try:
            raw = json.loads(data)
            version = raw.get("version", VERSION)
            if version == VERSION:
                return AppSettings.model_validate_json(data)
        except (ValueError, AttributeError, RecursionError, ValidationError) as error:
            _log.info("The settings file cannot be used: %s", type(error).__name__)
            return self._set_aside("settings_bad", "The settings file could not be understood.")
        return self._set_aside("settings_newer", f"The settings file has version {version!r}, which is not known here.")

    def save(self, settings: AppSettings) -> None:
        """Write the settings; atomic. Raises ``ConfigError`` and leaves the old file as it was."""
        text = settings.model_dump_json(indent=2) + "\n"
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._replace(text.encode())
        except OSError as error:
            raise self._unusable("written", error) from error

    def _replace(self, data: bytes) -> None:
        handle, name = tempfile.mkstemp(prefix=self.path.name + ".", dir=self.path.parent)  # mode 0600
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(self.path)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                Path(name).unlink()
            raise

    def _set_aside(self, code: str, reason: str) -> AppSettings:
        number = 1
        while (kept := self.path.with_name(f"{self.path.name}.bad-{number}")).exists():
            number += 1
        try:
            self.path.rename(kept)
        except OSError as error:
            raise self._unusable("kept aside", error) from error
        text = f"{reason} It is kept as {kept.name}, and the settings start anew."
        self.notice = Notice(code=code, text=text)
        return AppSettings()

    def _unusable(self, what: str, error: OSError) -> ConfigError:
        reason = error.strerror or type(error).__name__
        return ConfigError(
            f"The settings file {self.path} cannot be {what} ({reason}). "
            "Check that the disk has room and that the folder is yours.",
            code="settings_file",
            params={"path": str(self.path), "reason": reason},
        )
