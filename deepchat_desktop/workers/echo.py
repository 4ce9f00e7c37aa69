"""A worker that answers with its configuration: shows that workers start, in a frozen program too."""

from deepchat_desktop.workers.guard import Config, tell


def run(config: Config) -> int:
    """Answer ``{"echo": ...}`` with the configuration's ``say`` and end."""
    tell(echo=config.get("say"))
    return 0
