"""Rows of the engine `vllm` with our small servers, and the processes that they become."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from tasks.models.catalogue import Model, ServerLayout, Serving
from tests.servers.serving import SCRIPT


def served(
    folder: Path, name: str = "local", options: tuple[str, ...] = (), **changes: Any
) -> Model:
    """A row with two of our small servers; each writes its process id to FOLDER/pid-REPLICA."""
    script = f'echo $$ > {folder}/pid-{{replica}}; exec "$0" "$@"'
    chat_server = ("{python}", str(SCRIPT), "--port", "{port}", "--model", "{name}", *options)
    serving = Serving(
        python=sys.executable,
        command=("sh", "-c", script, *chat_server),
        log_folder=str(folder),
        start_timeout_s=240,
    )
    return Model(
        name=name,
        engine="vllm",
        description="",
        layout=ServerLayout(tensor_parallel=1, replicas=2),
        serving=replace(serving, **changes),
    )


def pids(folder: Path) -> list[int]:
    """The process ids of the servers started in a folder, the last of each replica."""
    return [int(file.read_text()) for file in sorted(folder.glob("pid-*"))]


def runs(pid: int) -> bool:
    """Whether a process is there."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
