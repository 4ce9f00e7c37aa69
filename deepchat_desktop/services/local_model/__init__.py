"""The embedded model: llama.cpp in a process of its own, its files, and how they are fetched."""

from deepchat_desktop.services.local_model.catalog import (
    STARTER_ID,
    LocalModelFile,
    LocalProfile,
    list_models,
    profile_for,
)
from deepchat_desktop.services.local_model.receive import PullProgress
from deepchat_desktop.services.local_model.server import LocalEndpoint
from deepchat_desktop.services.local_model.service import LocalModel

__all__ = [
    "STARTER_ID",
    "LocalEndpoint",
    "LocalModel",
    "LocalModelFile",
    "LocalProfile",
    "PullProgress",
    "list_models",
    "profile_for",
]
