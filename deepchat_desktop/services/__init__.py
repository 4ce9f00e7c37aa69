"""Asyncio and I/O: everything that touches the world, without Qt."""
