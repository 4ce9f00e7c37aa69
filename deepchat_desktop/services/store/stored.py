"""A message as its rows hold it: what a list needs at once, and the blocks as JSON that nobody has read yet.

Invariants: made without reading any JSON, so a long conversation opens at the speed of the disk; reading gives what
``MessageRows.get`` gives, except that a block which cannot be read becomes an error in its place.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Any, NamedTuple, overload

from pydantic_core import from_json as from_json_bytes

from deepchat_desktop.domain.blocks import Block, ErrorBlock
from deepchat_desktop.domain.budget import IMAGE_TOKENS
from deepchat_desktop.domain.errors import StoreCorrupt
from deepchat_desktop.domain.messages import MessageMeta, MessageStatus, Role
from deepchat_desktop.domain.usage import Usage
from deepchat_desktop.services.store.text import MARK, build, build_block, from_json, unescape

_PENDING = b'"status":"pending"'
BYTES_PER_TOKEN = 3.9
"""The estimate of ``budget.estimate_text`` in bytes of UTF-8: a CJK character is three of them and 0.78 tokens."""
_FRAME = 50
"""Bytes of a block's JSON beside its text."""


_TEXT = b'{"kind":"text","text":"'
_ESCAPE = MARK.encode()
_AT_ONCE = 500
"""Messages whose texts are read together."""
_NO_BLOCK: tuple[int, str, bytes] = (-1, "", b"")

Size = tuple[int, int]
"""How much there is to show of a message: bytes of text, and the number of blocks of other kinds."""


class StoredBlock(NamedTuple):
    """One block; ``data`` is the column's UTF-8."""

    kind: str
    data: bytes

    @property
    def tokens(self) -> int:
        """Return about what it costs to send."""
        match self.kind:
            case "image":
                return IMAGE_TOKENS
            case "carry" | "permission":
                return 0
            case _:
                return max(0, int((len(self.data) - _FRAME) / BYTES_PER_TOKEN))

    def read(self) -> Block:
        """Return the block, or the error that stands for it."""
        try:
            return build_block(from_json(self.data.decode()))
        except (StoreCorrupt, UnicodeDecodeError):
            return unreadable()


class StoredMessage(NamedTuple):
    """One message. ``usage`` and ``meta`` are JSON."""

    id: str
    role: Role
    status: MessageStatus
    stop_reason: str | None
    usage: str
    meta: str
    blocks: tuple[StoredBlock, ...]

    @property
    def tokens(self) -> int:
        """Return about what it costs to send, from the size of its blocks."""
        return sum(block.tokens for block in self.blocks)

    @property
    def has_error(self) -> bool:
        """Tell whether it holds an error."""
        return any(block.kind == "error" for block in self.blocks)

    @property
    def waits(self) -> bool:
        """Tell whether a permission in it is still to be answered."""
        return any(block.kind == "permission" and _PENDING in block.data for block in self.blocks)

    def facts(self) -> tuple[MessageMeta, Usage]:
        """Return what is told under the message. Raises ``StoreCorrupt``; the blocks are readable all the same."""
        return build(MessageMeta, from_json(self.meta)), build(Usage, from_json(self.usage))


class StoredMessages(Sequence[StoredMessage]):
    """The messages of one session, oldest first; each is put together when it is asked for.

    ``rows`` are (n, id, role, status, stop_reason, usage, meta) and ``blocks`` (n, kind, data), both in the order of n.
    """

    def __init__(self, rows: list[tuple[Any, ...]], blocks: list[tuple[int, str, bytes]]) -> None:
        self._rows, self._blocks = rows, blocks

    def __len__(self) -> int:
        return len(self._rows)

    def ids(self) -> list[str]:
        """Return the ids of all."""
        return [unescape(row[1]) for row in self._rows]

    @overload
    def __getitem__(self, at: int) -> StoredMessage: ...
    @overload
    def __getitem__(self, at: slice) -> list[StoredMessage]: ...
    def __getitem__(self, at: int | slice) -> StoredMessage | list[StoredMessage]:
        if isinstance(at, slice):
            return [self[row] for row in range(len(self))[at]]
        n, key, role, status, stop, usage, meta = self._rows[at]
        first = bisect_left(self._blocks, n, key=itemgetter(0))
        last = bisect_left(self._blocks, n + 1, first, key=itemgetter(0))
        blocks = tuple(StoredBlock(kind, data) for _, kind, data in self._blocks[first:last])
        stop = stop if stop is None else unescape(stop)
        return StoredMessage(unescape(key), role, status, stop, usage, meta, blocks)

    def weight(self, at: int) -> tuple[int, Role]:
        """Return about how many tokens a message costs to send, and who spoke, without putting it together."""
        n, role, tokens = self._rows[at][0], self._rows[at][2], 0
        block = bisect_left(self._blocks, n, key=itemgetter(0))
        while block < len(self._blocks) and self._blocks[block][0] == n:
            tokens += StoredBlock(*self._blocks[block][1:]).tokens
            block += 1
        return tokens, role

    def marked(self) -> Iterator[int]:
        """Yield the places of the messages with an error or a request that waits, much faster than asking each."""
        for n, kind, data in self._blocks:
            if kind == "error" or (kind == "permission" and _PENDING in data):
                yield bisect_left(self._rows, n, key=itemgetter(0))

    def plain_texts(self, start: int, end: int) -> Iterator[tuple[Role, str] | None]:
        """Yield who spoke and the text of each message from ``start`` to before ``end``; None if it is not one text."""
        for first in range(start, end, _AT_ONCE):
            rows = self._rows[first : min(end, first + _AT_ONCE)]
            single = self._single(rows)
            texts = iter(_texts([data for data in single if data is not None]))
            for row, data in zip(rows, single, strict=True):
                text = next(texts) if data is not None else None
                yield (row[2], text) if text is not None else None

    def _single(self, rows: Sequence[tuple[Any, ...]]) -> list[bytes | None]:
        """Return the one text block of each row; None for a message that is more, or written otherwise than by us."""
        if not rows:
            return []
        first = bisect_left(self._blocks, rows[0][0], key=itemgetter(0))
        blocks = self._blocks[first : bisect_left(self._blocks, rows[-1][0] + 1, first, key=itemgetter(0))]
        counts = Counter(map(itemgetter(0), blocks))
        known = {n: data for n, _, data in blocks if counts[n] == 1 and data.startswith(_TEXT)}
        return [known.get(row[0]) for row in rows]

    def sizes(self) -> Iterator[Size]:
        """Yield the size of each, much faster than by asking each for its blocks."""
        blocks = iter(self._blocks)
        of, kind, data = next(blocks, _NO_BLOCK)
        for n, *_ in self._rows:
            text = others = 0
            while of == n:
                if kind == "text":
                    text += len(data)
                else:
                    others += 1
                of, kind, data = next(blocks, _NO_BLOCK)
            yield text, others


def _texts(blocks: Sequence[bytes]) -> list[str | None]:
    """Return the text of each text block, None for one that must be read alone; one reading for all is much faster."""
    together = b"[" + b",".join(blocks) + b"]"
    if _ESCAPE not in together:
        try:
            values = from_json_bytes(together, cache_strings=False)
        except ValueError:
            values = []
        if len(values) == len(blocks):
            return [str(value["text"]) for value in values]
    return [None] * len(blocks) if len(blocks) == 1 else [text for block in blocks for text in _texts((block,))]


def unreadable() -> ErrorBlock:
    """Return what is shown in the place of something that cannot be read."""
    return ErrorBlock(
        code=StoreCorrupt.code, message="A part of this message cannot be read: the database is damaged here."
    )
