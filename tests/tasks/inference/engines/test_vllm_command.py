"""A model's row as the command line of its servers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tasks.inference.engines.vllm_command import rope_overrides, server_command
from tasks.models.catalogue import (
    Layout,
    Model,
    Serving,
    WrongModelsFile,
    find_model,
    load_catalogue,
)
from tests.some import some

MODELS_FILE = """
[vllm]
python = "/opt/vllm/bin/python"
environment = { HF_HOME = "/models", VLLM_LOGGING_LEVEL = "INFO", TENS = 10 }

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


def test_every_vllm_row_names_its_repository_window_and_layout() -> None:
    for model in some(load_catalogue().values()):
        if model.engine == "vllm":
            command = server_command(model, replica=0, host="127.0.0.1", port=1, python="x")
            assert f"--model={model.repository}" in command
            assert f"--max-model-len={model.window}" in command
            assert model.layout is not None


def test_other_rope_settings_go_to_vllm_as_they_are() -> None:
    model = Model(
        name="m", engine="vllm", description="", rope={"rope_type": "llama3", "factor": 8.0}
    )
    assert rope_overrides(model) == {"rope_parameters": {"rope_type": "llama3", "factor": 8.0}}


def test_a_template_of_ones_own_has_its_places_filled_and_other_braces_left() -> None:
    serving = Serving(
        command=(
            "run",
            "{python}",
            "--at={host}:{port}",
            '{"json": {}}',
            "{name}/{model}",
            "{replica}",
        ),
        on_cpu=True,
    )
    model = Model(
        name="m", engine="vllm", description="", served_as="s", repository="r/r", serving=serving
    )
    command = server_command(model, replica=3, host="h", port=8, python="/node/python")
    assert command == ["run", "/node/python", "--at=h:8", '{"json": {}}', "s/r/r", "3"]


def test_on_the_cpu_nothing_is_said_of_gpus() -> None:
    serving = Serving(python="p", on_cpu=True)
    model = Model(
        name="m",
        engine="vllm",
        description="",
        layout=Layout(tensor_parallel=1, replicas=2),
        window=4096,
        serving=serving,
    )
    command = " ".join(server_command(model, replica=0, host="h", port=8, python="q"))
    assert "gpu" not in command
    assert "tensor" not in command
    assert "tensor-parallel-size=1 --gpu" in " ".join(
        server_command(
            replace(model, serving=replace(serving, on_cpu=False)),
            replica=0,
            host="h",
            port=8,
            python="q",
        )
    )


def test_the_vllm_table_holds_for_every_model_of_catalogue_and_file(models_file: str) -> None:
    for name in ("Qwen2.5-72B-Instruct", "pinned"):
        serving = find_model(name, models_file).serving
        assert serving.python == "/opt/vllm/bin/python"
        assert serving.environment == {
            "HF_HOME": "/models",
            "VLLM_LOGGING_LEVEL": "INFO",
            "TENS": "10",
        }


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ('interpreter = "x"', "no key 'interpreter'"),
        ("start_timeout_s = true", "start_timeout_s: Input should be a valid number, not True"),
        ('command = "vllm serve"', "command: Input should be a valid array, not .vllm serve."),
    ],
)
def test_a_vllm_table_that_cannot_be_used_is_refused(tmp_path: Path, table: str, said: str) -> None:
    file = tmp_path / "models.toml"
    file.write_text(f"[vllm]\n{table}\n")
    with pytest.raises(WrongModelsFile, match=said):
        find_model("extractive", str(file))


def test_where_a_model_is_served_is_no_part_of_its_identity(models_file: str) -> None:
    here, there = (
        find_model("Qwen2.5-72B-Instruct"),
        find_model("Qwen2.5-72B-Instruct", models_file),
    )
    assert here.serving != there.serving
    assert here.identity == there.identity
