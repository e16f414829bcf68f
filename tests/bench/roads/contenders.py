"""Who takes part, and how each is set up for speed as its documentation says.

All get 64 connections, the same prompts, the same server, and keep answers in their own way: our
journal and lake; lm-evaluation-harness's response cache (`--use_cache`) and sample log;
inspect_ai's log, which `inspect eval-retry` goes on from; Ray Data's row checkpoints. Nothing is
scored. Nobody counts tokens: ours come with the contexts, as from the lake; the others count none.

inspect_ai runs as many samples at once as it likes (its default); its 64 connections are the limit.
It asks for an openai package that LiteLLM, in the same lock, forbids: it gets one beside the lock.
Ray Data's processor has no setting for requests at once. A batch's requests go one after another,
four batches at a time an actor. So 64 at once would be 16 actors, which on a small machine take
longer to start than they save. It runs here with four actors and 16-row batches, and once more with
one actor and the variable in Ray's source that lets that actor hold 64 one-row batches; the needed
ratio is to the documented one.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from sysconfig import get_path

from tests.bench.roads.workload import MAX_TOKENS, Workload

ROOT = Path(__file__).parents[3]
ROADS = Path(__file__).parent
BIN = Path(sys.executable).parent
CONNECTIONS = 64
OPENAI_OF_INSPECT = "openai>=3.4,<4"


@dataclass(frozen=True, slots=True)
class Start:
    """A command, and the environment that it needs besides."""

    command: list[str]
    env: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Contender:
    """Someone who answers a workload: (workload, url, empty folder to work in) -> what to start."""

    name: str
    version: str
    start: Callable[[Workload, str, Path], Start]


def ours(workload: Workload, url: str, folder: Path) -> Start:
    command = [
        sys.executable,
        str(ROADS / "ours.py"),
        str(workload.folder),
        url,
        str(folder / "lake"),
    ]
    return Start(command, {"PYTHONPATH": str(ROOT)})


def lm_eval(workload: Workload, url: str, folder: Path) -> Start:
    folder.joinpath("road.yaml").write_text(
        f"""task: road
dataset_path: json
dataset_kwargs:
  data_files:
    test: {workload.prompts}
test_split: test
output_type: generate_until
doc_to_text: "{{{{prompt}}}}"
doc_to_target: "{{{{target}}}}"
generation_kwargs:
  max_gen_toks: {MAX_TOKENS}
  temperature: 0.0
  until: []
metric_list:
  - metric: bypass
"""
    )
    model = {
        "model": "local",
        "base_url": f"{url}/chat/completions",
        "num_concurrent": CONNECTIONS,
        "tokenized_requests": False,
    }
    command = [
        *(str(BIN / "lm_eval"), "run", "--model", "local-chat-completions"),
        *("--model_args", ",".join(f"{name}={value}" for name, value in model.items())),
        *("--tasks", "road", "--include_path", str(folder), "--apply_chat_template"),
        *("--use_cache", str(folder / "cache")),
        *("--output_path", str(folder / "results"), "--log_samples"),
    ]
    offline = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_HOME": str(folder / "home")}
    return Start(command, {**offline, "OPENAI_API_KEY": "none"})


def inspect_ai(workload: Workload, url: str, folder: Path) -> Start:
    shutil.copy(ROADS / "inspect_task.py", folder)
    packages = folder / "packages"
    install = [str(BIN / "uv"), "pip", "install", "--system-certs", "--quiet"]
    subprocess.run([*install, "--target", str(packages), OPENAI_OF_INSPECT], check=True)
    command = [
        *(str(BIN / "inspect"), "eval", "inspect_task.py", "-T", f"prompts={workload.prompts}"),
        *("--model", "openai-api/local/local", "--max-connections", str(CONNECTIONS)),
        *("--temperature", "0", "--max-tokens", str(MAX_TOKENS)),
        *("--log-dir", str(folder / "logs"), "--no-score", "--display", "none"),
    ]
    own_folders = {
        "XDG_DATA_HOME": str(folder / "data"),
        "XDG_CACHE_HOME": str(folder / "cache"),
        "PYTHONPATH": str(packages),
    }
    return Start(command, {**own_folders, "LOCAL_BASE_URL": url, "LOCAL_API_KEY": "none"})


def ray_data(workload: Workload, url: str, folder: Path, *setup: int) -> Start:
    given = [str(workload.prompts), url, str(folder), *map(str, setup)]
    return Start([sys.executable, str(ROADS / "ray_data.py"), *given])


def ray_data_tuned(workload: Workload, url: str, folder: Path) -> Start:
    return ray_data(workload, url, folder, 1, 1, CONNECTIONS)


def ray_data_documented(workload: Workload, url: str, folder: Path) -> Start:
    return ray_data(workload, url, folder, 16, 4)


def contenders() -> list[Contender]:
    """Ours first."""
    return [
        Contender("ours", version("tenkbench"), ours),
        Contender("lm-eval", version("lm-eval"), lm_eval),
        Contender("inspect_ai", version("inspect-ai"), inspect_ai),
        Contender("Ray Data", version("ray"), ray_data_documented),
        Contender("Ray Data, tuned", version("ray"), ray_data_tuned),
    ]


def compile_all() -> None:
    """Compile what contenders import: we measure a start, not the first one after installing."""
    folders = [get_path("purelib"), str(ROOT / "tasks"), str(ROOT / "flows"), str(ROADS)]
    # its status says whether every file compiles; packages carry some for other Python versions
    command = [sys.executable, "-m", "compileall", "-q", "-j", "0", *folders]
    subprocess.run(command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def environment(start: Start) -> dict[str, str]:
    """Return a contender's variables: ours, less those that would change its ways, and its own."""
    changing = ("RAY_", "INSPECT_", "OPENBLAS_")  # the last is set by `tasks`, for ours
    kept = {name: value for name, value in os.environ.items() if not name.startswith(changing)}
    return {**kept, **start.env}
