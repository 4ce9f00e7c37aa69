"""The grammar of the command line: standard library only, no import of ours that costs time.

What is not understood ends with exit code 2. What is named in the documentation but comes later is known here by
name (``LATER``) and refused with a sentence: nothing is ignored.
"""

import argparse
from collections.abc import Sequence
from typing import Any, NoReturn

from deepchat_desktop import __version__

API_STYLES = ("openai_chat", "openai_responses", "anthropic", "gemini", "ollama", "azure", "bedrock")
USAGE_EXIT = 2
LATER = "comes in a later version of DeepChat Desktop."


class UsageError(Exception):
    """The arguments make no sense together; the text says why. Ends with exit code 2."""


class _Parser(argparse.ArgumentParser):
    """A parser whose options are never guessed from their beginnings."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("allow_abbrev", False)
        super().__init__(**options)


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """Return the parsed arguments; ``command`` names what to run. Raises ``SystemExit`` as argparse does."""
    parser = _top()
    found, unknown = parser.parse_known_args(list(argv))
    if found.later:
        refuse(found.parser, f"this command {LATER}")
    if unknown and found.command == "providers set-key":
        # Not repeated: what stands there may be the key.
        refuse(found.parser, "the key is read from a prompt or stdin, never from an argument")
    if unknown:
        refuse(found.parser, f"unrecognized arguments: {' '.join(unknown)}")
    return found


def refuse(parser: argparse.ArgumentParser, text: str) -> NoReturn:
    """End with exit code 2 and a sentence, without the page of usage."""
    parser.exit(USAGE_EXIT, f"{parser.prog}: {text}\n")


def _top() -> _Parser:
    parser = _Parser(
        prog="deepchat",
        description="Talk to language models, with tools and your permission. Without a command: open the window.",
    )
    parser.add_argument("--version", action="version", version=f"deepchat {__version__}")
    # Read before this parser is made (the program's own entry); named here for --help.
    parser.add_argument("--self-test", action="store_true", help="check that every part loads and works")
    _shared(parser, json=False)
    parser.set_defaults(later=False, parser=parser, data_dir=None, json=False, jsonl=False)
    commands = parser.add_subparsers(dest="word", metavar="COMMAND", required=True)
    _conversation(commands)
    _sessions(commands)
    _models(commands)
    _providers(commands)
    _explain(commands)
    doctor = _command(commands, "doctor", "check the installation, the keychain, the database and model servers")
    _shared(doctor)
    for name in ("mcp", "backup", "restore"):
        _later(commands, name)
    return parser


def _shared(parser: argparse.ArgumentParser, *, json: bool = True, jsonl: bool = False) -> None:
    parser.add_argument("--data-dir", metavar="DIR", default=argparse.SUPPRESS, help="where everything is kept")
    if json:
        parser.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print data as JSON")
    if jsonl:
        parser.add_argument(
            "--jsonl", action="store_true", default=argparse.SUPPRESS, help="print every event as one JSON object"
        )


def _command(commands: Any, name: str, text: str, *, command: str | None = None) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(name, help=text, description=text)
    parser.set_defaults(command=command or name, parser=parser)
    return parser


def _group(commands: Any, name: str, text: str) -> Any:
    parser = _command(commands, name, text)
    _shared(parser)
    return parser.add_subparsers(dest="action", metavar="ACTION", required=True)


def _later(commands: Any, name: str) -> None:
    parser = commands.add_parser(name, help="comes later", prefix_chars="\0", add_help=False)
    parser.set_defaults(later=True, parser=parser)


def positive(text: str) -> int:
    """Read a whole number above 0."""
    number = int(text)
    if number <= 0:
        raise argparse.ArgumentTypeError("a number above 0 is needed")
    return number


def _conversation(commands: Any) -> None:
    ask = _command(commands, "ask", "ask one question and print the answer as it comes")
    _shared(ask, json=False, jsonl=True)
    ask.add_argument("text", metavar="TEXT", help="the question; - reads it from stdin")
    ask.add_argument("--model", metavar="PROVIDER/MODEL")
    ask.add_argument("--api", choices=API_STYLES)
    ask.add_argument("--base-url", metavar="URL")
    ask.add_argument("--model-id", metavar="ID")
    ask.add_argument("--api-key-env", metavar="VAR", help="the name of the variable that holds the key")
    ask.add_argument("--session", metavar="ID", help="go on in this session instead of a new one")
    ask.add_argument("--workspace", metavar="DIR")
    ask.add_argument("--mode", choices=("ask", "read", "full", "chat"))
    ask.add_argument("--no-tools", action="store_true", help="the same as --mode chat")
    ask.add_argument("--system", metavar="TEXT")
    ask.add_argument("--context", metavar="N", type=positive, help="the model's window in tokens")
    ask.add_argument("--max-output", metavar="N", type=positive, help="the longest answer in tokens")
    ask.add_argument("--attach", metavar="FILE", action="append", default=[])
    ask.add_argument("--on-permission", choices=("pause", "deny", "allow"), default="pause")

    answer = _command(commands, "answer", "answer a pending permission and go on")
    _shared(answer, json=False, jsonl=True)
    answer.add_argument("interaction", metavar="INTERACTION")
    choice = answer.add_mutually_exclusive_group()
    choice.add_argument("--allow", action="store_true")
    choice.add_argument("--deny", action="store_true")
    answer.add_argument("--scope", choices=("once", "session", "always"), default="once")
    answer.add_argument("--why", metavar="TEXT", default="", help="a word for the model")
    answer.add_argument("--choice", metavar="N")
    answer.add_argument("--text", metavar="T")

    go_on = _command(commands, "continue", "go on after the tool-call limit or an interrupted answer")
    _shared(go_on, json=False, jsonl=True)
    go_on.add_argument("session", metavar="SESSION")


def _sessions(commands: Any) -> None:
    group = _group(commands, "sessions", "list, show, search and delete sessions")
    _shared(_command(group, "list", "list all sessions", command="sessions list"))
    show = _command(group, "show", "print one session with its messages", command="sessions show")
    search = _command(group, "search", "find sessions by words in their messages", command="sessions search")
    delete = _command(group, "delete", "delete a session and all that was said in it", command="sessions delete")
    for parser in (show, delete):
        parser.add_argument("id", metavar="ID")
    search.add_argument("query", metavar="QUERY")
    for parser in (show, search, delete):
        _shared(parser)
    for name in ("fork", "export", "import"):
        _later(group, name)


def _models(commands: Any) -> None:
    group = _group(commands, "models", "list models, check a key, fetch a local model")
    listing = _command(group, "list", "list the models of all providers", command="models list")
    check = _command(group, "check", "ask a provider for its models: tests its key", command="models check")
    pull = _command(group, "pull", "fetch the local starter model, or any GGUF file", command="models pull")
    check.add_argument("provider", metavar="PROVIDER", nargs="?", help="all providers when left out")
    check.add_argument("--ask", action="store_true", help="also ask one short question: some lists are open to anybody")
    pull.add_argument("--from", metavar="FILE|URL", dest="source")
    pull.add_argument("--sha256", metavar="HEX", help="the checksum the file must have")
    pull.add_argument("--if-missing", action="store_true", help="do nothing when a model is there")
    for parser in (listing, check, pull):
        _shared(parser)


def _providers(commands: Any) -> None:
    group = _group(commands, "providers", "list, add and remove providers, set their keys")
    listing = _command(group, "list", "list the providers", command="providers list")
    add = _command(group, "add", "add a provider", command="providers add")
    add.add_argument("name", metavar="NAME")
    add.add_argument("--api", choices=API_STYLES, required=True)
    add.add_argument("--base-url", metavar="URL", required=True)
    add.add_argument("--header", metavar="K=V", action="append", default=[])
    set_key = _command(group, "set-key", "keep a key, read from a prompt or stdin", command="providers set-key")
    remove = _command(group, "remove", "remove a provider and its key", command="providers remove")
    for parser in (set_key, remove):
        parser.add_argument("name", metavar="NAME")
    for parser in (listing, add, set_key, remove):
        _shared(parser)


def cut_size(text: str) -> int:
    """Read ``every_byte`` or a number of bytes."""
    return 1 if text == "every_byte" else positive(text)


def _explain(commands: Any) -> None:
    group = _group(commands, "explain", "show how something is read or judged")
    wire = _command(group, "wire", "fold a recorded provider response", command="explain wire")
    _shared(wire)
    wire.add_argument("file", metavar="FILE")
    wire.add_argument("--api", choices=API_STYLES, required=True)
    wire.add_argument("--status", metavar="N", type=positive, default=200)
    wire.add_argument("--headers", metavar="FILE", help="a file with one JSON object")
    wire.add_argument("--cut", metavar="every_byte|N", type=cut_size, help="how many bytes come at a time")
    path = _command(group, "path", "what would happen to a path, and why", command="explain path")
    _shared(path)
    path.add_argument("path", metavar="PATH")
    path.add_argument("--need", choices=("read", "write"), required=True)
    path.add_argument("--workspace", metavar="DIR")
    path.add_argument("--mode", choices=("ask", "read", "full", "chat"), default="ask")
    path.add_argument("--tool", metavar="NAME", help="the tool that would be called")
    path.add_argument("--grant", metavar="TIER:PATH", action="append", default=[], help="read, write or all")
    command = _command(group, "command", "what would happen to a command, and why", command="explain command")
    _shared(command)
    command.add_argument("text", metavar="CMD")
    command.add_argument("--workspace", metavar="DIR")
    command.add_argument("--cwd", metavar="DIR", help="where it would run; the workspace when left out")
    command.add_argument("--mode", choices=("ask", "read", "full", "chat"), default="ask")
    command.add_argument("--os", choices=("linux", "macos", "windows"), default="linux")
    command.add_argument("--approved", metavar="CMD", action="append", default=[], help="allowed in the same folder")
    command.add_argument("--prefix", metavar="RULE", action="append", default=[], help="words that it may begin with")
    command.add_argument("--env", metavar="NAME=VALUE", action="append", default=[], help="what the call would set")
    for name in ("link", "context"):
        _later(group, name)
