"""The worker that serves one GGUF file with llama.cpp on loopback, behind a token.

It says ``{"port": N}`` once the model is loaded, or ``{"error": CODE, "detail": TEXT}`` and ends. It logs nothing
(verbosity -1): prompts must not land in a log.
"""

import os
import threading
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from deepchat_desktop.workers.guard import Config, tell

GGUF_MAGIC = b"GGUF"
MODEL_ALIAS = "local"


def run(config: Config) -> int:
    """Serve until stdin ends. The configuration: ``model`` (path), ``context`` (tokens), ``token``."""
    path = Path(str(config["model"]))
    problem = _unusable(path)
    if problem is not None:
        tell(error=problem[0], detail=problem[1])
        return 1
    try:
        import xllamacpp
    except ImportError as error:
        tell(error="no_engine", detail=str(error))
        return 1
    try:
        server = xllamacpp.Server(_parameters(xllamacpp, path, config))
    except MemoryError:
        tell(error="no_memory", detail="")
        return 1
    except RuntimeError as error:
        tell(error="not_loaded", detail=str(error))
        return 1
    tell(port=urlsplit(server.listening_address).port)
    threading.Event().wait()  # the guard ends the process; the server lives as long as this frame
    return 0


def _unusable(path: Path) -> tuple[str, str] | None:
    try:
        with path.open("rb") as file:
            magic = file.read(len(GGUF_MAGIC))
    except OSError as error:
        return "no_file", error.strerror or str(error)
    return None if magic == GGUF_MAGIC else ("not_gguf", "")


def _parameters(xllamacpp: Any, path: Path, config: Config) -> Any:
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(path)
    parameters.model_alias = {MODEL_ALIAS}
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.api_keys = [str(config["token"])]
    parameters.n_ctx = int(config["context"])
    parameters.n_parallel = 1
    # One core stays free for the window: with all of them taken a busy machine answers at a fifth of the speed.
    threads = max(1, (os.cpu_count() or 2) - 1)
    parameters.cpuparams.n_threads = threads
    parameters.cpuparams_batch.n_threads = threads
    parameters.use_jinja = True
    parameters.ui = False
    parameters.endpoint_slots = False
    parameters.endpoint_metrics = False
    parameters.verbosity = -1
    return parameters
