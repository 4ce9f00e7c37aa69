"""The message list: heights, layout, painting, selection."""
