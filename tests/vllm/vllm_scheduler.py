"""A scenario on vLLM's own V1 scheduler and cache manager: on the CPU, without weights."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from tests.bench.scheduler.prompts import BLOCK
from tests.bench.scheduler.scenarios import Outcome, Scenario
from tests.vllm.tiny_model import POSITIONS


def run_in_vllm(scenario: Scenario, model_folder: Path) -> Outcome:
    """Drive vLLM's `Scheduler` with made-up tokens for the model's output.

    Args:
        model_folder: the tiny model's; only its config is read.
    """
    from vllm.sampling_params import SamplingParams
    from vllm.utils.hashing import get_hash_fn_by_name
    from vllm.v1.core.kv_cache_utils import get_request_block_hasher, init_none_hash
    from vllm.v1.outputs import ModelRunnerOutput
    from vllm.v1.request import Request

    hashed = get_hash_fn_by_name("sha256")
    init_none_hash(hashed)
    hasher = get_request_block_hasher(BLOCK, hashed)
    scheduler = _scheduler(scenario, model_folder)
    requests = []
    for number, arrival in enumerate(scenario.arrivals):
        sampling = SamplingParams(max_tokens=arrival.n_output, ignore_eos=True, temperature=0.0)
        requests.append(
            Request(
                request_id=str(number),
                prompt_token_ids=[d * 100_000 + i for d, n in arrival.spans for i in range(n)],
                sampling_params=sampling,
                pooling_params=None,
                block_hasher=hasher,
            )
        )
    n_cached = [0] * len(requests)
    finished_at = [-1] * len(requests)
    step_tokens: list[int] = []
    n_recached = n_arrived = turn = 0
    while n_arrived < len(requests) or scheduler.has_unfinished_requests():
        while n_arrived < len(requests) and scenario.arrivals[n_arrived].step <= turn:
            scheduler.add_request(requests[n_arrived])
            n_arrived += 1
        scheduled = scheduler.schedule()
        ids = list(scheduled.num_scheduled_tokens)
        output = ModelRunnerOutput(
            req_ids=ids,
            req_id_to_index={request_id: index for index, request_id in enumerate(ids)},
            sampled_token_ids=[_sampled(scheduler.requests[request_id]) for request_id in ids],
        )
        answered = scheduler.update_from_output(scheduled, output)
        for outputs in answered.values():
            if outputs.scheduler_stats is not None:
                n_recached += outputs.scheduler_stats.prefix_cache_stats.preempted_hits
            for one in outputs.outputs:
                if one.prefill_stats is not None:
                    n_cached[int(one.request_id)] = one.prefill_stats.num_local_cached_tokens
                if one.finish_reason is not None:
                    finished_at[int(one.request_id)] = turn
        if scheduled.total_num_scheduled_tokens:
            step_tokens.append(scheduled.total_num_scheduled_tokens)
        turn += 1
    return Outcome(
        n_cached=tuple(n_cached),
        n_recached=n_recached,
        n_preemptions=sum(request.num_preemptions for request in requests),
        step_tokens=tuple(step_tokens),
        finished_at=tuple(finished_at),
    )


def _sampled(request: Any) -> list[int]:
    """One new token of the request's own, once its prompt is computed."""
    if request.num_computed_tokens < request.num_tokens:
        return []
    return [10**9 + int(request.request_id) * 10**5 + request.num_output_tokens]


@cache
def _model_config(model_folder: Path) -> Any:
    from vllm.config import ModelConfig

    return ModelConfig(model=str(model_folder), dtype="float32", max_model_len=POSITIONS, seed=0)


def _scheduler(scenario: Scenario, model_folder: Path) -> Any:
    import torch
    from vllm.config import CacheConfig, DeviceConfig, SchedulerConfig, VllmConfig
    from vllm.v1.core.sched.scheduler import Scheduler
    from vllm.v1.kv_cache_interface import FullAttentionSpec, KVCacheConfig, KVCacheGroupSpec
    from vllm.v1.structured_output import StructuredOutputManager

    cache_config = CacheConfig(block_size=BLOCK, enable_prefix_caching=True)
    config = VllmConfig(
        model_config=_model_config(model_folder),
        scheduler_config=SchedulerConfig(
            max_num_seqs=scenario.max_sequences,
            max_num_batched_tokens=scenario.max_batched_tokens,
            max_model_len=POSITIONS,
            is_encoder_decoder=False,
            enable_chunked_prefill=True,
            async_scheduling=False,
        ),
        cache_config=cache_config,
        device_config=DeviceConfig("cpu"),
    )
    # vLLM keeps block 0 as the null block
    cache_config.num_gpu_blocks = scenario.n_blocks + 1
    spec = FullAttentionSpec(block_size=BLOCK, num_kv_heads=1, head_size=64, dtype=torch.float32)
    return Scheduler(
        vllm_config=config,
        kv_cache_config=KVCacheConfig(
            num_blocks=scenario.n_blocks + 1,
            kv_cache_tensors=[],
            kv_cache_groups=[KVCacheGroupSpec(["layer"], spec)],
        ),
        structured_output_manager=StructuredOutputManager(config),
        block_size=BLOCK,
        log_stats=True,
    )
