"""The one registry of tools and the one road to them.

A new tool is one file and one line in ``TOOLS``. The router knows what a call needs and runs it; whether it may
run is decided in ``services/permissions.py``, and it is called only by the runtime's ``dispatch``.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from deepchat_desktop.domain.errors import ToolError
from deepchat_desktop.domain.messages import Session
from deepchat_desktop.domain.tools import ToolCall, ToolResult, ToolSpec
from deepchat_desktop.services.files.resolve import ResolvedPath, resolve
from deepchat_desktop.services.tools import read, write

ToolRunner = Callable[[ResolvedPath, dict[str, Any]], str]

TOOLS: dict[str, tuple[ToolSpec, ToolRunner]] = {
    read.SPEC.name: (read.SPEC, read.run),
    write.SPEC.name: (write.SPEC, write.run),
}


class ToolRouter:
    """Looks up, validates, resolves and runs tool calls."""

    def __init__(self, own_folder: Path) -> None:
        self._own_folder = own_folder

    def specs(self, session: Session) -> tuple[ToolSpec, ...]:
        """Return the tools a session offers; none in chat mode."""
        if session.settings.mode == "chat":
            return ()
        return tuple(spec for spec, _run in TOOLS.values())

    def spec(self, name: str) -> ToolSpec | None:
        """Return one tool's definition."""
        entry = TOOLS.get(name)
        return entry[0] if entry else None

    def validate(self, call: ToolCall) -> str | None:
        """Return what is wrong with a call's name or arguments as the model should read it, or None."""
        spec = self.spec(call.name)
        if spec is None:
            return f"There is no tool called {call.name!r}. The tools are: {', '.join(TOOLS)}."
        import jsonschema  # late: 60 ms that the first paint should not pay

        validator = jsonschema.Draft202012Validator(spec.parameters)
        errors = sorted(validator.iter_errors(call.arguments), key=str)
        if not errors:
            return None
        return f"The arguments do not fit the tool: {'; '.join(error.message for error in errors[:3])[:600]}."

    def target(self, call: ToolCall, session: Session) -> ResolvedPath:
        """Return the resolved path a call is about. Raises ``ToolError``."""
        return resolve(
            str(call.arguments["path"]), workspace=session.settings.workspace, forbidden=self._own_folder
        )

    def run(self, call: ToolCall, target: ResolvedPath) -> ToolResult:
        """Carry a call out (blocking). The only caller is the runtime's dispatch."""
        _spec, runner = TOOLS[call.name]
        try:
            return ToolResult(status="success", text=runner(target, call.arguments))
        except ToolError as error:
            return ToolResult(status="error", text=error.user_message)
        except (OSError, ValueError, MemoryError) as error:
            # Whatever the system refuses is a result that the model can mend, never the end of the run.
            return ToolResult(status="error", text=f"The call failed: {error}.")
