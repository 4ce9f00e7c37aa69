"""The execution journal: what was about to happen, what came of it, and what a crash leaves open.

Operation identity is (run, request, call). The same fact twice is a no-op; the same operation with another
payload is corruption and is refused.
"""

from collections.abc import Iterable
from typing import Any, Literal

from deepchat_desktop.domain.base import Value

FactName = Literal["run_started", "dispatch_committed", "tool_outcome", "run_terminal"]
Recovery = Literal["not_dispatched", "completed", "indeterminate"]


class JournalFact(Value):
    """One committed fact. ``request_id`` and ``call_id`` are empty for facts about a whole run."""

    name: FactName
    session_id: str
    run_id: str
    request_id: str = ""
    call_id: str = ""
    payload: dict[str, Any]
    created_at: int


def recovery_class(facts: Iterable[JournalFact]) -> Recovery:
    """Say what a crash left of one operation, from that operation's facts.

    No dispatch: nothing happened, it may run. An outcome: it is done. A dispatch without an outcome:
    nobody knows, and it is never repeated by itself.
    """
    names = {fact.name for fact in facts}
    if "tool_outcome" in names:
        return "completed"
    return "indeterminate" if "dispatch_committed" in names else "not_dispatched"
