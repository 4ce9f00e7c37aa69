"""Sheets that open over the window; none of them runs a nested event loop."""
