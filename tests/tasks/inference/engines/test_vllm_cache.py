"""The size of a vLLM server's cache, read from its metrics."""

from __future__ import annotations

import pytest

from tasks.inference.engines.openai import cache_tokens, open_tokens
from tasks.models.catalogue import Model


def metrics(*labels: str) -> str:
    """Metrics as vLLM 0.26 to 0.33 write them, with a line for each rank's cache."""
    caches = [f"vllm:cache_config_info{{{each}}} 1.0" for each in labels]
    return "\n".join(
        [
            "# HELP vllm:cache_config_info Information of the LLMEngine CacheConfig",
            "# TYPE vllm:cache_config_info gauge",
            *caches,
            "# TYPE vllm:num_requests_running gauge",
            'vllm:num_requests_running{engine="0",model_name="m"} 0.0',
        ]
    )


OWN_COUNT = 'block_size="16",cache_dtype="auto",kv_cache_size_tokens="{}",num_gpu_blocks="10000"'


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        (metrics(OWN_COUNT.format("120000")), 120_000),
        (metrics('block_size="16",num_gpu_blocks="10000"'), 160_000),
        (metrics(OWN_COUNT.format("9000"), OWN_COUNT.format("8000")), 8_000),
        (metrics('block_size="None",num_gpu_blocks="None"'), None),
        (metrics(f'{OWN_COUNT.format("120000")},enable_prefix_caching="False"'), None),
        (metrics(), None),
        (metrics(OWN_COUNT.format("120000"))[:150], None),
        ("", None),
    ],
)
def test_the_cache_is_as_large_as_vllm_says(text: str, tokens: int | None) -> None:
    assert cache_tokens(text) == tokens


def test_open_groups_take_four_fifths_of_the_cache_in_the_models_own_tokens() -> None:
    model = Model(name="m", engine="vllm", description="", token_ratio=1.25)
    assert open_tokens(100_000, model) == 64_000
    assert open_tokens(None, model) is None
