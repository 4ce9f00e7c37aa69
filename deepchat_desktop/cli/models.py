"""``models``: what can be asked, whether a provider answers, and fetching a local model."""

import argparse
import asyncio
import re
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deepchat_desktop.cli.opening import data_folder, opened
from deepchat_desktop.cli.output import Output
from deepchat_desktop.cli.parser import UsageError
from deepchat_desktop.cli.providers import find
from deepchat_desktop.domain.catalogue import catalogue, refreshed
from deepchat_desktop.domain.errors import DeepChatError, ProviderError, StoreBusy
from deepchat_desktop.domain.prompt import ModelCapabilities
from deepchat_desktop.domain.settings import LOCAL_PROVIDER, ModelSettings, ProviderSettings
from deepchat_desktop.domain.visible_text import visible_exact
from deepchat_desktop.services.clock import now_ms

if TYPE_CHECKING:
    from deepchat_desktop.core import Core
    from deepchat_desktop.services.local_model.receive import PullProgress
    from deepchat_desktop.services.proxy import Way

Asked = tuple[ProviderSettings, tuple[ModelSettings, ...], DeepChatError | None]


def run(args: argparse.Namespace, out: Output) -> int:
    """Carry out one ``models`` command."""
    match args.action:
        case "list":
            return asyncio.run(_list(args, out))
        case "check":
            return asyncio.run(_check(args, out))
        case _:
            return asyncio.run(_pull(args, out))


async def _list(args: argparse.Namespace, out: Output) -> int:
    async with opened(args, read_only=True) as core:
        local = core.local_model.available()
        asked = await _ask_all(core, [provider for provider in core.settings.providers if provider.enabled])
    rows = [_row(LOCAL_PROVIDER, model.settings.name, model.id, model.settings.capabilities) for model in local]
    for provider, models, error in asked:
        # A server that does not answer now still has the models it was known to have.
        shown = catalogue(with_models(provider, models))
        rows += [_row(provider.id, model.name, model.id, model.capabilities) for model in shown]
        if error is not None:
            out.note(f"{provider.id}: {error.user_message}")
    if out.json_mode:
        out.data(rows)
        return 0
    for row in rows:
        out.line(f"{row['provider']}/{visible_exact(row['id'], multiline=False)}")
    if not rows:
        out.note("There are no models yet. Fetch the small local one: deepchat models pull")
    return 0


async def _check(args: argparse.Namespace, out: Output) -> int:
    try:
        asked = await _ask_and_remember(args, read_only=False)
    except StoreBusy:
        # The window is open: the check works beside it, the window keeps its own list.
        asked = await _ask_and_remember(args, read_only=True)
    if out.json_mode:
        out.data([_verdict(each) for each in asked])
    else:
        for provider, models, error in asked:
            said = f"{error.code}: {error.user_message}" if error else f"answers, {len(models)} models"
            out.line(f"{provider.id}: {visible_exact(said, multiline=False)}")
        if not asked:
            out.note("No providers are set up.")
    return 1 if any(error for _provider, _models, error in asked) else 0


async def _ask_and_remember(args: argparse.Namespace, *, read_only: bool) -> list[Asked]:
    """Ask the named provider, or all, and keep the lists that came; what is known of a model is not overwritten."""
    async with opened(args, read_only=read_only) as core:
        settings = core.settings
        chosen = settings.providers if args.provider is None else (find(settings, args.provider),)
        asked = await (_question_all(core, chosen) if args.ask else _ask_all(core, chosen))
        listed = {provider.id: models for provider, models, error in asked if error is None}
        if listed and not read_only:
            providers = tuple(with_models(each, listed.get(each.id, ())) for each in settings.providers)
            core.save_settings(settings.model_copy(update={"providers": providers}))
    return asked


def with_models(provider: ProviderSettings, models: tuple[ModelSettings, ...]) -> ProviderSettings:
    """Return the provider with the models listed now; what the user chose stays. No list changes nothing."""
    now = datetime.now().astimezone()
    return refreshed(provider, models, at=now_ms(), day=now.date().isoformat())


async def _pull(args: argparse.Namespace, out: Output) -> int:
    from deepchat_desktop.boot import make_private
    from deepchat_desktop.services.local_model.catalog import list_models
    from deepchat_desktop.services.local_model.pull import pull_from
    from deepchat_desktop.services.local_model.starter import pull_starter

    if args.sha256 is not None and (args.source is None or not re.fullmatch(r"[0-9a-fA-F]{64}", args.sha256)):
        raise UsageError("--sha256 takes 64 hexadecimal digits and goes with --from.")
    folder = data_folder(args)
    found = list_models(folder / "models")
    if args.if_missing and found:
        return _pulled(found[0].path, out)
    make_private(folder)
    meter = Meter(out)
    try:
        if args.source is None:
            path = await pull_starter(folder / "models", meter.show)
        else:
            way = _way(folder)
            path = await pull_from(args.source, folder / "models", meter.show, sha256=args.sha256, route=way)
    finally:
        meter.done()
    return _pulled(path, out)


def _way(folder: Path) -> "Way":
    """Return the way to the network that the settings of a data folder want."""
    from deepchat_desktop.services.proxy import PROXY_KEY, ProxyResolver
    from deepchat_desktop.services.secrets import Secrets
    from deepchat_desktop.services.settings_file import SettingsFile

    settings, secrets = SettingsFile(folder / "settings.json").load(), Secrets()
    return ProxyResolver(lambda: settings.proxy, lambda: secrets.get(PROXY_KEY)).route


def _pulled(path: Path, out: Output) -> int:
    if out.json_mode:
        out.data({"provider": LOCAL_PROVIDER, "id": path.stem, "path": str(path)})
    else:
        out.note(f"The local model {path.stem} is there. Try it: deepchat ask --model {LOCAL_PROVIDER}/{path.stem} Hi")
    return 0


class Meter:
    """Shows how far a fetch is: always on a terminal, at each tenth elsewhere."""

    def __init__(self, out: Output) -> None:
        self._out = out
        self._last: tuple[str, int] | None = None

    def show(self, progress: "PullProgress") -> None:
        """Show the state of a fetch."""
        verb = {"fetch": "Fetching", "unpack": "Unpacking"}[progress.stage]
        done = progress.done / 1e6
        if not progress.total:
            step, text = int(done / 50), f"{verb} the model: {done:.0f} MB"
        else:
            percent = progress.done * 100 // progress.total
            step, text = percent // 10, f"{verb} the model: {percent} % of {progress.total / 1e6:.0f} MB"
        if self._out.live or (progress.stage, step) != self._last:
            self._last = (progress.stage, step)
            self._out.progress(text)

    def done(self) -> None:
        """Leave the line."""
        if self._last is not None:
            self._out.progress_done()


async def _ask_all(core: "Core", providers: Sequence[ProviderSettings]) -> list[Asked]:
    return list(await asyncio.gather(*(_ask_one(core, provider) for provider in providers)))


async def _ask_one(core: "Core", provider: ProviderSettings) -> Asked:
    try:
        return provider, await core.models.list_models(provider.id), None
    except DeepChatError as error:
        return provider, (), error


async def _question_all(core: "Core", providers: Sequence[ProviderSettings]) -> list[Asked]:
    return list(await asyncio.gather(*(_question(core, provider) for provider in providers)))


async def _question(core: "Core", provider: ProviderSettings) -> Asked:
    from deepchat_desktop.services.providers import key_check

    wanted = core.settings.default_model if core.settings.default_provider == provider.id else None
    try:
        checked = await key_check.check(core.models.client(provider), provider, wanted)
    except DeepChatError as error:
        return provider, (), error
    models = checked.models or ()
    if checked.kind == "ok":
        return provider, models, None
    words = checked.words or "It answers, but none of its models is on."
    if checked.kind == "address":
        words = f"There is no such API at {provider.base_url}. {words}"
    retryable = checked.kind in ("busy", "network", "server")
    return provider, models, ProviderError(words, code=checked.code, retryable=retryable)


def _row(provider: str, name: str, model_id: str, capabilities: ModelCapabilities) -> dict[str, Any]:
    row = {"provider": provider, "id": model_id, "name": "" if name == model_id else name}
    return {**row, **capabilities.model_dump(mode="json")}


def _verdict(asked: Asked) -> dict[str, Any]:
    provider, models, error = asked
    verdict: dict[str, Any] = {"provider": provider.id, "ok": error is None, "models": len(models), "error": None}
    if error is not None:
        verdict["error"] = {"kind": error.code, "message": error.user_message, "retryable": error.retryable}
    return verdict
