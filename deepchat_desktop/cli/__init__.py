"""The command line: ``run(argv)`` carries out one command and returns its exit code.

0 completed, 1 error, 2 usage, 3 paused, 130 stopped. Importing this package costs next to nothing and never loads
Qt; each command loads what it needs when it runs. No failure ends in a traceback (``DEEPCHAT_DEBUG`` shows it).
"""

import argparse
import logging
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from deepchat_desktop.cli.parser import USAGE_EXIT, UsageError, parse

if TYPE_CHECKING:
    from deepchat_desktop.cli.output import Output

STOPPED_EXIT = 130
_log = logging.getLogger(__name__)


def run(argv: Sequence[str]) -> int:
    """Carry out one command. ``argv`` is without the program's name."""
    try:
        args = parse(argv)
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else USAGE_EXIT
    from deepchat_desktop.cli.output import standard_output

    return _guarded(args, standard_output("jsonl" if args.jsonl else "json" if args.json else None))


def _guarded(args: argparse.Namespace, out: "Output") -> int:
    """Run the command and turn every failure into a sentence and a code."""
    from deepchat_desktop.domain.errors import DeepChatError

    try:
        return _dispatch(args, out)
    except UsageError as error:
        out.failure("usage", str(error))
        return USAGE_EXIT
    except DeepChatError as error:
        out.failure(error.code, error.user_message, retryable=error.retryable)
        return 1
    except KeyboardInterrupt:
        out.note("Stopped.")
        return STOPPED_EXIT
    except Exception as error:
        if os.environ.get("DEEPCHAT_DEBUG"):
            raise
        _log.exception("The command %s failed", args.command)
        out.failure("internal", f"Unexpected error ({type(error).__name__}). {_where_to_look()}")
        return 1


def _where_to_look() -> str:
    files = [h.baseFilename for h in logging.getLogger().handlers if isinstance(h, logging.FileHandler)]
    return f"Details are in {files[0]}." if files else "Set DEEPCHAT_DEBUG=1 and run it again to see details."


def _dispatch(args: argparse.Namespace, out: "Output") -> int:
    from deepchat_desktop.cli import (
        answer,
        ask,
        doctor,
        explain_command,
        explain_path,
        explain_wire,
        models,
        providers,
        sessions,
    )

    commands = {
        "ask": ask.run,
        "answer": answer.run,
        "continue": answer.run,
        "sessions": sessions.run,
        "models": models.run,
        "providers": providers.run,
        "explain command": explain_command.run,
        "explain path": explain_path.run,
        "explain wire": explain_wire.run,
        "doctor": doctor.run,
    }
    return (commands.get(args.command) or commands[args.command.split()[0]])(args, out)
