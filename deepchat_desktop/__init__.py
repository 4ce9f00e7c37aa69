"""DeepChat Desktop: a native, local-first AI agent chat application."""

__version__ = "0.1.0"
APP_ID = "deepchat-desktop"
