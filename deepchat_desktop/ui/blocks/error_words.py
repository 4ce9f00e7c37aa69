"""What an error block says and which step it offers, by its code."""

from typing import Literal

from PySide6.QtCore import QCoreApplication

Ask = Literal["retry", "continue", "settings", "shorten", "model", "diagnostics"]
"""What a button in a message asks for."""


def _tr(text: str) -> str:
    return QCoreApplication.translate("ErrorBlock", text)


def title_of(code: str) -> str:
    """Return the heading for a code; unknown codes get a general one."""
    titles = {
        "auth": _tr("The key was refused"),
        "quota": _tr("The account has no credit left"),
        "rate_limit": _tr("Too many requests for now"),
        "overloaded": _tr("The model's server has trouble"),
        "server": _tr("The model's server has trouble"),
        "model_not_found": _tr("The server does not know this model"),
        "context_overflow": _tr("The message does not fit the model's window"),
        "context_window": _tr("The message does not fit the model's window"),
        "content_filter": _tr("The provider refused to answer"),
        "refusal": _tr("The provider refused to answer"),
        "truncated_stream": _tr("The answer stopped in the middle"),
        "timeout": _tr("The server did not answer in time"),
        "network": _tr("The connection failed"),
        "unsupported_feature": _tr("The server did not accept the request"),
        "bad_request": _tr("The server did not accept the request"),
        "local_model": _tr("The local model could not be used"),
    }
    return titles.get(code) or _tr("The answer could not be finished")


def step_of(code: str, *, retryable: bool) -> Ask | None:
    """Return what the first button does."""
    if code in ("auth", "quota", "model_not_found", "unsupported_feature", "config", "local_model"):
        return "settings"
    if code in ("context_overflow", "context_window"):
        return "shorten"
    if code in ("content_filter", "refusal"):
        return "model"
    if code == "truncated_stream":
        return "continue"
    if retryable or code in ("timeout", "network", "server", "overloaded", "rate_limit", "malformed_tool_call"):
        return "retry"
    return None


def step_words(step: Ask) -> str:
    """Return a step's button label."""
    match step:
        case "settings":
            return _tr("Open settings")
        case "continue":
            return _tr("Continue")
        case "retry":
            return _tr("Try again")
        case "shorten":
            return _tr("Shorten the message")
        case "model":
            return _tr("Use another model")
        case "diagnostics":
            return _tr("Copy diagnostics")
