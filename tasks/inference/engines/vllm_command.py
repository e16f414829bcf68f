"""A model's row -> the command line of one vLLM server. Pure: nothing is started here.

Options as vLLM 0.32 and 0.33 know them. `--rope-scaling` is gone since 0.11.1: rope settings go through
`--hf-overrides`, and YaRN needs `max_position_embeddings` beside them, since vLLM takes that for the
stretched window and refuses a longer `--max-model-len`.
"""

from __future__ import annotations

import json
from typing import Any

from tasks.models.catalogue import Layout, Model

_YARN = frozenset({"yarn", "deepseek_yarn"})


def layout_of(model: Model) -> Layout:
    """The row's layout; one server of one GPU where it has none."""
    return Layout(tensor_parallel=1, replicas=1) if model.layout is None else model.layout


def gpus_per_server(model: Model) -> int:
    """GPUs that Ray reserves for each server."""
    return 0 if model.serving.on_cpu else layout_of(model).tensor_parallel


def server_options(model: Model, host: str, port: int) -> list[str]:
    """Every option that a server of this model's row needs."""
    layout = layout_of(model)
    options = [f"--model={model.repository or model.called}", f"--served-model-name={model.called}"]
    if model.revision is not None:
        # vLLM takes the tokenizer from the newest revision where it is not told
        options += [f"--revision={model.revision}", f"--tokenizer-revision={model.revision}"]
    options += [f"--host={host}", f"--port={port}"]
    if not model.serving.on_cpu:
        options += [
            f"--tensor-parallel-size={layout.tensor_parallel}",
            f"--gpu-memory-utilization={layout.memory_share}",
        ]
    if model.window is not None:
        options.append(f"--max-model-len={model.window}")
    if model.dtype is not None:
        options.append(f"--dtype={model.dtype}")
    if model.rope:
        overrides = json.dumps(rope_overrides(model), separators=(",", ":"), sort_keys=True)
        options.append(f"--hf-overrides={overrides}")
    # on by default, but all our order is for it; and without the second nobody hears of what it saved
    options += ["--enable-prefix-caching", "--enable-prompt-tokens-details"]
    return options + list(model.server_options)


def rope_overrides(model: Model) -> dict[str, Any]:
    """What `--hf-overrides` says for the row's rope settings."""
    rope = dict(model.rope)
    overrides: dict[str, Any] = {"rope_parameters": rope}
    if rope.get("rope_type") in _YARN:
        overrides["max_position_embeddings"] = int(
            rope["factor"] * rope["original_max_position_embeddings"]
        )
    return overrides


def server_command(model: Model, *, replica: int, host: str, port: int, python: str) -> list[str]:
    """The command of one server: the template of the models file with its places filled.

    Args:
        replica: its number among the model's servers, from 0.
        python: the interpreter that the server's node has where the models file names none.
    """
    places = {
        "{python}": model.serving.python or python,
        "{name}": model.called,
        "{model}": model.repository or model.called,
        "{host}": host,
        "{port}": str(port),
        "{replica}": str(replica),
    }
    command = []
    for argument in model.serving.command:
        if argument == "{options}":
            command += server_options(model, host, port)
            continue
        for place, value in places.items():
            argument = argument.replace(place, value)
        command.append(argument)
    return command
