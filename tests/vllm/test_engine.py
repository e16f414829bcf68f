"""The engine `vllm` with a real vLLM on the CPU: from our environment, over Ray, into vLLM's own.

`make test-vllm` runs it with this project's interpreter and names vLLM's in TENKBENCH_VLLM_PYTHON.
"""

from __future__ import annotations

import asyncio
import json
import os
import time
from pathlib import Path

import pytest

from tests.vllm.tiny_model import ENVIRONMENT, NAME, make_tiny_model

if "TENKBENCH_VLLM_PYTHON" not in os.environ:
    pytest.skip("needs vLLM: make test-vllm", allow_module_level=True)

import ray

from tasks.inference.cache.response_cache import ResponseCache
from tasks.inference.client import Client
from tasks.inference.engines.openai import open_session
from tasks.inference.engines.vllm import Vllm, VllmReplica, fleet_of
from tasks.models.catalogue import Model, ServerLayout, Serving
from tests.calls import answers, group_of

pytestmark = pytest.mark.timeout(1800)  # vLLM starts in one to two minutes when nothing else runs

OWN_WINDOW, WINDOW = 2048, 8192  # the second by YaRN
DOCUMENT = " ".join(
    f"In year {year} net sales were ${year * 7} million." for year in range(1930, 2020)
)


@pytest.fixture
def row(tmp_path: Path) -> Model:
    """A tiny Llama whose window YaRN stretches; its server writes its process id to FOLDER/pid."""
    folder = make_tiny_model(tmp_path / "model")
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(
        json.dumps(config | {"max_position_embeddings": OWN_WINDOW})
    )
    noted = ("sh", "-c", f'echo $$ > {tmp_path}/pid; exec "$0" "$@"')
    serving = Serving(
        python=os.path.abspath(os.environ["TENKBENCH_VLLM_PYTHON"]),
        command=(*noted, *Serving().command),
        environment=ENVIRONMENT,
        on_cpu=True,
        log_folder=str(tmp_path),
        start_timeout_s=900,
    )
    return Model(
        name=NAME,
        engine="vllm",
        description="",
        repository=str(folder),
        served_as=NAME,
        window=WINDOW,
        dtype="float32",
        rope={
            "rope_type": "yarn",
            "factor": WINDOW / OWN_WINDOW,
            "original_max_position_embeddings": OWN_WINDOW,
            "rope_theta": 10_000.0,
        },
        token_ratio=4.0,  # a token a byte
        in_flight=1,  # so that the second call finds what the first has left
        layout=ServerLayout(tensor_parallel=1, replicas=1),
        server_options=("--enforce-eager",),
        serving=serving,
    )


def test_a_group_is_answered_by_a_real_vllm_from_its_cache_and_nothing_of_it_is_left(
    row: Model, tmp_path: Path
) -> None:
    group = group_of(DOCUMENT, 3, row, max_tokens=4)
    assert len(DOCUMENT) > OWN_WINDOW  # tokens: without YaRN it would not fit

    first, second, third = answers(Vllm(row), group)
    assert [response.status for response in (first, second, third)] == ["ok"] * 3
    assert first.engine == "vllm"
    assert first.engine_version.startswith("0.")
    assert first.n_cached == 0
    assert (second.n_cached or 0) >= len(DOCUMENT) // 16 * 16
    assert (third.n_cached or 0) >= len(DOCUMENT) // 16 * 16

    primed = Client(Vllm(row), ResponseCache(tmp_path / "journal.sqlite"), primes=True)
    other = group_of(DOCUMENT.replace("net sales", "total assets"), 3, row, max_tokens=4)
    for response in answers(primed, other):  # the same servers: this takes seconds
        assert (response.n_cached or 0) >= len(DOCUMENT) // 16 * 16

    assert asyncio.run(_cache_tokens(row)) > 2 * len(DOCUMENT)

    pid = int((tmp_path / "pid").read_text())
    assert _group_runs(pid)
    ray.kill(_server_of(row).actor)  # as if its node's worker had crashed
    deadline = time.monotonic() + 60
    while _group_runs(pid):
        assert time.monotonic() < deadline, "vLLM or one of its processes has outlived its actor"
        time.sleep(0.1)


def _group_runs(pid: int) -> bool:
    try:
        os.killpg(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def _cache_tokens(row: Model) -> int:
    fleet = await fleet_of(row)
    async with open_session(row) as session:
        replica = VllmReplica(fleet.servers[0], row, session)
        room = await replica.cache_tokens()
    assert room is not None, "this vLLM does not say how much its cache holds"
    return room


def _server_of(row: Model):  # type: ignore[no-untyped-def]
    return asyncio.run(fleet_of(row)).servers[0]
