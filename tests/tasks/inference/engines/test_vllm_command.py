"""A model's row as the command line of its servers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tasks.inference.engines.server import rope_overrides, server_command
from tasks.models.catalogue import find_model, load_catalogue

MODELS_FILE = """
[vllm]
python = "/opt/vllm/bin/python"
environment = { HF_HOME = "/models", VLLM_LOGGING_LEVEL = "INFO", TENS = "10" }

[models.pinned]
engine = "vllm"
description = "a model of one's own"
repository = "org/name"
served_as = "ours"
revision = "v1"
server_options = ["--max-num-seqs=128"]
"""


@pytest.fixture
def models_file(tmp_path: Path) -> str:
    file = tmp_path / "models.toml"
    file.write_text(MODELS_FILE)
    return str(file)


def test_a_72b_on_two_times_four_gpus_with_yarn_is_started_as_vllm_wants_it(
    models_file: str,
) -> None:
    model = find_model("Qwen2.5-72B-Instruct", models_file)
    command = server_command(
        model, replica=1, host="10.0.0.7", port=4321, python="/usr/bin/python3"
    )
    overrides = (
        '{"max_position_embeddings":131072,"rope_parameters":{"factor":4.0,'
        '"original_max_position_embeddings":32768,"rope_theta":1000000.0,"rope_type":"yarn"}}'
    )
    assert command == [
        "/opt/vllm/bin/python",
        "-m",
        "vllm.entrypoints.openai.api_server",
        "--model=Qwen/Qwen2.5-72B-Instruct",
        "--served-model-name=Qwen/Qwen2.5-72B-Instruct",
        "--host=10.0.0.7",
        "--port=4321",
        "--tensor-parallel-size=4",
        "--gpu-memory-utilization=0.9",
        "--max-model-len=131072",
        "--dtype=bfloat16",
        f"--hf-overrides={overrides}",
        "--enable-prefix-caching",
        "--enable-prompt-tokens-details",
        "--stream-interval=8",
    ]


def test_a_pinned_revision_holds_for_weights_and_tokenizer_and_own_options_come_last(
    models_file: str,
) -> None:
    command = server_command(
        find_model("pinned", models_file), replica=0, host="127.0.0.1", port=1, python="x"
    )
    assert "--revision=v1" in command
    assert "--tokenizer-revision=v1" in command
    assert "--model=org/name" in command
    assert "--served-model-name=ours" in command
    assert command[-1] == "--max-num-seqs=128"
    assert not [
        option for option in command if option.startswith(("--max-model-len", "--dtype", "--hf"))
    ]


def test_no_row_of_the_catalogue_stretches_its_window_without_telling_vllm() -> None:
    stretched = [
        model for model in load_catalogue().values() if model.engine == "vllm" and model.rope
    ]
    assert len(stretched) >= 4
    for model in stretched:
        assert model.window is not None
        assert rope_overrides(model)["max_position_embeddings"] >= model.window, model.name
