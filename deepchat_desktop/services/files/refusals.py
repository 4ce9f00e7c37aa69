"""Why a path is not used at all: two refusals, which rules tell apart from asking.

Both are results that the model reads; ``rule`` names the promise that they keep.
"""

from deepchat_desktop.domain.errors import ToolError


class PathRefused(ToolError):
    """A path that no answer of the user makes usable."""

    code = "path"

    def __init__(self, user_message: str, rule: str) -> None:
        super().__init__(user_message)
        self.rule = rule


class BadPath(PathRefused):
    """It names nothing that a tool could use: a mistake that can be mended."""


class ForbiddenPath(PathRefused):
    """It names something that no tool may touch, in whatever mode."""
