"""Servers on a real Ray cluster, with our small server in vLLM's place."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tasks.core.cancellation import Stopped, request_stop, withdraw_stop
from tasks.inference.engines.server import ServersFailed
from tasks.inference.engines.vllm import Fleet, end_fleet, fleet_of
from tasks.models.catalogue import Model, ServerLayout
from tests.servers.served import pids, runs, served
from tests.servers.serving import SCRIPT

ROOT = Path(__file__).parents[4]


def started(model: Model) -> Fleet:
    return asyncio.run(fleet_of(model))


def wait_until(what: Callable[[], bool], within_s: float = 240.0) -> None:
    deadline = time.monotonic() + within_s
    while not what():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.05)


def is_healthy(root: str) -> bool:
    try:
        with urllib.request.urlopen(f"{root}/health", timeout=10) as reply:
            return bool(reply.status == 200)
    except (urllib.error.URLError, ConnectionError):
        return False


def test_servers_are_kept_from_step_to_step_and_end_when_they_are_told(
    ray_cluster: str, tmp_path: Path
) -> None:
    model = served(tmp_path, on_cpu=True)
    fleet = started(model)
    first = pids(tmp_path)
    assert [is_healthy(server.root) for server in fleet.servers] == [True, True]
    assert all(server.root.startswith("http://127.0.0.1:") for server in fleet.servers)
    assert started(model) is fleet
    assert pids(tmp_path) == first
    end_fleet(fleet)
    assert not any(map(runs, first))


def test_servers_that_died_between_two_steps_are_started_anew(
    ray_cluster: str, tmp_path: Path
) -> None:
    model = served(tmp_path, on_cpu=True)
    fleet = started(model)
    dead, alive = pids(tmp_path)
    os.kill(dead, signal.SIGKILL)
    wait_until(lambda: not runs(dead))
    again = started(model)
    assert again is not fleet
    assert not runs(alive)
    assert all(map(runs, pids(tmp_path)))
    end_fleet(again)


def test_servers_make_room_for_another_models_and_see_only_their_gpus(
    ray_cluster: str, tmp_path: Path
) -> None:
    folders = [tmp_path / name for name in ("small", "large", "one")]
    for folder in folders:
        folder.mkdir()
    small = started(served(folders[0], "small"))  # two of the four GPUs
    large = replace(served(folders[1], "large"), layout=ServerLayout(tensor_parallel=3, replicas=1))
    taken = pids(folders[0])
    shown = f"env > {folders[1]}/env; "
    script = large.serving.command[2]
    serving = replace(
        large.serving,
        command=(*large.serving.command[:2], shown + script, *large.serving.command[3:]),
    )
    third = started(replace(large, serving=serving))
    assert not any(map(runs, taken))
    assert not any(is_healthy(server.root) for server in small.servers)
    environment = (folders[1] / "env").read_text().splitlines()
    visible = next(line for line in environment if line.startswith("CUDA_VISIBLE_DEVICES="))
    assert len(visible.split(",")) == 3
    one = started(
        replace(served(folders[2], "one"), layout=ServerLayout(tensor_parallel=1, replicas=1))
    )
    assert all(map(runs, [*pids(folders[1]), *pids(folders[2])]))  # there was room for both
    end_fleet(third)
    end_fleet(one)


def test_too_few_gpus_are_said_before_anything_starts(ray_cluster: str, tmp_path: Path) -> None:
    model = replace(served(tmp_path), layout=ServerLayout(tensor_parallel=4, replicas=2))
    with pytest.raises(ServersFailed, match="needs 2 servers with 4 GPUs each") as failed:
        started(model)
    assert "GPUs per node: 4, enough for 1" in str(failed.value)
    assert not list(tmp_path.iterdir())


def test_a_server_that_ends_early_is_quoted(ray_cluster: str, tmp_path: Path) -> None:
    script = (
        "import sys\nprint('ValueError: no such weights')\n"
        "for n in range(30): print('line', n)\nsys.exit(7)"
    )
    model = served(tmp_path, "broken model/1", on_cpu=True, command=("{python}", "-c", script))
    with pytest.raises(ServersFailed, match="of broken model/1 ended before it answered") as failed:
        started(model)
    said = str(failed.value)
    assert "exit status 7" in said
    assert "ValueError: no such weights" in said
    assert said.endswith("  line 29")
    (log,) = [word.rstrip(").") for word in said.split() if word.startswith(str(tmp_path))]
    assert "line 5" in Path(log).read_text()


def test_a_server_that_does_not_answer_in_time_is_ended(ray_cluster: str, tmp_path: Path) -> None:
    model = served(tmp_path, on_cpu=True, start_timeout_s=0.5)
    script = f"echo $$ > {tmp_path}/pid-{{replica}}; echo loading; sleep 1000 & wait"
    model = replace(model, serving=replace(model.serving, command=("sh", "-c", script)))
    with pytest.raises(
        ServersFailed, match=r"did not answer within 0.5 s .* raise start_timeout_s"
    ):
        started(model)
    assert not any(map(runs, pids(tmp_path)))


def test_a_stop_while_servers_start_ends_them(ray_cluster: str, tmp_path: Path) -> None:
    model = served(tmp_path, on_cpu=True, command=("sleep", "1000"))
    request_stop()
    try:
        with pytest.raises(Stopped, match=r"the servers of local.*Nothing was sent"):
            started(model)
    finally:
        withdraw_stop()


def test_rays_runtime_environment_brings_the_interpreter(ray_cluster: str, tmp_path: Path) -> None:
    script = f'env > {tmp_path}/env-{{replica}}; exec "$0" "$@"'
    command = ("sh", "-c", script, "{python}", str(SCRIPT), "--port", "{port}")
    model = served(
        tmp_path,
        on_cpu=True,
        python=None,
        command=command,
        runtime_env={"env_vars": {"BROUGHT": "by-ray"}},
        environment={"OWN": "yes"},
    )
    fleet = started(model)
    environment = (tmp_path / "env-1").read_text().splitlines()
    assert {"BROUGHT=by-ray", "OWN=yes"} <= set(environment)
    end_fleet(fleet)


# --- no server outlives its program ------------------------------------------------------------

DRIVER = """
    import asyncio, pathlib, signal, sys
    sys.path.insert(0, {root!r})
    from tests.servers.served import served
    from tests.tasks.inference.engines.test_vllm_servers import started
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    fleet = started(served(pathlib.Path({folder!r}), on_cpu=True))
    print(fleet.servers[0].root, flush=True)
    sys.stdin.read()
"""


@pytest.mark.parametrize(
    "is_own_cluster", [True, False], ids=["its own cluster", "a cluster that stays"]
)
def test_a_killed_program_leaves_no_server_behind(
    ray_cluster: str, tmp_path: Path, is_own_cluster: bool
) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "RAY_ADDRESS"}
    if not is_own_cluster:
        environment["RAY_ADDRESS"] = ray_cluster
    driver = subprocess.Popen(
        [
            sys.executable,
            "-c",
            textwrap.dedent(DRIVER.format(root=str(ROOT), folder=str(tmp_path))),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
        start_new_session=True,
    )
    assert driver.stdin is not None
    assert driver.stdout is not None
    root = driver.stdout.readline().strip()
    left = pids(tmp_path)
    assert len(left) == 2
    os.killpg(
        driver.pid, signal.SIGINT
    )  # as Ctrl-C in a terminal does: calls in flight must get their answers
    time.sleep(0.5)
    assert is_healthy(root)
    driver.kill()
    driver.wait()
    wait_until(lambda: not any(map(runs, left)))
    driver.stdin.close()
    driver.stdout.close()
