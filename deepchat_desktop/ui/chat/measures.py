"""The measures that messages, request and composer share, in px."""

COLUMN = 780
"""The widest the conversation gets."""
SIDE = 24
"""The least room at its sides."""
EDGE = 16
"""Room around a floating box for its shadow."""
