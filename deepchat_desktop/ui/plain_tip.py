"""Tool tips that show foreign text as it is: Qt would read tags in it, and load the pictures they name."""

from html import escape

from PySide6.QtWidgets import QWidget


def set_plain_tip(widget: QWidget, words: str) -> None:
    """Give ``widget`` a tool tip of plain text; no words take it away."""
    widget.setToolTip(plain_tip(words))


def plain_tip(words: str) -> str:
    """Return ``words`` in the form in which a tool tip shows exactly them."""
    return f"<span>{escape(words)}</span>" if words else ""
