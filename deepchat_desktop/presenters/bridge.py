"""The bridge from the runtime to Qt: the only class that emits runtime events as signals.

The runtime posts; a queued signal drains. So no slot ever runs inside a task step, where a nested loop would kill
other tasks. Text for the same block that waits together is joined.
"""

from PySide6.QtCore import QObject, Qt, Signal

from deepchat_desktop.domain.events import BlockText, RuntimeEvent


class EventBridge(QObject):
    """Post events on the loop's thread; connect to ``posted``."""

    posted = Signal(object)
    _wake = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._waiting: list[RuntimeEvent] = []
        self._wake.connect(self._drain, Qt.ConnectionType.QueuedConnection)

    def post(self, event: RuntimeEvent) -> None:
        """Hand over one event; it is emitted soon, in order."""
        if not self._waiting:
            self._wake.emit()
        elif isinstance(event, BlockText) and (joined := _join(self._waiting[-1], event)) is not None:
            self._waiting[-1] = joined
            return
        self._waiting.append(event)

    def _drain(self) -> None:
        waiting, self._waiting = self._waiting, []
        for event in waiting:
            self.posted.emit(event)


def _join(last: RuntimeEvent, event: BlockText) -> BlockText | None:
    if not isinstance(last, BlockText) or (last.message_id, last.index) != (event.message_id, event.index):
        return None
    return event.model_copy(update={"text": last.text + event.text})
