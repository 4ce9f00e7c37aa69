"""The bridge from the runtime to Qt: the only class that emits runtime events as signals.

The runtime posts; a queued signal drains. So no slot ever runs inside a task step, where a nested loop would kill
other tasks. Text for the same block that waits together is joined.
"""

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, Signal

from deepchat_desktop.domain.events import BlockText, RuntimeEvent


class EventBridge(QObject):
    """Post events on the loop's thread; connect to ``posted``."""

    posted = Signal(object)
    _wake = Signal()
    _turn = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._waiting: list[RuntimeEvent | Callable[[], None]] = []
        self._wake.connect(self._drain, Qt.ConnectionType.QueuedConnection)
        self._turn.connect(lambda call: call())

    def post(self, event: RuntimeEvent) -> None:
        """Hand over one event; it is emitted soon, in order."""
        if not self._waiting:
            self._wake.emit()
        elif isinstance(event, BlockText) and (joined := _join(self._waiting[-1], event)) is not None:
            self._waiting[-1] = joined
            return
        self._waiting.append(event)

    def in_order(self, call: Callable[[], None]) -> None:
        """Have ``call`` called after all that was posted before, and before all that is posted later."""
        if not self._waiting:
            self._wake.emit()
        self._waiting.append(call)

    def _drain(self) -> None:
        waiting, self._waiting = self._waiting, []
        for item in waiting:
            (self._turn if callable(item) else self.posted).emit(item)


def _join(last: object, event: BlockText) -> BlockText | None:
    if not isinstance(last, BlockText) or (last.message_id, last.index) != (event.message_id, event.index):
        return None
    return event.model_copy(update={"text": last.text + event.text})
