"""One message as a view reads it: made of a whole message, or of stored rows whose blocks are read when asked for.

Invariants: whoever reads a view cannot tell the two apart; what was read from rows and not changed since may be let
go of, and is read again; at most ``KEPT`` messages are kept read.
"""

from collections import OrderedDict

from deepchat_desktop.domain.blocks import Block
from deepchat_desktop.domain.budget import IMAGE_TOKENS
from deepchat_desktop.domain.errors import StoreCorrupt
from deepchat_desktop.domain.find import texts_in
from deepchat_desktop.domain.messages import Message, MessageMeta, MessageStatus, Role
from deepchat_desktop.domain.usage import Usage
from deepchat_desktop.services.store import BYTES_PER_TOKEN, Size, StoredMessage

KEPT = 128
"""Messages: some views' worth."""


class Reading:
    """The messages that were read from rows, the last ones. ``read`` counts the readings."""

    def __init__(self) -> None:
        self.read = 0
        self._kept: OrderedDict[int, MessageView] = OrderedDict()

    def keep(self, view: "MessageView") -> None:
        """A view was read: another is let go of."""
        self.read += 1
        self._kept[id(view)] = view
        if len(self._kept) > KEPT:
            self._kept.popitem(last=False)[1].let_go()


class MessageView:
    """One message as it is shown now. Only the model changes it."""

    __slots__ = ("_blocks", "_facts", "_reading", "_stored", "id", "role", "status", "stop_reason")

    def __init__(
        self, message: Message | None = None, *, stored: StoredMessage | None = None, reading: Reading | None = None
    ) -> None:
        """``message``, or ``stored`` and the ``reading`` that it takes part in."""
        source = message if message is not None else stored
        assert source is not None
        self.id: str = source.id
        self.role: Role = source.role
        self.status: MessageStatus = source.status
        self.stop_reason: str | None = source.stop_reason
        self._stored, self._reading = stored, reading
        self._blocks: list[Block] | None = list(message.blocks) if message is not None else None
        self._facts: tuple[MessageMeta, Usage] | None = (message.meta, message.usage) if message is not None else None

    @property
    def clean(self) -> bool:
        """Tell whether it is as its rows say."""
        return self._stored is not None

    @property
    def blocks(self) -> list[Block]:
        """Return the blocks. One that cannot be read is an error in its place."""
        if self._blocks is None:
            self._blocks = self._read()
            if self._reading is not None:
                self._reading.keep(self)
        return self._blocks

    @property
    def meta(self) -> MessageMeta:
        """Return how the message came to be."""
        return self._told()[0]

    @property
    def usage(self) -> Usage:
        """Return what the provider counted."""
        return self._told()[1]

    @property
    def tokens(self) -> int:
        """Return about what it costs to send."""
        if self._stored is not None:
            return self._stored.tokens
        return sum(_tokens(block) for block in self.blocks)

    @property
    def has_error(self) -> bool:
        """Tell whether it holds an error."""
        if self._stored is not None and self._blocks is None:
            return self._stored.has_error
        return any(block.kind == "error" for block in self.blocks)

    @property
    def waits(self) -> bool:
        """Tell whether a permission in it is still to be answered."""
        if self._stored is not None:
            return self._stored.waits
        return any(block.kind == "permission" and block.status == "pending" for block in self.blocks)

    def texts(self) -> list[tuple[int, str]]:
        """Return the block and the text of all that can be found in it; keeps nothing read."""
        return list(texts_in(self._blocks if self._blocks is not None else self._read()))

    def own(self) -> list[Block]:
        """Return the blocks to be changed: from now on the rows are out of date."""
        blocks = self.blocks
        self._told()
        self._stored = None
        return blocks

    def size(self) -> Size:
        """Return how much there is to show."""
        texts = [len(block.text.encode("utf-8", "surrogatepass")) for block in self.blocks if block.kind == "text"]
        return sum(texts), len(self.blocks) - len(texts)

    def let_go(self) -> None:
        """Forget what was read, unless it was changed."""
        if self._stored is not None:
            self._blocks = self._facts = None

    def _read(self) -> list[Block]:
        return [block.read() for block in self._stored.blocks] if self._stored is not None else []

    def _told(self) -> tuple[MessageMeta, Usage]:
        if self._facts is None and self._stored is not None:
            try:
                self._facts = self._stored.facts()
            except StoreCorrupt:
                self._facts = (MessageMeta(), Usage())
        assert self._facts is not None
        return self._facts


def _tokens(block: Block) -> int:
    match block.kind:
        case "image":
            return IMAGE_TOKENS
        case "text" | "reasoning" | "file":
            text = block.text
        case "tool_call":
            text = block.arguments_text + block.result
        case _:
            return 0
    return int(len(text.encode("utf-8", "surrogatepass")) / BYTES_PER_TOKEN)
