"""The conversation: message list, composer, permission card."""
