"""The command line of one vLLM server, from a model's row.

The options are those of vLLM 0.32 and 0.33; 0.26 took them too. Rope settings go through
`--hf-overrides`. YaRN also needs `max_position_embeddings`, which vLLM takes for the stretched
window.
"""

from __future__ import annotations

import json
from typing import Any

from tasks.models.catalogue import Model

_YARN = frozenset({"yarn", "deepseek_yarn"})


def gpus_per_server(model: Model) -> int:
    """Return how many GPUs Ray reserves for each server."""
    return 0 if model.serving.on_cpu else model.laid_out.tensor_parallel


def server_options(model: Model, host: str, port: int) -> list[str]:
    """Return all options for a server of this model."""
    layout = model.laid_out
    options = [f"--model={model.repository or model.called}", f"--served-model-name={model.called}"]
    if model.revision is not None:
        # without it, vLLM takes the tokenizer from the newest revision
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
    # The first is the default, but we depend on it; the second reports how much it saved.
    options += ["--enable-prefix-caching", "--enable-prompt-tokens-details"]
    # Replies are streamed to see that they live, which a few tokens at a time show as well.
    options.append("--stream-interval=8")
    return options + list(model.server_options)


def rope_overrides(model: Model) -> dict[str, Any]:
    """Return the value of `--hf-overrides` for the row's rope settings."""
    rope = dict(model.rope)
    overrides: dict[str, Any] = {"rope_parameters": rope}
    if rope.get("rope_type") in _YARN:
        overrides["max_position_embeddings"] = int(
            rope["factor"] * rope["original_max_position_embeddings"]
        )
    return overrides


def server_command(model: Model, *, replica: int, host: str, port: int, python: str) -> list[str]:
    """Return the command of one server: the row's template, filled in.

    `python` is the interpreter on its node, used if the models file names none.
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
