"""What a shell command is, and whether it may run unasked."""
