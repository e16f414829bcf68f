"""How many tokens the prefix cache of a vLLM server holds, and how many of them groups may take."""

from __future__ import annotations

from prometheus_client.parser import text_string_to_metric_families

from tasks.models.catalogue import Model

# Share of a server's cache for the prefixes of open groups; the rest is for suffixes and answers.
# Measured with a simulation of vLLM 0.32's scheduler on FailSafeQA's workload.
OPEN_SHARE = 0.8

_METRIC = "vllm:cache_config_info"
_LONGEST_LINE, _MOST_DIGITS = 2**14, 12  # vLLM's own are far shorter


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
    lines = "\n".join(
        line
        for line in metrics.splitlines()
        if line.startswith(f"{_METRIC}{{") and len(line) <= _LONGEST_LINE
    )
    try:
        labels = [
            sample.labels
            for family in text_string_to_metric_families(lines)
            for sample in family.samples
        ]
    except ValueError:  # cut in the middle of a line, or another program's
        return None
    return min((room for each in labels if (room := _room(each)) is not None), default=None)


def _room(labels: dict[str, str]) -> int | None:
    if labels.get("enable_prefix_caching") == "False":
        return None
    # vLLM's own count where it has one: layers of different kinds share blocks
    told = _number(labels.get("kv_cache_size_tokens", ""))
    blocks, size = (_number(labels.get(key, "")) for key in ("num_gpu_blocks", "block_size"))
    return told or blocks * size or None


def _number(digits: str) -> int:
    return int(digits) if digits.isdecimal() and len(digits) <= _MOST_DIGITS else 0
