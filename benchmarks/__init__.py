"""Figures that the product promises, measured on the real program: `python -m benchmarks`."""
