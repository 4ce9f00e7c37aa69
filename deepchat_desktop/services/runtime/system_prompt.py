"""The system prompt: who the agent is, where it works, and what it may do."""

import datetime
import platform

from deepchat_desktop.domain.messages import Session
from deepchat_desktop.services.providers.directory import ConnectedModel

AGENT = (
    "You are DeepChat, a helpful assistant in a desktop application. Answer in the user's language, in Markdown, "
    "and say plainly when you do not know something."
)
TOOL_GUIDE = (
    "You can call tools. Paths may be relative to the workspace. Reading inside the workspace needs no leave; "
    "writing is shown to the user first, who may refuse. A refusal is an answer: do not ask for the same thing again."
)


def system_prompt(session: Session, model: ConnectedModel, *, with_tools: bool) -> str:
    """Return the prompt of a session. A model with a prompt of its own gets that one alone."""
    if session.settings.system is not None:
        return session.settings.system
    if model.system is not None:
        return model.system
    today = datetime.datetime.now().astimezone().date().isoformat()
    lines = [AGENT, "", f"Model: {model.label}", f"System: {platform.system()}", f"Date: {today}"]
    if session.settings.workspace:
        lines.append(f"Workspace: {session.settings.workspace}")
    if with_tools:
        lines += ["", TOOL_GUIDE]
    return "\n".join(lines)
