"""A SOCKS5 proxy on loopback (RFC 1928, with the user and password of RFC 1929) that leads every name to one port."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field


@dataclass
class Socks:
    """``asked`` are the hosts that clients wanted to reach, ``logins`` the pairs they gave."""

    port: int = 0
    asked: list[str] = field(default_factory=list)
    logins: list[tuple[str, str]] = field(default_factory=list)


@asynccontextmanager
async def socks_server(target_port: int) -> AsyncIterator[Socks]:
    seen = Socks()
    served: list[asyncio.Task[None]] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        served.append(asyncio.current_task())  # type: ignore[arg-type]
        try:
            await _greet(reader, writer, seen)
            _, _, _, kind = await reader.readexactly(4)
            length = (await reader.readexactly(1))[0] if kind == 3 else 4
            seen.asked.append((await reader.readexactly(length)).decode())
            await reader.readexactly(2)
            writer.write(b"\x05\x00\x00\x01\x7f\x00\x00\x01\x00\x00")
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", target_port)
            await asyncio.gather(_pipe(reader, far_writer), _pipe(far_reader, writer))
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    seen.port = server.sockets[0].getsockname()[1]
    try:
        yield seen
    finally:
        server.close()
        await server.wait_closed()
        await asyncio.gather(*served)


async def _greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, seen: Socks) -> None:
    _, count = await reader.readexactly(2)
    methods = await reader.readexactly(count)
    if 2 not in methods:
        writer.write(b"\x05\x00")
        return
    writer.write(b"\x05\x02")
    await reader.readexactly(1)
    user = await reader.readexactly((await reader.readexactly(1))[0])
    password = await reader.readexactly((await reader.readexactly(1))[0])
    seen.logins.append((user.decode(), password.decode()))
    writer.write(b"\x01\x00")


async def _pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()
    writer.close()
