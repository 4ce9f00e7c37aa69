"""Which shape shows a fence: code, a formula, or a diagram."""

from deepchat_desktop.ui.blocks.code_shape import CodeChoices, CodeShape
from deepchat_desktop.ui.blocks.diagram_shape import LANGUAGE, DiagramShape
from deepchat_desktop.ui.blocks.math_shape import MathShape

MATH = "math"


def make(
    code: str, language: str, choices: CodeChoices, *, open: bool, closed: bool = True
) -> CodeShape | MathShape:
    """Return the shape of a fence. ``open`` while more is to come, ``closed`` once its end has come."""
    if language == MATH and closed and not open and code.strip():
        return MathShape(code.strip(), f"```math\n{code}\n```")
    if language == LANGUAGE:
        return DiagramShape(code, choices, open=open, closed=closed and not open)
    return CodeShape(code, language, choices, open=open)


def update(shape: CodeShape, code: str, language: str, *, open: bool, closed: bool = True) -> bool:
    """Give the shape of a growing fence its present state; False where another kind shows it now."""
    if (language == MATH and closed and not open) or (language == LANGUAGE) != isinstance(shape, DiagramShape):
        return False
    shape.set_code(code, language, open=open)
    if isinstance(shape, DiagramShape):
        shape.set_closed(closed and not open)
    return True
