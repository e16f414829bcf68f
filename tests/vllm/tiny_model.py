"""A tiny random Llama: a model for a real vLLM server without real weights.

Needs nothing but `tokenizers` and numpy, so the folder can be made in any environment; the server
needs the interpreter of one in which vLLM is installed (`make test-vllm` builds `.venv-vllm`).
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

NAME = "tiny-llama"
POSITIONS = 65_536  # that the config allows
LAYERS, WIDTH, HEADS, INNER = (
    2,
    64,
    1,
    128,
)  # one head of 64: a width that vLLM's CPU attention knows
SPECIAL = ("<s>", "</s>", "<pad>")

# How each message is written: roles as plain text, so that prompts with one beginning share one.
CHAT_TEMPLATE = (
    "{% for message in messages %}{{ message['role'] }}: {{ message['content'] }}\n"
    "{% endfor %}assistant:"
)

# What our server needs in its environment: no telemetry, no downloads, a small KV cache.
ENVIRONMENT = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "VLLM_NO_USAGE_STATS": "1",
    "DO_NOT_TRACK": "1",
    "VLLM_CPU_KVCACHE_SPACE": "1",
    "VLLM_CPU_OMP_THREADS_BIND": "nobind",
    "OMP_NUM_THREADS": "1",
}


def make_tiny_model(folder: Path) -> Path:
    """Write a config, the same random weights every time, and a byte-level tokenizer."""
    folder.mkdir(parents=True, exist_ok=True)
    n_words = _write_tokenizer(folder)
    config = {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "vocab_size": n_words,
        "hidden_size": WIDTH,
        "intermediate_size": INNER,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "num_key_value_heads": HEADS,
        "max_position_embeddings": POSITIONS,
        "hidden_act": "silu",
        "rms_norm_eps": 1e-5,
        "rope_theta": 10000.0,
        "tie_word_embeddings": False,
        "bos_token_id": 0,
        "eos_token_id": 1,
        "pad_token_id": 2,
        "torch_dtype": "float32",
    }
    (folder / "config.json").write_text(json.dumps(config, indent=1), encoding="utf-8")
    _write_safetensors(folder / "model.safetensors", _weights(n_words))
    return folder


def _weights(n_words: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)

    def random(*shape: int) -> np.ndarray:
        return (rng.standard_normal(shape) * 0.05).astype(np.float32)

    weights = {
        "model.embed_tokens.weight": random(n_words, WIDTH),
        "model.norm.weight": np.ones(WIDTH, np.float32),
        "lm_head.weight": random(n_words, WIDTH),
    }
    for layer in range(LAYERS):
        at = f"model.layers.{layer}"
        for name in ("q_proj", "k_proj", "v_proj", "o_proj"):
            weights[f"{at}.self_attn.{name}.weight"] = random(WIDTH, WIDTH)
        weights[f"{at}.mlp.gate_proj.weight"] = random(INNER, WIDTH)
        weights[f"{at}.mlp.up_proj.weight"] = random(INNER, WIDTH)
        weights[f"{at}.mlp.down_proj.weight"] = random(WIDTH, INNER)
        weights[f"{at}.input_layernorm.weight"] = np.ones(WIDTH, np.float32)
        weights[f"{at}.post_attention_layernorm.weight"] = np.ones(WIDTH, np.float32)
    return weights


def _write_safetensors(path: Path, tensors: dict[str, np.ndarray]) -> None:
    """The safetensors format: length of a JSON header, the header, then the bytes."""
    header: dict[str, object] = {"__metadata__": {"format": "pt"}}
    position = 0
    for name, tensor in tensors.items():
        header[name] = {
            "dtype": "F32",
            "shape": list(tensor.shape),
            "data_offsets": [position, position + tensor.nbytes],
        }
        position += tensor.nbytes
    head = json.dumps(header).encode()
    head += b" " * (-len(head) % 8)
    with path.open("wb") as file:
        file.write(len(head).to_bytes(8, "little") + head)
        for tensor in tensors.values():
            file.write(tensor.tobytes())


def _write_tokenizer(folder: Path) -> int:
    """A token a byte; the number of tokens."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    words = {word: index for index, word in enumerate([*SPECIAL, *letters])}
    tokenizer = Tokenizer(models.BPE(vocab=words, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(list(SPECIAL))
    tokenizer.save(str(folder / "tokenizer.json"))
    settings = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "bos_token": "<s>",
        "eos_token": "</s>",
        "pad_token": "<pad>",
        "model_max_length": POSITIONS,
        "chat_template": CHAT_TEMPLATE,
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(settings, indent=1), encoding="utf-8")
    return len(words)
