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


@dataclass(frozen=True)
class KeyFacts:
    """What is known of the key that was checked: whether there is one, a page that makes keys, a token that ends."""

    there: bool
    page: bool = False
    short_lived: bool = False


def shown(checked: Checked, models: int, key: KeyFacts, *, at: str) -> CheckShown:
    """Return the words of a check. ``models`` is how many are known, ``at`` the time of day."""
    title, short, step = _verdict(checked.kind, key)
    if checked.kind == "ok":
        return CheckShown(True, title if key.there else _tr("It answers"), _facts(checked, models, at), short, step)
    advice = _advice(checked, key).format(model=checked.model)
    return CheckShown(False, title, _sentences(checked.words, advice), short, step)


def key_elsewhere(words: str) -> CheckShown:
    """Return the words for a key that was kept and cannot be read: it is to be entered again."""
    return CheckShown(False, _tr("The key cannot be read"), words, _tr("Key missing"), "key")


def not_refreshed(words: str, models: int, listed: str) -> CheckShown:
    """Return the words of a list that did not come; ``listed`` is the day of the list that stays."""
    title, short = _tr("The list of models did not come"), _tr("Not refreshed")
    return CheckShown(False, title, _sentences(words, _stays(models, listed)), short, "retry")


def refreshed_words(models: int, at: str) -> CheckShown:
    """Return the words of a list that came."""
    detail = "  ·  ".join((_count(models), _tr("refreshed at {time}").format(time=at)))
    return CheckShown(True, _tr("The list is up to date"), detail)


def empty_list(models: int, listed: str) -> CheckShown:
    """Return the words of a list that came without a model in it; ``listed`` is the day of the list that stays."""
    stays = _stays(models, listed) or _tr("Add the models by hand.")
    return CheckShown(False, _tr("The server lists no model"), stays, _tr("No model listed"), "models")


def _verdict(kind: CheckKind, key: KeyFacts) -> tuple[str, str, Step]:
    """Return title, short words and next step."""
    match kind:
        case "auth" if not key.there:
            return _tr("A key is needed"), _tr("Key missing"), "key"
        case "auth" if key.short_lived:
            return _tr("The token was refused"), _tr("Token refused"), "key"
        case "auth":
            return _tr("The key was refused"), _tr("Key refused"), "key_page" if key.page else "key"
        case "quota":
            return _tr("The account has no credit left"), _tr("No credit left"), "key_page" if key.page else "retry"
        case _:
            return _verdicts()[kind]


def _verdicts() -> dict[CheckKind, tuple[str, str, Step]]:
    """Return the verdicts that have nothing to do with the key."""
    return {
        "ok": (_tr("The key works"), "", ""),
        "busy": (_tr("The provider has no time for this now"), _tr("Busy"), "retry"),
        "server": (_tr("The server failed"), _tr("Server error"), "retry"),
        "model": (_tr("The server does not know the model"), _tr("Model not found"), "models"),
        "address": (_tr("There is no such API at this address"), _tr("Wrong address"), "address"),
        "network": (_tr("The server cannot be reached"), _tr("Not reachable"), "retry"),
        "no_models": (_tr("It answers, but no model is on"), _tr("No model on"), "models"),
        "other": (_tr("The server did not accept the request"), _tr("Request refused"), "address"),
    }


def _advice(checked: Checked, key: KeyFacts) -> str:
    if checked.kind == "auth" and key.short_lived:
        return " ".join((_tr("A Vertex AI token lasts about an hour."), new_token()))
    if checked.kind == "busy" and checked.code == "rate_limit":
        return _tr("The key itself is right: try again in a minute.")
    where = _tr("Check the base URL and the API style.")
    later = _tr("Nothing is said about the key: try again in a minute.")
    advice: dict[CheckKind, str] = {
        "auth": _tr("Enter a valid key of this provider."),
        "quota": _tr("The key itself is right: add credit on the provider's page."),
        "busy": later,
        "server": later,
        "model": _tr("It was asked for {model}: turn that model off, or refresh the list."),
        "address": where,
        "network": _tr("The proxy is set on the page General."),
        "no_models": _tr("Turn on one of its models, or add one by hand."),
        "other": where,
    }
    return advice.get(checked.kind, "")


def new_token() -> str:
    """Return how the user comes by a new access token of Google's."""
    return _tr("Run “gcloud auth print-access-token” and enter what it prints.")


def _stays(models: int, listed: str) -> str:
    if not models:
        return ""
    if models == 1:
        return _tr("The model of {day} stays as it is.").format(day=listed)
    return _tr("The {count} models of {day} stay as they are.").format(count=models, day=listed)


def _count(models: int) -> str:
    return _tr("1 model") if models == 1 else _tr("{count} models").format(count=models)


def _sentences(*parts: str) -> str:
    """Return the parts one after the other, each with its stop."""
    texts = [part.strip() for part in parts if part.strip()]
    return " ".join(text if text[-1] in ".!?…。！？" else f"{text}." for text in texts)


def _facts(checked: Checked, models: int, at: str) -> str:
    answered = _tr("{model} answered in {ms} ms").format(model=checked.model, ms=f"{checked.took_ms:,}")
    return "  ·  ".join((_count(models), answered, _tr("checked at {time}").format(time=at)))
