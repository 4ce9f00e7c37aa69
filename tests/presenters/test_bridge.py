"""The bridge keeps the order, joins text that waits together, and never runs a slot inside a post."""

import asyncio

import pytest

from deepchat_desktop.domain.events import BlockText, Notice, RuntimeEvent
from deepchat_desktop.presenters.bridge import EventBridge

pytestmark = pytest.mark.anyio


def text(piece: str, index: int = 0) -> BlockText:
    return BlockText(session_id="s", message_id="m", index=index, text=piece)


async def test_events_come_later_in_order_and_text_is_joined(qt_loop: object) -> None:
    bridge = EventBridge()
    seen: list[RuntimeEvent] = []
    bridge.posted.connect(seen.append)
    notice = Notice(code="x", text="x")

    for event in (text("a"), text("b"), notice, text("c"), text("d", index=1)):
        bridge.post(event)
    assert seen == []
    await asyncio.sleep(0.02)

    assert seen == [text("ab"), notice, text("c"), text("d", index=1)]


async def test_a_thousand_deltas_are_one_signal(qt_loop: object) -> None:
    bridge = EventBridge()
    seen: list[RuntimeEvent] = []
    bridge.posted.connect(seen.append)
    for _ in range(1_000):
        bridge.post(text("x"))
    await asyncio.sleep(0.02)
    assert seen == [text("x" * 1_000)]


async def test_a_post_from_a_receiver_is_not_lost(qt_loop: object) -> None:
    bridge = EventBridge()
    seen: list[str] = []

    def receive(event: RuntimeEvent) -> None:
        assert isinstance(event, Notice)
        seen.append(event.code)
        if event.code == "first":
            bridge.post(Notice(code="second", text=""))

    bridge.posted.connect(receive)
    bridge.post(Notice(code="first", text=""))
    await asyncio.sleep(0.02)
    assert seen == ["first", "second"]
