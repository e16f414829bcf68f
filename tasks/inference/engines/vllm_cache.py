"""How many tokens the prefix cache of a vLLM server holds, and how many of them groups may take."""

from __future__ import annotations

from prometheus_client.parser import text_string_to_metric_families

from tasks.models.catalogue import Model

# Share of a server's cache for the prefixes of open groups; the rest is for suffixes and answers.
# Measured with a simulation of vLLM 0.32's scheduler on FailSafeQA's workload.
OPEN_SHARE = 0.8

_METRIC = "vllm:cache_config_info"


def open_tokens(room: int | None, model: Model) -> int | None:
    """Return the most prefix tokens, as cl100k counts, of groups open at once; None: no limit.

    Without a limit, all groups of a step are warmed up first, and each pushes an earlier one out of
    a cache that is smaller than their prefixes together.
    """
    return None if room is None else int(room * OPEN_SHARE / model.token_ratio)


def cache_tokens(metrics: str) -> int | None:
    """Read a vLLM server's cache size in tokens from its `/metrics`; None if it is not there.

    With data parallelism each rank has a cache of this size.
    """
    lines = (line for line in metrics.splitlines() if line.startswith(f"{_METRIC}{{"))
    try:
        families = [*text_string_to_metric_families("\n".join(lines))]
    except ValueError:  # cut in the middle of a line
        return None
    labels = [sample.labels for family in families for sample in family.samples]
    return min(filter(None, map(_room, labels)), default=None)


def _room(labels: dict[str, str]) -> int:
    if labels.get("enable_prefix_caching") == "False":
        return 0
    # vLLM's own count where it has one: layers of different kinds share blocks
    n_tokens, n_blocks, size = (
        int(digits) if (digits := labels.get(name, "")).isdecimal() else 0
        for name in ("kv_cache_size_tokens", "num_gpu_blocks", "block_size")
    )
    return n_tokens or n_blocks * size
