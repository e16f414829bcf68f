"""GPU-hours as modelled: what one H100 SXM of 80 GB would be busy with calls, never measured.

Reading prompts is bound by arithmetic: two operations a parameter and token, for tokens that are not in
the cache. Writing answers is bound by memory: each step reads the weights once for all answers under way, and
each answer's cache. Attention's own arithmetic, start-up, loading of weights and idle replicas are not in it.
"""

from __future__ import annotations

from tasks.models.catalogue import Model
from tasks.models.gpu_memory import cache_tokens

# NVIDIA's data sheet of the H100 SXM: bf16 without sparsity, and HBM3.
PEAK_FLOPS = 989e12
PEAK_BYTES = 3.35e12
# Shares of those that serving reaches; assumed, as usual figures of dense models on vLLM. Nothing here was measured.
ARITHMETIC_SHARE = 0.4
MEMORY_SHARE = 0.6


def gpu_hours(
    model: Model, n_requests: int, n_prompt: int, n_uncached: int, n_output: int
) -> float | None:
    """Hours of one GPU for calls with so many tokens in all; None for a model that does not run on GPUs of ours, or not in its layout.

    Args:
        n_prompt: tokens of all prompts.
        n_uncached: of them, those that no earlier prompt's cache holds.
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
