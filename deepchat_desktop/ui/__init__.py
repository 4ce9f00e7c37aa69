"""Widgets; they talk to presenters only."""
