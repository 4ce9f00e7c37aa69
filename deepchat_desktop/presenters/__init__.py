"""Between the asyncio core and the widgets: QtCore only."""
