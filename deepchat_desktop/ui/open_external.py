"""The one road to the system's browser and mail program (MD-3).

A target is parsed and written anew: http, https and mailto only, the host in punycode, nothing else is ever
opened. Where the words of a link are not its target, the user sees the target and agrees first.
"""

from urllib.parse import SplitResult, quote, urlsplit, urlunsplit

from PySide6.QtCore import QCoreApplication, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QWidget

from deepchat_desktop.ui.dialogs.confirm import ConfirmSheet

_SAFE = "/:@!$&'()*+,;=-._~%?[]"


class RefusedLink(ValueError):
    """The target may not be opened; the text says why, in English."""


def clean_url(url: str) -> str:
    """Return ``url`` as it may be opened.

    Raises ``RefusedLink`` for another scheme, a name or password before the host, a missing or impossible host,
    and control characters or blanks inside.
    """
    text = url.strip()
    if not text or any(ord(char) <= 0x20 or 0x7F <= ord(char) <= 0x9F for char in text) or "\\" in text:
        raise RefusedLink("the address has characters that no address has")
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        raise RefusedLink(f"the address cannot be read: {error}") from None
    match parts.scheme.lower():
        case "http" | "https":
            return _clean_web(parts, port)
        case "mailto":
            return _clean_mail(parts)
        case scheme:
            raise RefusedLink(f"addresses of the kind {scheme or 'none'!r} are not opened")


def _clean_web(parts: SplitResult, port: int | None) -> str:
    if "@" in parts.netloc:
        raise RefusedLink("the address has a name or password before the host")
    host = parts.hostname or ""
    if ":" in host:
        host = f"[{host}]"
    else:
        try:
            host = host.encode("idna").decode("ascii")
        except UnicodeError:
            raise RefusedLink("the host is not a valid name") from None
    if not host:
        raise RefusedLink("the address has no host")
    place = host if port is None else f"{host}:{port}"
    return urlunsplit(
        (parts.scheme.lower(), place, quote(parts.path, safe=_SAFE), quote(parts.query, safe=_SAFE),
         quote(parts.fragment, safe=_SAFE))
    )


def _clean_mail(parts: SplitResult) -> str:
    """Keep the address and the subject: other fields could attach files or add readers."""
    if "@" not in parts.path:
        raise RefusedLink("the mail address has no @")
    subject = next((item for item in parts.query.split("&") if item.lower().startswith("subject=")), "")
    return urlunsplit(("mailto", "", quote(parts.path, safe="@.+-_%,"), quote(subject, safe="=%+"), ""))


def _same(shown: str, target: str) -> bool:
    """Tell whether the words of a link are its target, with or without the scheme."""
    words = shown.strip().rstrip("/").lower()
    bare = target.rstrip("/").lower()
    return words in (bare, bare.removeprefix("https://"), bare.removeprefix("http://"), bare.removeprefix("mailto:"))


def open_external(url: str, *, shown: str, parent: QWidget) -> ConfirmSheet | None:
    """Open a link that a person clicked.

    ``shown`` is what the link looked like. Returns the sheet that asks when it differs from the target, else
    None. Raises ``RefusedLink``.
    """
    target = clean_url(url)
    if _same(shown, target):
        _open(target)
        return None
    title = QCoreApplication.translate("Links", "Open this link?")
    sheet = ConfirmSheet(parent, title, target, QCoreApplication.translate("Links", "Open"))
    sheet.accepted.connect(lambda: _open(target))
    sheet.open()
    return sheet


def _open(target: str) -> None:
    QDesktopServices.openUrl(QUrl(target, QUrl.ParsingMode.StrictMode))
