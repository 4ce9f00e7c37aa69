"""The embedded model: llama.cpp in a process of its own, its files, and how they are fetched."""
