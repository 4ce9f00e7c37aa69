"""The one road of every path that a tool gets: judged, opened, written."""
