"""``sessions``: list, show, search and delete. All but ``delete`` only read, and work beside the open window."""

import argparse
import asyncio
from datetime import datetime
from typing import Any

from deepchat_desktop.cli.opening import opened
from deepchat_desktop.cli.output import Output
from deepchat_desktop.domain.blocks import reasoning_of, text_of, tool_calls_of
from deepchat_desktop.domain.messages import Message, Session
from deepchat_desktop.domain.visible_text import visible_exact


def run(args: argparse.Namespace, out: Output) -> int:
    """Carry out one ``sessions`` command."""
    match args.action:
        case "list":
            asyncio.run(_list(args, out))
        case "show":
            asyncio.run(_show(args, out))
        case "search":
            asyncio.run(_search(args, out))
        case _:
            asyncio.run(_delete(args, out))
    return 0


async def _list(args: argparse.Namespace, out: Output) -> None:
    async with opened(args, read_only=True) as core:
        sessions = await core.store.read(lambda tx: tx.sessions.list())
    if out.json_mode:
        out.data([session_data(session) for session in sessions])
        return
    for session in sessions:
        title = visible_exact(session.title or "(no title)", multiline=False)
        out.line(f"{session.id}  {_time(session.updated_at)}  {session.status:<10}  {session.messages:>4}  {title}")
    if not sessions:
        out.note("There are no sessions yet.")


async def _show(args: argparse.Namespace, out: Output) -> None:
    async with opened(args, read_only=True) as core:
        session = await core.store.read(lambda tx: tx.sessions.get(args.id))
        messages = await core.store.read(lambda tx: tx.messages.of_session(args.id))
        waiting = await core.store.read(lambda tx: tx.interactions.pending(args.id))
    if out.json_mode:
        out.data({**session_data(session), "messages": [message_data(message) for message in messages]})
        return
    out.line(f"{visible_exact(session.title or '(no title)', multiline=False)}  [{session.status}]")
    for message in messages:
        _print_message(message, out)
    for item in waiting:
        out.note(f"Waits for you: {item.tool}: {visible_exact(item.summary, multiline=False)}")
        out.note(f"  deepchat answer {item.id} --allow | --deny")


async def _search(args: argparse.Namespace, out: Output) -> None:
    async with opened(args, read_only=True) as core:
        hits = await core.store.read(lambda tx: tx.sessions.search(args.query))
    if out.json_mode:
        out.data(
            [{"id": h.session_id, "title": h.title, "message": h.message_id, "snippet": h.snippet} for h in hits]
        )
        return
    for hit in hits:
        title, snippet = (visible_exact(" ".join(text.split()), multiline=False) for text in (hit.title, hit.snippet))
        out.line(f"{hit.session_id}  {title}\n    {snippet}")
    if not hits:
        out.note("Nothing found.")


async def _delete(args: argparse.Namespace, out: Output) -> None:
    async with opened(args) as core:
        session = await core.store.read(lambda tx: tx.sessions.get(args.id))
        await core.runtime.delete_session(session.id)
    if out.json_mode:
        out.data({"deleted": session.id})
    else:
        out.note(f"Deleted session {session.id}.")


def session_data(session: Session) -> dict[str, Any]:
    """Return a session as ``sessions list --json`` prints it. Times are ms since 1970."""
    return {
        "id": session.id,
        "title": session.title,
        "status": session.status,
        "created_at": session.created_at,
        "updated_at": session.updated_at,
        "messages": session.messages,
    }


def message_data(message: Message) -> dict[str, Any]:
    """Return a message as ``sessions show --json`` prints it."""
    return {
        "id": message.id,
        "role": message.role,
        "status": message.status,
        "outcome": message.outcome,
        "stop_reason": message.stop_reason,
        "text": text_of(message.blocks),
        "blocks": [block.model_dump(mode="json") for block in message.blocks],
        "usage": message.usage.model_dump(mode="json"),
        "parent": message.parent,
        "variant": message.variant,
    }


def _print_message(message: Message, out: Output) -> None:
    state = "" if message.status == "done" else f" ({message.status})"
    out.line(f"\n{message.role}{state}:")
    if reasoning_of(message.blocks):
        out.line("  (with reasoning; --json shows it)")
    for call in tool_calls_of(message.blocks):
        out.line(f"  [{visible_exact(call.name, multiline=False)}: {call.status}]")
    for block in message.blocks:
        if block.kind == "error":
            out.line(f"  [error {block.code}: {block.message}]")
    if text := text_of(message.blocks):
        out.line(text)


def _time(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1000).astimezone().strftime("%Y-%m-%d %H:%M")
