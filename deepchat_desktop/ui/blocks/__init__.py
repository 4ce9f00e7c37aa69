"""One file per kind of block in the message list."""
