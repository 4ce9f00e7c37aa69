"""Runs the scripted model server as a process of its own, for tests of the real program.

    python -m tests.fakes.wire_server SCRIPT.json [--requests FILE] [--until-stdin-closes]

prints its port on one line and serves until it is ended. ``--requests`` appends each request to a file, one JSON
object a line. The script is ``{"answers": [...], "models": [...], "repeat_last": false}``; an answer is ``{"chat":
{...arguments of chat_answers.chat}}``, ``{"json": value, "status"}`` or ``{"status", "headers", "steps": ["text",
{"b64"}, {"pause"}, {"gate"}, {"drop": true}, {"close": true}]}``, each with ``match``, ``cut``, ``gzip``, ``framing``
or ``no_answer``. A gate never opens here: it holds until the client goes away.
"""

import argparse
import base64
import json
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.fakes.chat_answers import chat
from tests.fakes.wire_server import Answer, Close, Drop, Gate, Pause, Step, WireServer, json_answer, model_list


def answer_from_json(value: Mapping[str, Any]) -> Answer:
    """Return the answer that a script describes."""
    common = {name: value[name] for name in ("match", "cut", "gzip", "framing", "no_answer") if name in value}
    if "chat" in value:
        return Answer(**{**vars(chat(**value["chat"])), **common})
    if "json" in value:
        return Answer(**{**vars(json_answer(value["json"], value.get("status", 200))), **common})
    headers = value.get("headers", {"content-type": "text/event-stream"})
    steps = tuple(step_from_json(step) for step in value.get("steps", ()))
    return Answer(steps=steps, status=value.get("status", 200), headers=headers, **common)


def step_from_json(step: str | Mapping[str, Any]) -> Step:
    """Return the step that a script describes."""
    match step:
        case str():
            return step.encode()
        case {"b64": data}:
            return base64.b64decode(data)
        case {"pause": seconds}:
            return Pause(seconds)
        case {"gate": name}:
            return Gate(name)
        case {"drop": True}:
            return Drop()
        case {"close": True}:
            return Close()
    raise ValueError(f"no such step: {step}")


def main() -> None:
    """Play a script until the process is ended, or standard input closes."""
    parser = argparse.ArgumentParser()
    parser.add_argument("script", type=Path)
    parser.add_argument("--requests", type=Path)
    parser.add_argument("--until-stdin-closes", action="store_true")
    args = parser.parse_args()
    script = json.loads(args.script.read_text(encoding="utf-8"))
    answers = [answer_from_json(value) for value in script["answers"]]
    routes = {"/models": model_list(script["models"])} if "models" in script else {}
    with WireServer(
        answers, routes=routes, repeat_last=script.get("repeat_last", False), requests_file=args.requests
    ) as server:
        print(server.port, flush=True)
        if args.until_stdin_closes:
            sys.stdin.read()
        else:
            threading.Event().wait()
