"""The loop: one message end to end, pause and resume, recovery."""
