"""The GGUF files in the models folder and how each is to be asked.

The starter is a 135 million parameter model: it speaks English only, invents facts and falls into loops. It is
there to try the program out, and its label says so. The figures of its profile were measured (12 questions:
11 right at temperature 0 with a one-line prompt, 8 right at the server's own settings).
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from deepchat_desktop.domain.prompt import ModelCapabilities
from deepchat_desktop.domain.settings import ModelSettings

STARTER_ID = "SmolLM2-135M-Instruct.Q4_1"
STARTER_FILE = STARTER_ID + ".gguf"
STARTER_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
STARTER_BYTES = 98_362_432
STARTER_LICENCE = "Apache-2.0"
STARTER_TITLE = "SmolLM2 135M (tiny, for trying out)"
STARTER_NOTE = "A tiny model for trying the program out: English only, often wrong. It runs on this computer."

DEFAULT_CONTEXT = 4_096
LARGEST_CONTEXT = 8_192
SMALLEST_CONTEXT = 512
STARTER_OUTPUT = 512
"""Enough for a page, and an end to the loops a small model falls into."""
OTHER_OUTPUT = 2_048


@dataclass(frozen=True)
class LocalProfile:
    """How a local model is asked unless the request says otherwise. ``None`` leaves it to the server."""

    label: str
    capabilities: ModelCapabilities
    note: str = ""
    system: str | None = None
    temperature: float | None = None
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def max_output(self) -> int | None:
        """Tokens an answer may have."""
        return self.capabilities.max_output


@dataclass(frozen=True)
class LocalModelFile:
    """A model that can be used now. ``size`` is bytes."""

    id: str
    path: Path
    size: int
    title: str
    note: str
    settings: ModelSettings


def profile_for(model_id: str) -> LocalProfile:
    """Return how a model is asked: the starter as measured, any other with the server's settings."""
    if model_id == STARTER_ID:
        return LocalProfile(
            label=STARTER_TITLE,
            note=STARTER_NOTE,
            capabilities=_capabilities(STARTER_OUTPUT),
            system="You are a helpful assistant. Answer briefly and clearly.",
            temperature=0.0,
            extra={"repeat_penalty": 1.05, "repeat_last_n": 128},
        )
    return LocalProfile(label=model_id, capabilities=_capabilities(OTHER_OUTPUT))


def _capabilities(max_output: int) -> ModelCapabilities:
    return ModelCapabilities(tools=False, vision=False, context=DEFAULT_CONTEXT, max_output=max_output)


def clamp_context(context: int | None) -> int:
    """Return the window to load a model with, in tokens; the embedded server is given at most 8,192."""
    return max(SMALLEST_CONTEXT, min(context or DEFAULT_CONTEXT, LARGEST_CONTEXT))


def list_models(folder: Path) -> list[LocalModelFile]:
    """Return the GGUF files of ``folder``, the starter first, then by name. A missing folder holds none."""
    found = [_entry(path) for path in folder.glob("*.gguf") if path.is_file()] if folder.is_dir() else []
    return sorted(found, key=lambda model: (model.id != STARTER_ID, model.id.casefold()))


def _entry(path: Path) -> LocalModelFile:
    profile = profile_for(path.stem)
    return LocalModelFile(
        id=path.stem,
        path=path,
        size=path.stat().st_size,
        title=profile.label,
        note=profile.note,
        settings=ModelSettings(id=path.stem, name=profile.label, capabilities=profile.capabilities),
    )
