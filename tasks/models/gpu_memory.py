"""Whether a model's layout holds the longest prompt: arithmetic, before anything is started.

Sizes in GB are 10^9 bytes. Lengths of prompts are cl100k tokens; a model's own are estimated with its
`token_ratio`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil

from tasks.core.errors import WrongUsage
from tasks.models.catalogue import Layout, Model

# As sold. An H100 reports some more; counting what is sold leaves room for what a driver and a neighbour take.
GPU_GB = 80.0
# Of each GPU, besides weights and cache: activations of a prefill step, CUDA graphs, communication buffers.
WORKING_GB = 3.0
# GPUs of one machine: more replicas than these are no matter of one layout.
MACHINE_GPUS = 8


class DoesNotFit(WrongUsage):
    """A layout or a window that the longest prompt does not fit in; the message says what would do."""


@dataclass(frozen=True, slots=True)
class Need:
    """A model of the run, and the longest prompt and answer that it will meet there, in cl100k tokens."""

    model: Model
    prompt: int
    answer: int

    @property
    def tokens(self) -> int:
        """Prompt and answer in the model's own tokens, as estimated; the limits of answer and thoughts are in those already."""
        return ceil(self.prompt * self.model.token_ratio) + self.answer + self.model.thinking_tokens


def cache_tokens(model: Model, layout: Layout) -> int | None:
    """Tokens that the cache of one replica holds; 0 where not even the weights fit, None where sizes are unknown."""
    if model.weights_gb is None or model.kv_bytes is None:
        return None
    return max(0, int((_usable_gb(layout) - model.weights_gb) * 1e9 / model.kv_bytes))


def _usable_gb(layout: Layout) -> float:
    """What one replica has for weights and cache."""
    return layout.tensor_parallel * (GPU_GB * layout.memory_share - WORKING_GB)


def smallest_layout(model: Model, n_tokens: int) -> Layout | None:
    """The layout with the fewest GPUs a replica that holds so many tokens; None where sizes are unknown.

    Tensor parallelism goes in powers of two, since it has to divide a model's heads.
    """
    share = (
        Layout(tensor_parallel=1, replicas=1).memory_share
        if model.layout is None
        else model.layout.memory_share
    )
    tensor_parallel = 1
    while tensor_parallel <= 1024:
        layout = Layout(
            tensor_parallel=tensor_parallel,
            replicas=max(1, MACHINE_GPUS // tensor_parallel),
            memory_share=share,
        )
        room = cache_tokens(model, layout)
        if room is None or room >= n_tokens:
            return None if room is None else layout
        tensor_parallel *= 2
    return None


def check_layouts(needs: Iterable[Need]) -> None:
    """Refuse the first model whose window or layout the longest prompt with its answer does not fit in.

    Raises:
        DoesNotFit: the message says what would do.
    """
    for need in needs:
        _check_window(need)
        if need.model.engine == "vllm":  # elsewhere somebody else's layout holds the model
            _check_layout(need)


def _check_window(need: Need) -> None:
    model = need.model
    if model.window is None or need.tokens <= model.window:
        return
    longest = int((model.window - need.answer) / model.token_ratio)
    shorter = (
        f"contexts whose longest prompt has at most {longest:,} cl100k tokens (--context-tokens)"
        if longest > 0
        else "nothing: its window is shorter than the answer may be"
    )
    stretched = (
        f"; or rope settings that stretch its window, such as YaRN with factor {ceil(need.tokens / model.window)}, "
        "and that window in a models file"
        if model.engine == "vllm" and not model.rope
        else ""
    )
    raise DoesNotFit(
        f"{model.name} has a window of {model.window:,} tokens; the longest prompt with its answer takes {_spelled(need)}. "
        f"What would fit: {shorter}{stretched}"
    )


def _check_layout(need: Need) -> None:
    model = need.model
    layout = model.layout or Layout(tensor_parallel=1, replicas=1)  # as the engine starts it
    # vLLM does not start either where the cache is smaller than the window that it is told
    wanted = max(need.tokens, model.window or 0)
    room = cache_tokens(model, layout)
    if room is None or room >= wanted:
        return
    what = (
        f"the longest prompt with its answer takes {_spelled(need)}"
        if room < need.tokens
        else f"vLLM does not start below its window of {wanted:,}"
    )
    gpus = f"{layout.tensor_parallel} x {GPU_GB:.0f} GB"
    has = (
        f"its weights take {model.weights_gb:,.0f} GB, {gpus} have {_usable_gb(layout):,.0f} GB for weights and cache"
        if room == 0
        else f"beside weights of {model.weights_gb:,.0f} GB, {gpus} have room for {room:,} tokens of cache"
    )
    window = f", or a window of {room:,}" if need.tokens <= room else ""
    raise DoesNotFit(
        f"{model.name} does not fit its layout (tensor_parallel = {layout.tensor_parallel}): {has}, and {what}. "
        f"What would fit: {_remedy(model, wanted)}{window}; set it in a models file"
    )


def _remedy(model: Model, wanted: int) -> str:
    fitting = smallest_layout(model, wanted)
    if fitting is None:
        return "no number of GPUs"
    said = f"tensor_parallel = {fitting.tensor_parallel}, replicas = {fitting.replicas} on GPUs of 80 GB"
    if fitting.tensor_parallel > MACHINE_GPUS:
        return f"{said} ({fitting.tensor_parallel // MACHINE_GPUS} machines of 8), or an API through litellm"
    return said


def _spelled(need: Need) -> str:
    ratio = need.model.token_ratio
    estimate = "" if ratio == 1.0 else f" at {ratio} times the cl100k count"
    return f"{need.tokens:,} ({need.prompt:,}{estimate} + {need.answer:,})"
