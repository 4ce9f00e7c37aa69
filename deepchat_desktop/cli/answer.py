"""``answer`` and ``continue``: go on with a session that waits or was interrupted.

No connection flags: the session remembers how it reaches its model.
"""

import argparse
import asyncio

from deepchat_desktop.cli.opening import folder_hint, opened
from deepchat_desktop.cli.output import Output
from deepchat_desktop.cli.parser import LATER, UsageError
from deepchat_desktop.cli.run_printer import RunPrinter


def run(args: argparse.Namespace, out: Output) -> int:
    """Carry out ``answer`` or ``continue``."""
    if args.command == "answer":
        _check(args)
        return asyncio.run(_answer(args, out))
    return asyncio.run(_continue(args, out))


def _check(args: argparse.Namespace) -> None:
    if args.choice is not None or args.text is not None:
        raise UsageError(f"Answering questions (--choice, --text) {LATER}")
    if args.scope == "always":
        raise UsageError(f"Remembering an answer for ever (--scope always) {LATER}")
    if args.allow == args.deny:
        raise UsageError("Say --allow or --deny.")
    if args.deny and args.scope != "once":
        raise UsageError("--scope goes with --allow; a refusal covers one call.")


async def _answer(args: argparse.Namespace, out: Output) -> int:
    from deepchat_desktop.cli.run_driver import carry_out
    from deepchat_desktop.domain.errors import Refused
    from deepchat_desktop.domain.events import RunEnded
    from deepchat_desktop.domain.permission import Answer

    printer = RunPrinter(out, folder_hint(args))
    async with opened(args, emit=printer.emit) as core:
        interaction = await core.store.read(lambda tx: tx.interactions.get(args.interaction))
        answer = Answer(allow=args.allow, scope=args.scope, why=args.why)

        async def start() -> RunEnded:
            ended = await core.runtime.respond(args.interaction, answer)
            if ended is None:
                raise Refused("This was already answered, or its call is no longer current.", code="already_answered")
            return ended

        return await carry_out(core, interaction.session_id, start, printer)


async def _continue(args: argparse.Namespace, out: Output) -> int:
    from deepchat_desktop.cli.run_driver import carry_out

    printer = RunPrinter(out, folder_hint(args))
    async with opened(args, emit=printer.emit) as core:
        return await carry_out(core, args.session, lambda: core.runtime.continue_run(args.session), printer)
