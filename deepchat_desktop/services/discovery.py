"""Finds model servers that run on this computer: Ollama, LM Studio, llama.cpp.

Only loopback is asked, nothing but what a server tells anybody, and no key is sent. A port that somebody else uses is
no finding: the answer must have the shape of the server it is taken for.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from deepchat_desktop.domain.settings import ApiStyle
from deepchat_desktop.services.http import new_client

if TYPE_CHECKING:
    import httpx

LIMIT_S = 1.5
LARGEST_ANSWER = 1 << 20
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class FoundServer:
    """A server that answered. ``address`` is shown, ``base_url`` goes into the provider's settings."""

    kind: str
    title: str
    address: str
    base_url: str
    api: ApiStyle
    models: tuple[str, ...]


@dataclass(frozen=True)
class Candidate:
    """A server to look for. ``checks`` are further paths that must answer 200."""

    kind: str
    title: str
    port: int
    list_path: str
    read: Callable[[Any], tuple[str, ...]]
    checks: tuple[str, ...] = ()


def _ollama_names(answer: Any) -> tuple[str, ...]:
    return tuple(str(model["name"]) for model in answer["models"])


def _openai_names(answer: Any) -> tuple[str, ...]:
    return tuple(str(model["id"]) for model in answer["data"])


CANDIDATES = (
    Candidate("ollama", "Ollama", 11434, "/api/tags", _ollama_names),
    Candidate("lmstudio", "LM Studio", 1234, "/v1/models", _openai_names),
    Candidate("llamacpp", "llama.cpp", 8080, "/v1/models", _openai_names, checks=("/health",)),
)


async def find_servers(
    ports: Mapping[str, int] | None = None, *, host: str = "127.0.0.1", limit_s: float = LIMIT_S
) -> tuple[FoundServer, ...]:
    """Return the servers that answer within ``limit_s`` seconds, in the order of ``CANDIDATES``; never raises.

    All are asked at once. ``ports`` replaces a kind's usual port.
    """
    chosen = ports or {}
    probes = (_probe(each, f"{host}:{chosen.get(each.kind, each.port)}", limit_s) for each in CANDIDATES)
    return tuple(found for found in await asyncio.gather(*probes) if found is not None)


async def _probe(candidate: Candidate, address: str, limit_s: float) -> FoundServer | None:
    import httpx

    try:
        async with asyncio.timeout(limit_s), new_client(f"http://{address}", keepalive=False) as client:
            for path in candidate.checks:
                if (await client.get(f"http://{address}{path}")).status_code != 200:
                    return None
            models = candidate.read(await _json(client, f"http://{address}{candidate.list_path}"))
    except (TimeoutError, httpx.HTTPError, ValueError, KeyError, TypeError) as error:
        _log.debug("No %s at %s: %s", candidate.title, address, type(error).__name__)
        return None
    return FoundServer(
        kind=candidate.kind,
        title=candidate.title,
        address=address,
        # All three speak the chat completions of OpenAI under /v1; only Ollama's own API takes a context length.
        base_url=f"http://{address}/v1",
        api="ollama" if candidate.kind == "ollama" else "openai_chat",
        models=models,
    )


async def _json(client: "httpx.AsyncClient", url: str) -> Any:
    """Return a JSON answer of at most 1 MB. Raises ValueError for anything else."""
    import json

    async with client.stream("GET", url) as response:
        if response.status_code != 200:
            raise ValueError("not the expected answer")
        data = b""
        async for chunk in response.aiter_bytes():
            data += chunk
            if len(data) > LARGEST_ANSWER:
                raise ValueError("too long an answer")
    return json.loads(data)
