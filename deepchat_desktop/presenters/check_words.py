"""How a provider's check ended, in the user's words, with the next step."""

from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QCoreApplication

from deepchat_desktop.services.providers.key_check import Checked, CheckKind

Step = Literal["", "retry", "key_page", "key", "address", "models"]
"""What a button beside the words does; ``key`` and ``address`` lead to that field, ``models`` to adding one."""


def _tr(text: str) -> str:
    return QCoreApplication.translate("check", text)


@dataclass(frozen=True)
class CheckShown:
    """A result to show. ``short`` stands in the list of providers, ``title`` and ``detail`` where it was asked."""

    ok: bool
    title: str
    detail: str
    short: str = ""
    step: Step = ""


def shown(checked: Checked, models: int, *, key_page: bool, has_key: bool, at: str) -> CheckShown:
    """Return the words of a check. ``models`` is how many are known, ``at`` the time of day."""
    title, short, step = _verdict(checked.kind, key_page=key_page, has_key=has_key)
    if checked.kind == "ok":
        return CheckShown(True, title if has_key else _tr("It answers"), _facts(checked, models, at), short, step)
    advice = _advice(checked.kind).format(model=checked.model)
    return CheckShown(False, title, _sentences(checked.words, advice), short, step)


def not_refreshed(words: str, models: int, listed: str) -> CheckShown:
    """Return the words of a list that did not come; ``listed`` is the day of the list that stays."""
    stays = _tr("The {count} models of {day} stay as they are.").format(count=models, day=listed) if models else ""
    title, short = _tr("The list of models did not come"), _tr("Not refreshed")
    return CheckShown(False, title, _sentences(words, stays), short, "retry")


def refreshed_words(models: int, at: str) -> CheckShown:
    """Return the words of a list that came."""
    detail = _tr("{count} models  ·  refreshed at {time}").format(count=models, time=at)
    return CheckShown(True, _tr("The list is up to date"), detail)


def _verdict(kind: CheckKind, *, key_page: bool, has_key: bool) -> tuple[str, str, Step]:
    match kind:
        case "ok":
            return _tr("The key works"), "", ""
        case "auth" if has_key:
            return _tr("The key was refused"), _tr("Key refused"), "key_page" if key_page else "key"
        case "auth":
            return _tr("A key is needed"), _tr("Key missing"), "key"
        case "quota":
            return _tr("The account has no credit left"), _tr("No credit left"), "key_page" if key_page else "retry"
        case "busy":
            return _tr("The provider has no time for this now"), _tr("Busy"), "retry"
        case "model":
            return _tr("The server does not know the model"), _tr("Model not found"), "models"
        case "network":
            return _tr("The server cannot be reached"), _tr("Not reachable"), "retry"
        case "no_models":
            return _tr("It answers, but no model is on"), _tr("No model on"), "models"
        case "other":
            return _tr("The server did not accept the request"), _tr("Request refused"), "address"


def _advice(kind: CheckKind) -> str:
    match kind:
        case "ok":
            return ""
        case "auth":
            return _tr("Enter a valid key of this provider.")
        case "quota":
            return _tr("The key itself is right: add credit on the provider's page.")
        case "busy":
            return _tr("The key itself is right: try again in a minute.")
        case "model":
            return _tr("It was asked for {model}: turn that model off, or refresh the list.")
        case "network":
            return _tr("The proxy is set on the page General.")
        case "no_models":
            return _tr("Turn on one of its models, or add one by hand.")
        case "other":
            return _tr("Check the base URL and the API style.")


def _sentences(*parts: str) -> str:
    """Return the parts one after the other, each with its stop."""
    texts = [part.strip() for part in parts if part.strip()]
    return " ".join(text if text[-1] in ".!?…。！？" else f"{text}." for text in texts)


def _facts(checked: Checked, models: int, at: str) -> str:
    count = _tr("1 model") if models == 1 else _tr("{count} models").format(count=models)
    answered = _tr("{model} answered in {ms} ms").format(model=checked.model, ms=f"{checked.took_ms:,}")
    return "  ·  ".join((count, answered, _tr("checked at {time}").format(time=at)))
