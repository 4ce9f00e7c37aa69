"""``ask``: one turn in the terminal, in a new session or an old one.

Arguments are checked, and attachments read, before anything is opened or written. The session remembers its connection
and the name of the key's variable, never the key.
"""

import argparse
import asyncio
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deepchat_desktop.cli.attachments import attach
from deepchat_desktop.cli.opening import folder_hint, opened
from deepchat_desktop.cli.output import Output
from deepchat_desktop.cli.parser import LATER, UsageError
from deepchat_desktop.cli.run_printer import RunPrinter
from deepchat_desktop.domain.attachments import AttachedBlock
from deepchat_desktop.domain.blocks import ImageBlock
from deepchat_desktop.domain.errors import ConfigError
from deepchat_desktop.domain.messages import Connection, Session, SessionSettings

if TYPE_CHECKING:
    from deepchat_desktop.core import Core

AD_HOC_PROVIDER = "ad-hoc"


def run(args: argparse.Namespace, out: Output) -> int:
    """Ask and print the answer. 0 completed, 1 error, 3 paused, 130 stopped."""
    changes = settings_given(args)
    text, attached = _question(args.text), attach(args.attach)
    if not text.strip() and not attached:
        raise UsageError("There is nothing to ask: the text is empty.")
    return asyncio.run(_ask(args, out, text, attached, changes))


async def _ask(
    args: argparse.Namespace, out: Output, text: str, attached: tuple[AttachedBlock, ...], changes: dict[str, Any]
) -> int:
    from deepchat_desktop.cli.run_driver import carry_out

    printer = RunPrinter(out, folder_hint(args))
    async with opened(args, emit=printer.emit) as core:
        if any(isinstance(block, ImageBlock) for block in attached):
            await _refuse_blind(core, args.session, changes)
        session = await _session(core, args.session, changes)
        return await carry_out(
            core,
            session.id,
            lambda: core.runtime.process_message(session.id, text, attached),
            printer,
            args.on_permission,
        )


async def _refuse_blind(core: "Core", session_id: str | None, changes: dict[str, Any]) -> None:
    """Raise ``ConfigError`` before anything is written when the model is known to read only text."""
    connection = changes.get("connection")
    if connection is None and session_id is not None:
        connection = (await core.store.read(lambda tx: tx.sessions.get(session_id))).settings.connection
    model = await core.models.connect(connection or core.models.default_connection())
    if model.capabilities.vision is False:
        raise ConfigError(
            f"{model.label} reads only text. Leave the picture out, or choose another model with --model.",
            code="no_vision",
        )


async def _session(core: "Core", session_id: str | None, changes: dict[str, Any]) -> Session:
    """Return a new session, or the old one with what was given on the command line changed in it."""
    if session_id is None:
        if "connection" not in changes:
            changes["connection"] = core.models.default_connection()
        return await core.runtime.create_session(SessionSettings(**changes))
    session = await core.store.read(lambda tx: tx.sessions.get(session_id))
    if changes:
        settings = session.settings.model_copy(update=changes)
        session = await core.runtime.change_session(session_id, settings=settings)
    return session


def _question(text: str) -> str:
    if text != "-":
        return text
    return sys.stdin.read() if sys.stdin is not None else ""


def settings_given(args: argparse.Namespace) -> dict[str, Any]:
    """Return the session settings that the arguments name, and no others. Raises ``UsageError``, ``ConfigError``."""
    given: dict[str, Any] = {
        "connection": connection_given(args),
        "mode": _mode(args),
        "workspace": _workspace(args.workspace),
        "system": args.system,
        "context": args.context,
        "max_output": args.max_output,
    }
    return {name: value for name, value in given.items() if value is not None}


def connection_given(args: argparse.Namespace) -> Connection | None:
    """Return the connection that the arguments name, or None when they name none."""
    ad_hoc = {"--api": args.api, "--base-url": args.base_url, "--model-id": args.model_id}
    named = [name for name, value in {**ad_hoc, "--api-key-env": args.api_key_env}.items() if value is not None]
    if args.model is not None:
        if named:
            raise UsageError(f"--model does not go with {', '.join(named)}: name a provider or an address, not both.")
        provider, slash, model = args.model.partition("/")
        if not (provider and slash and model):
            raise UsageError("--model takes PROVIDER/MODEL; `deepchat models list` shows what there is.")
        return Connection(provider=provider, model=model)
    if not named:
        return None
    missing = [name for name, value in ad_hoc.items() if value is None]
    if missing:
        raise UsageError(f"An address of its own needs {', '.join(missing)} as well.")
    return _ad_hoc(args)


def _ad_hoc(args: argparse.Namespace) -> Connection:
    from deepchat_desktop.services.providers.registry import ADAPTERS

    if args.api not in ADAPTERS:
        raise UsageError(f"The API style {args.api} {LATER}")
    if args.api_key_env and not os.environ.get(args.api_key_env):
        raise ConfigError(
            f"The variable {args.api_key_env} that should hold the key is not set. Set it and try again.",
            code="key_variable_missing",
            params={"variable": args.api_key_env},
        )
    return Connection(
        provider=AD_HOC_PROVIDER,
        model=args.model_id,
        api=args.api,
        base_url=args.base_url,
        key_env=args.api_key_env,
    )


def _mode(args: argparse.Namespace) -> str | None:
    if args.no_tools and args.mode not in (None, "chat"):
        raise UsageError(f"--no-tools does not go with --mode {args.mode}.")
    return "chat" if args.no_tools else args.mode


def _workspace(name: str | None) -> str | None:
    if name is None:
        return None
    path = Path(name).expanduser()
    if not path.is_dir():
        raise UsageError(f"The workspace {name} is not a folder.")
    return str(path.resolve())
