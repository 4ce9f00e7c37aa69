"""Shows a run as it happens: the answer's text to stdout, everything else about it to stderr.

With ``--jsonl`` every event is one line of JSON instead, and ``run_ended`` is held back to be the last one.
"""

from deepchat_desktop.cli.output import Output
from deepchat_desktop.domain.blocks import Block, ToolCallBlock
from deepchat_desktop.domain.events import (
    BlockSet,
    BlockText,
    Notice,
    RetryWaiting,
    RunEnded,
    RuntimeEvent,
    SessionChanged,
    TurnWaiting,
)
from deepchat_desktop.domain.visible_text import visible_exact

_TOLD_STATUSES = frozenset({"success", "error", "denied", "skipped", "interrupted", "incomplete"})
_MAX_SUMMARY = 300


class RunPrinter:
    """Takes the runtime's events. ``emit`` may be called from the event loop only."""

    def __init__(self, out: Output, data_dir_hint: str = "") -> None:
        self._out = out
        self._hint = data_dir_hint
        self._kinds: dict[tuple[str, int], str] = {}
        self._printed: dict[tuple[str, int], int] = {}
        self._last: tuple[str, int] | None = None
        self._told: set[str] = set()
        self._session_id = ""
        self._last_note = ""

    def watch(self, session_id: str) -> None:
        """Show this session's events from now on; what is put in order at the start of the program is not shown."""
        self._session_id = session_id

    def emit(self, event: RuntimeEvent) -> None:
        """Show one event."""
        if event.kind == "run_ended" or _session_of(event) not in (None, self._session_id):
            return
        if self._out.json_mode == "jsonl":
            self._out.data(event.model_dump(mode="json"))
            return
        match event:
            case BlockSet():
                self._block((event.message_id, event.index), event.block)
            case BlockText():
                key = (event.message_id, event.index)
                if self._kinds.get(key) == "text":
                    self._text(key, event.text)
            case RetryWaiting():
                self._note(f"Trying again in {event.wait_s:.1f} s (attempt {event.attempt}): {event.error}")
            case TurnWaiting():
                self._note(f"Waiting {event.wait_s:.1f} s for the next request that your limit allows.")
            case Notice():
                self._note(event.text)
            case _:
                pass

    def finish(self, ended: RunEnded) -> None:
        """Show how the run ended and what can be done next."""
        if self._out.json_mode == "jsonl":
            self._out.data(ended.model_dump(mode="json"))
            return
        self._out.end_line()
        if ended.outcome == "paused":
            self._pending(ended)
        elif ended.outcome == "aborted":
            self._out.note(f"Stopped. What came is kept in session {ended.session_id}.")
        elif ended.error is not None:
            self._failed(ended, ended.error.message)
        elif ended.stop_reason == "max_tool_calls":
            self._out.note(f"The limit of tool calls is reached. To go on: deepchat continue {self._about(ended)}")
        elif ended.stop_reason == "max_tokens":
            self._out.note("The answer was cut off at the output limit (--max-output).")

    def _failed(self, ended: RunEnded, message: str) -> None:
        if message != self._last_note:
            self._out.note(message)
        if ended.stop_reason == "store_error":
            self._out.note("The answer above could not be stored whole: copy what you need.")
        elif ended.text:
            self._out.note(f"What came before is kept in session {ended.session_id}.")

    def _pending(self, ended: RunEnded) -> None:
        self._out.note(f"Session {ended.session_id} waits for you:")
        for item in ended.pending:
            self._out.note(f"  {item.tool} ({item.type}): {_short(item.summary)}")
            self._out.note(f"  deepchat answer {item.id} --allow | --deny{self._hint}")

    def _about(self, ended: RunEnded) -> str:
        return f"{ended.session_id}{self._hint}"

    def _block(self, key: tuple[str, int], block: Block) -> None:
        known = key in self._kinds
        self._kinds[key] = block.kind
        if block.kind == "text":
            self._text(key, block.text[self._printed.get(key, 0) :])
        elif block.kind == "reasoning" and not known:
            self._note("(the model is reasoning)")
        elif block.kind == "tool_call":
            self._call(block)

    def _text(self, key: tuple[str, int], text: str) -> None:
        if not text:
            return
        if self._last not in (None, key):
            self._out.end_line()
        self._last = key
        self._printed[key] = self._printed.get(key, 0) + len(text)
        self._out.text(text)

    def _call(self, block: ToolCallBlock) -> None:
        if block.status in _TOLD_STATUSES and block.call_id not in self._told:
            self._told.add(block.call_id)
            self._note(f"[{visible_exact(block.name, multiline=False)}: {block.status}]")

    def _note(self, text: str) -> None:
        # Beside an answer on the same terminal a notice begins its own line; a piped answer must stay as it is.
        self._last_note = text
        self._out.note_apart(text)


def _session_of(event: RuntimeEvent) -> str | None:
    """Return the session an event is about; None is everybody's."""
    return event.session.id if isinstance(event, SessionChanged) else event.session_id


def _short(text: str) -> str:
    flat = visible_exact(" ".join(text.split()), multiline=False)
    return flat if len(flat) <= _MAX_SUMMARY else f"{flat[:_MAX_SUMMARY]}… ({len(flat)} characters)"
