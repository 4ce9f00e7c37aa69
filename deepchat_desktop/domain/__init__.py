"""The pure core: what a conversation is, without I/O, clocks, tasks or widgets."""
