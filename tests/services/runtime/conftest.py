"""A real core over a private folder and a scripted server; events are collected in order."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from deepchat_desktop.core import Core, open_core
from deepchat_desktop.domain.events import RuntimeEvent
from deepchat_desktop.domain.messages import Connection, Message, Session, SessionSettings
from tests.fakes.wire_server import WireServer


@pytest.fixture
def server() -> Iterator[WireServer]:
    with WireServer() as running:
        yield running


@dataclass
class Bench:
    """What a runtime test holds in its hands."""

    core: Core
    server: WireServer
    workspace: Path
    events: list[RuntimeEvent] = field(default_factory=list)

    async def session(self, **settings: object) -> Session:
        connection = Connection(provider="ad-hoc", model="m", api="openai_chat", base_url=self.server.base_url)
        values = {"connection": connection, "workspace": str(self.workspace), **settings}
        return await self.core.runtime.create_session(SessionSettings(**values))

    async def messages(self, session: Session) -> list[Message]:
        return await self.core.store.read(lambda tx: tx.messages.of_session(session.id))

    def kinds(self) -> list[str]:
        return [event.kind for event in self.events]

    async def reopen(self) -> None:
        """Close and open again, as a restart does."""
        await self.core.close()
        self.core = open_core(self.core.data_dir, self.events.append)
        await self.core.start()


@pytest.fixture
async def bench(data_dir: Path, tmp_path: Path, server: WireServer) -> AsyncIterator[Bench]:
    workspace = tmp_path / "project"
    workspace.mkdir()
    events: list[RuntimeEvent] = []
    made = Bench(core=open_core(data_dir, events.append), server=server, workspace=workspace, events=events)
    await made.core.start()
    yield made
    await made.core.close()
