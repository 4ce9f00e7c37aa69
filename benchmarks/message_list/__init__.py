"""The message list under load, beside two other ways to build one: `python -m benchmarks list`."""
