"""The tiny model and a real vLLM server that answers for it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.vllm.tiny_model import ENVIRONMENT, make_tiny_model, server_command

START_S = 600.0  # a cold import of vLLM on two busy cores has taken two minutes


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a tiny random Llama."""
    return make_tiny_model(tmp_path_factory.mktemp("tiny-llama"))


@pytest.fixture(scope="session")
def vllm_server(tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The base URL of a real vLLM server on the CPU, with this test run's interpreter."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = tmp_path_factory.mktemp("vllm-server") / "log.txt"
    with log.open("wb") as file:
        server = subprocess.Popen(
            server_command(sys.executable, tiny_model, port),
            env=os.environ | ENVIRONMENT,
            stdout=file,
            stderr=subprocess.STDOUT,
        )
    try:
        _wait_until_healthy(server, port, log)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        server.terminate()  # it ends its own engine process
        try:
            server.wait(timeout=60)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def _wait_until_healthy(server: subprocess.Popen[bytes], port: int, log: Path) -> None:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline and server.poll() is None:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5) as reply:
                if reply.status == 200:
                    return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(1)
    tail = log.read_text(encoding="utf-8", errors="replace")[-4000:]
    pytest.fail(
        f"the vLLM server did not start (exit status {server.poll()}); the end of its log:\n{tail}"
    )
