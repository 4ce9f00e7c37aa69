"""``providers``: list, add and remove providers and keep their keys.

A key is read from a prompt or stdin, never from an argument, and goes to the system's keychain only: without one it
would be gone when this command ends, and the command says so instead.
"""

import argparse
import asyncio
import getpass
import re
import sys
from typing import TYPE_CHECKING

from deepchat_desktop.cli.opening import opened
from deepchat_desktop.cli.output import Output
from deepchat_desktop.cli.parser import LATER, UsageError
from deepchat_desktop.domain.errors import ConfigError, SecretsError
from deepchat_desktop.domain.headers import is_secret_name, usable_name, usable_value
from deepchat_desktop.domain.settings import LOCAL_PROVIDER, AppSettings, ProviderSettings
from deepchat_desktop.domain.visible_text import visible_exact

if TYPE_CHECKING:
    from deepchat_desktop.core import Core


def run(args: argparse.Namespace, out: Output) -> int:
    """Carry out one ``providers`` command."""
    match args.action:
        case "list":
            asyncio.run(_list(args, out))
        case "add":
            asyncio.run(_add(args, out, provider_given(args)))
        case "set-key":
            asyncio.run(_set_key(args, out))
        case _:
            asyncio.run(_remove(args, out))
    return 0


async def _list(args: argparse.Namespace, out: Output) -> None:
    async with opened(args, read_only=True) as core:
        providers = core.settings.providers
    if out.json_mode:
        fields = {"id", "name", "api", "base_url", "key_backend"}
        out.data([provider.model_dump(mode="json", include=fields) for provider in providers])
        return
    for provider in providers:
        name, address = (visible_exact(text, multiline=False) for text in (provider.name, provider.base_url))
        key = "key kept" if provider.key_backend else "no key kept"
        out.line(f"{provider.id}  {name}  {provider.api}  {address}  {key}")
    if not providers:
        out.note("No providers are set up. Add one: deepchat providers add NAME --api openai_chat --base-url URL")


async def _add(args: argparse.Namespace, out: Output, provider: ProviderSettings) -> None:
    async with opened(args) as core:
        settings = core.settings
        if any(known.id == provider.id for known in settings.providers):
            raise ConfigError(f"There is already a provider {provider.id}. Remove it first, or choose another name.")
        core.save_settings(settings.model_copy(update={"providers": (*settings.providers, provider)}))
    if out.json_mode:
        out.data({"id": provider.id})
    else:
        out.note(f"Added {provider.id}. Its key, if it needs one: deepchat providers set-key {provider.id}")
        out.note(f"Then: deepchat models check {provider.id}")


async def _set_key(args: argparse.Namespace, out: Output) -> None:
    async with opened(args) as core:
        settings = core.settings
        provider = find(settings, args.name)
        refuse_open_address(provider.base_url)
        stored = await core.secrets.set(provider.id, _read_key(provider.name))
        if stored.where != "keychain":
            await core.secrets.delete(provider.id)
            raise SecretsError(
                "This system has no keychain that can keep the key, so it would be lost when this command ends: it was "
                "not kept. Set up a keychain (a desktop session has one), enter the key in the window for one session, "
                "or put it in a variable and name that one: deepchat ask --api … --base-url … --model-id … "
                "--api-key-env VAR",
                code="no_keychain",
            )
        _save(core, settings, provider.model_copy(update={"key_backend": stored.backend}))
    if out.json_mode:
        out.data({"id": provider.id, "keychain": stored.backend})
    else:
        out.note(f"The key of {provider.id} is kept in the system's keychain ({stored.backend}).")


async def _remove(args: argparse.Namespace, out: Output) -> None:
    from deepchat_desktop.services.providers.directory import header_key

    async with opened(args) as core:
        settings = core.settings
        provider = find(settings, args.name)
        # The key first: if the keychain refuses, the provider is still listed and the removal can be repeated.
        for name in (provider.id, *(header_key(provider.id, header) for header in provider.secret_headers)):
            await core.secrets.delete(name)
        changes: dict[str, object] = {"providers": tuple(p for p in settings.providers if p.id != provider.id)}
        if settings.default_provider == provider.id:
            changes |= {"default_provider": None, "default_model": None}
        core.save_settings(settings.model_copy(update=changes))
    if out.json_mode:
        out.data({"removed": provider.id})
    else:
        out.note(f"Removed {provider.id} and its key.")


def find(settings: AppSettings, name: str) -> ProviderSettings:
    """Return a provider by its id or its name. Raises ``ConfigError``."""
    for provider in settings.providers:
        if name in (provider.id, provider.name):
            return provider
    known = ", ".join(provider.id for provider in settings.providers) or "none"
    raise ConfigError(f"There is no provider {name!r}. Set up: {known}.", code="unknown_provider")


def provider_given(args: argparse.Namespace) -> ProviderSettings:
    """Return the provider that ``providers add`` describes. Raises ``UsageError``, ``ConfigError``."""
    from deepchat_desktop.services.providers.base_url import ENDPOINTS, endpoint_url
    from deepchat_desktop.services.providers.registry import ADAPTERS
    from deepchat_desktop.services.secrets import mask

    if args.api not in ADAPTERS:
        raise UsageError(f"The API style {args.api} {LATER}")
    endpoint_url(args.base_url, ENDPOINTS[0])
    if mask(args.base_url) != args.base_url:
        raise ConfigError("The address holds a key or password. Leave it out: deepchat providers set-key keeps it.")
    identifier = re.sub(r"[^\w.]+", "-", args.name.casefold()).strip("-.")
    if not identifier or identifier in (LOCAL_PROVIDER, "ad-hoc"):
        raise UsageError(f"{args.name!r} cannot be a provider's name.")
    headers = dict(_header(text) for text in args.header)
    return ProviderSettings(
        id=identifier,
        name=args.name,
        api=args.api,
        base_url=args.base_url,
        headers=headers,
        others_on=args.api != "azure",  # it lists the region's models, not the user's deployments
    )


def refuse_open_address(base_url: str) -> None:
    """Raise ``ConfigError`` when a key for this address would cross a network in the open (SEC-4)."""
    from deepchat_desktop.services.http import is_loopback

    if not base_url.lower().startswith("https://") and not is_loopback(base_url):
        raise ConfigError(
            "A key is sent over plain http only to this computer itself. Use an https:// address for this provider.",
            code="key_over_http",
        )


def _header(text: str) -> tuple[str, str]:
    from deepchat_desktop.services.secrets import looks_like_key

    name, equals, value = text.partition("=")
    if not equals or not usable_name(name) or not usable_value(value):
        raise UsageError("--header takes NAME=VALUE.")
    if is_secret_name(name) or looks_like_key(value):
        raise UsageError(f"The header {name} looks like a key, and settings are a plain file. Use set-key instead.")
    return name, value


def _read_key(name: str) -> str:
    """Read one line from a prompt, or from stdin when that is no terminal. Raises ``UsageError``."""
    if sys.stdin is None:
        raise UsageError("There is no input to read the key from.")
    line = getpass.getpass(f"Key of {name}: ") if sys.stdin.isatty() else sys.stdin.readline()
    key = line.strip()
    if not key or not key.isascii() or not key.isprintable() or " " in key:
        raise UsageError("A key is one line of printable letters and signs without blanks; nothing was kept.")
    return key


def _save(core: "Core", settings: AppSettings, changed: ProviderSettings) -> None:
    providers = tuple(changed if known.id == changed.id else known for known in settings.providers)
    core.save_settings(settings.model_copy(update={"providers": providers}))
