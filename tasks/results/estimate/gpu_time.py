"""Modelled GPU-hours of one H100 SXM with 80 GB; never measured.

Reading prompts is bound by arithmetic: two operations per parameter and uncached token. Writing
answers is bound by memory: each step reads the weights once for all current answers, and each
answer's cache. Attention's arithmetic, start-up, weight loading and idle replicas are left out.
"""

from __future__ import annotations

from tasks.models.catalogue import Model
from tasks.models.gpu_memory import cache_tokens

# NVIDIA's data sheet of the H100 SXM: bf16 without sparsity, and HBM3.
PEAK_FLOPS = 989e12
PEAK_BYTES = 3.35e12
# Shares of these peaks that serving reaches: usual for dense models on vLLM, not measured here.
ARITHMETIC_SHARE = 0.4
MEMORY_SHARE = 0.6


def gpu_hours(
    model: Model, n_requests: int, n_prompt: int, n_uncached: int, n_output: int
) -> float | None:
    """Return the hours of one GPU, or None if the model does not run on ours in its layout.

    Args:
        n_prompt: tokens of all prompts.
        n_uncached: prompt tokens that no earlier prompt's cache holds.
        n_output: tokens of all answers.
    """
    if model.engine != "vllm" or model.layout is None:
        return None
    if model.parameters_b is None or model.weights_gb is None or model.kv_bytes is None:
        return None
    if n_requests == 0:
        return 0.0
    reading = 2 * model.parameters_b * 1e9 * n_uncached / (PEAK_FLOPS * ARITHMETIC_SHARE)
    length = n_prompt / n_requests + n_output / n_requests / 2
    room = cache_tokens(model, model.layout) or 0
    if room < length:  # it would not run
        return None
    together = min(model.in_flight, int(room / length))
    bytes_per_token = model.weights_gb * 1e9 / together + model.kv_bytes * length
    writing = bytes_per_token * n_output / (PEAK_BYTES * MEMORY_SHARE)
    return (reading + writing) / 3600
