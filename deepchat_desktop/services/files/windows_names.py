"""What Windows makes of a path, judged from its text alone (PATH-8): nothing here touches a file system.

Only looking at a UNC path would send the user's credentials to its host, so it is refused before that.
"""

import re

from deepchat_desktop.services.files.refusals import BadPath, ForbiddenPath

# The digits of device names are also known raised: COM¹ is a port.
_RESERVED = re.compile(r"(?i)(CON|PRN|AUX|NUL|CONIN\$|CONOUT\$|CLOCK\$|(COM|LPT)[0-9¹²³])")
_FORBIDDEN = re.compile(r'[<>"|?*\x00-\x1f]')
_DRIVE = re.compile(r"^[A-Za-z]:")


def refuse(text: str) -> None:
    """Raise ``PathRefused`` for what Windows would not take for a plain file of a local drive."""
    path = text.replace("/", "\\")
    if path.startswith(("\\\\", "\\??\\")):
        raise ForbiddenPath("Network shares and device paths are out of reach for tools.", "PATH-8")
    if _DRIVE.match(path) and path[2:3] != "\\":
        raise BadPath("A path relative to another drive's folder is not understood: write the full path.", "PATH-8")
    for part in _DRIVE.sub("", path).split("\\"):
        if part not in ("", ".", ".."):
            _refuse_part(part)


def _refuse_part(part: str) -> None:
    if ":" in part:
        raise ForbiddenPath("The hidden streams of a file are out of reach for tools.", "PATH-8")
    if _FORBIDDEN.search(part):
        raise BadPath(f"No file name on Windows can hold one of these: < > \" | ? * ({part}).", "PATH-8")
    if part[-1] in ". ":
        raise BadPath(f"Windows drops dots and blanks at the end of a name: {part!r}.", "PATH-8")
    if _RESERVED.fullmatch(part.split(".")[0].rstrip(" ")):
        raise BadPath(f"{part} is the name of a device on Windows.", "PATH-8")
