"""The simulated client, the orders, the paper's workload, and the log of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tasks.core.rows import Prefix, Request, Response, Sampling
from tasks.inference import prompts
from tasks.inference.engines.scheduling import Queues
from tasks.lake.lake import Lake, Step
from tasks.text.tokens import count_tokens
from tests.bench.scheduler.client import LLAMA_8B, QWEN_72B, Call, Hardware, InGroups, PromptGroup
from tests.bench.scheduler.orders import ORDERS, Order, in_groups, round_robin, shuffled
from tests.bench.scheduler.paper import N_MODELS, N_PAIRS, answering, judging
from tests.bench.scheduler.prompts import BLOCK, Numbering, least_computed
from tests.bench.scheduler.replica import Replica
from tests.bench.scheduler.request_log import read_log

SMALL = Hardware(
    name="small",
    parameters_b=1,
    weights_gb=1,
    kv_bytes=1_000_000,
    attention_width=10_000,
    gpus=1,
    replicas=3,
)


def small_work(n_groups: int = 30, n_calls: int = 4) -> tuple[list[PromptGroup], list[Call]]:
    """Groups of calls on prefixes of 2,000 to 5,000 tokens; the small cache holds 71,000."""
    numbering = Numbering()
    groups = []
    for number in range(n_groups):
        head = [(number, 2_000 + 100 * (number % 31))]
        calls = [
            Call(numbering.of_spans(head, [(1000 * number + c + 1000, 17)]), 20)
            for c in range(n_calls)
        ]
        groups.append(PromptGroup(f"{number}", numbering.of_spans(head), calls))
    return groups, [call for group in groups for call in group.calls]


def test_our_order_reaches_the_bound_and_the_others_do_not() -> None:
    groups, calls = small_work()
    found = {name: order(groups, calls, SMALL).share_of_bound for name, order in ORDERS.items()}
    assert found["groups"] > 0.99
    assert found["as dealt"] > 0.99
    assert 0.5 < found["split"] < 0.9
    assert found["round-robin"] < 0.5
    assert found["shuffled"] < 0.9


def test_every_order_sends_every_call_once() -> None:
    groups, calls = small_work(n_groups=7, n_calls=3)
    for name, order in ORDERS.items():
        result = order(groups, calls, SMALL)
        assert result.n_prompt == sum(call.prompt.n_tokens for call in calls)
        assert result.n_least <= result.n_uncached, name
        n_primers = 7 if name in ("groups", "as dealt") else 0
        decoded = sum(call.n_output - 1 for call in calls)
        assert sum(result.work) == result.n_uncached + decoded
        assert result.n_uncached <= result.n_prompt + n_primers * 5_000


def test_a_groups_calls_wait_for_its_primer_and_open_groups_for_room() -> None:
    groups, _ = small_work(n_groups=9, n_calls=3)
    feed = InGroups(Queues(groups, 1), 0, open_tokens=7_000)  # type: ignore[arg-type]
    primers, in_flight = set(), []
    weights = {group.prefix.n_tokens: group.weight for group in groups}
    answered = 0
    while True:
        while (call := feed.next_call()) is not None:
            in_flight.append(call)
            if call.n_output == 1:
                primers.add(tuple(call.prompt.blocks))
            else:  # its primer has been sent, and answered: it is not among those in flight
                head = tuple(call.prompt.blocks)
                assert any(head[: len(primer)] == primer for primer in primers)
                waiting = {tuple(other.prompt.blocks) for other in in_flight if other.n_output == 1}
                assert not any(head[: len(primer)] == primer for primer in waiting)
            opened = {
                other.prompt.n_tokens for other in in_flight if other.prompt.n_tokens in weights
            }
            assert sum(opened) <= 7_000
        if not in_flight:
            break
        feed.answered(in_flight.pop(0))
        answered += 1
    assert answered == 9 * (1 + 3)


def test_opening_more_than_the_cache_holds_loses_what_was_primed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    groups, calls = small_work(n_groups=90)
    held_back = in_groups(groups, calls, SMALL)
    monkeypatch.setattr("tests.bench.scheduler.orders.OPEN_SHARE", 3.0)
    assert in_groups(groups, calls, SMALL).hit_rate < held_back.hit_rate - 0.1


def test_stealing_ends_sooner_where_groups_are_dealt_badly() -> None:
    groups, calls = small_work(n_groups=1, n_calls=2)
    many, more = small_work(n_groups=12)
    with_stealing = in_groups([*groups, *many], [*calls, *more], SMALL)
    as_dealt = in_groups([*groups, *many], [*calls, *more], SMALL, steals=False)
    assert with_stealing.seconds <= as_dealt.seconds * 1.05


def test_a_replica_that_keeps_its_cache_finds_what_the_run_before_left() -> None:
    groups, calls = small_work(n_groups=5)
    kept = [Replica(SMALL.cache_blocks) for _ in range(SMALL.replicas)]
    first = in_groups(groups, calls, SMALL, replicas=kept)
    second = in_groups(groups, calls, SMALL, replicas=kept)
    assert second.n_uncached < first.n_uncached / 5


# --- the paper's workload ----------------------------------------------------------------


def test_the_papers_requests_are_as_many_and_as_long_as_the_paper_says() -> None:
    work = answering()
    assert len(work.calls) == 7 * N_PAIRS == 1_540
    assert len(work.groups) == 2 * N_PAIRS + 1  # each context, its OCR copy, and the empty one
    assert sorted(group.n_calls for group in work.groups) == [1] * N_PAIRS + [5] * N_PAIRS + [
        N_PAIRS
    ]
    contexts = [group.weight for group in work.groups if group.n_calls == 5]
    assert 4_100 <= min(contexts) <= 8_000
    assert 26_000 <= max(contexts) <= 27_300
    framed = count_tokens(prompts.fill("failsafeqa/neutral", {"context": "", "query": ""}).prefix)
    assert sum(tokens > 16_000 + framed + 3 for tokens in contexts) == round(0.936 * N_PAIRS)
    copies = [group.weight for group in work.groups if group.n_calls == 1]
    assert sum(copies) / sum(contexts) == pytest.approx(1.3, abs=0.01)
    assert max(call.n_output for call in work.calls) <= 256


def test_the_bound_of_the_papers_workload_is_what_was_measured_in_vllm() -> None:
    work = answering()
    asked = [call.prompt for call in work.calls]
    total = sum(prompt.n_tokens for prompt in asked)
    assert 1 - least_computed(asked) / total == pytest.approx(0.635, abs=0.005)  # DESIGN.md: 63.5 %


@pytest.mark.parametrize("hardware", [LLAMA_8B, QWEN_72B], ids=lambda hardware: hardware.name)
def test_on_the_papers_workload_our_order_is_at_the_bound(hardware: Hardware) -> None:
    work = answering()
    result = in_groups(work.groups, work.calls, hardware)
    assert result.share_of_bound >= 0.99
    assert result.n_preemptions == 0


@pytest.mark.parametrize("hardware", [LLAMA_8B, QWEN_72B], ids=lambda hardware: hardware.name)
def test_on_the_papers_workload_groups_are_dealt_evenly(hardware: Hardware) -> None:
    work = answering()
    result = in_groups(work.groups, work.calls, hardware)
    assert max(result.work) * len(result.work) / sum(result.work) <= 1.02


@pytest.mark.parametrize("order", [round_robin, shuffled])
def test_on_the_papers_workload_other_orders_find_little_on_eight_replicas(order: Order) -> None:
    work = answering()
    calls = work.calls[: 7 * 55]  # a quarter is enough to see it
    result = order(work.groups, calls, LLAMA_8B)
    assert result.hit_rate < result.bound / 3


def test_a_wave_of_judging_must_compute_at_most_a_third_of_what_passes_by_model_must() -> None:
    work = judging(110)
    assert len(work.calls) == N_MODELS * 1_540 == 36_960
    assert sum(len(calls) for _, calls in work.passes) == 36_960
    wave = least_computed([call.prompt for call in work.calls])
    passes = sum(least_computed([call.prompt for call in calls]) for _, calls in work.passes)
    assert wave <= passes / 3


# --- the log of a run --------------------------------------------------------------------


def test_the_log_of_a_run_becomes_groups_in_the_order_in_which_it_asked(tmp_path: Path) -> None:
    lake = Lake(tmp_path)
    lake.make()
    step, identity = Step("dev", "infer.answer.some"), {"step": "infer"}
    texts = {"p1": "A long document. " * 40, "p2": "Another document. " * 40}
    prefixes = [
        Prefix(prefix_id=name, text=text, n_tokens=count_tokens(text))
        for name, text in texts.items()
    ]
    asked = [
        _request(seq, prefix_id, "answer")
        for seq, prefix_id in enumerate(("p1", "p2", "p1", "p2", "p1"))
    ]
    rows: dict[type, list[Any]] = {
        Prefix: prefixes,
        Request: [*reversed(asked), _request(9, "p1", "prime")],
    }
    rows[Response] = [_response(request.request_id) for request in asked]
    parts = []
    for row_type, found in rows.items():
        for operation in ("answer", "prime"):
            some = [row for row in found if getattr(row, "operation", "answer") == operation]
            keys = {"suite": "s", "operation": operation, "model": "some", "candidate": "none"}
            parts.append(lake.write(step, identity, row_type, some, **keys))
    lake.commit(step, identity, parts)
    (logged,) = read_log(tmp_path)
    assert (logged.step, logged.operation) == (step.name, "answer")
    assert [(group.name, group.n_calls) for group in logged.groups] == [("p1", 3), ("p2", 2)]
    assert [group.weight for group in logged.groups] == [
        count_tokens(text) for text in texts.values()
    ]
    assert len(logged.calls) == 5
    assert all(
        call.n_output == count_tokens("Net sales were $12 million.") for call in logged.calls
    )
    first, second, third = (call.prompt for call in logged.calls[:3])
    shared = logged.groups[0].weight // BLOCK
    assert first.blocks[:shared] == third.blocks[:shared]
    assert first.blocks[0] != second.blocks[0]
    assert in_groups(logged.groups, logged.calls, SMALL).hit_rate > 0.4


def _request(seq: int, prefix_id: str, operation: str) -> Request:
    return Request(
        request_id=f"req-{seq}",
        case_id=None,
        subject_id="subject",
        operation=operation,
        model="some",
        prefix_id=prefix_id,
        suffix=f"Question {seq}: how much were net sales?",
        fields=(),
        sampling=Sampling(temperature=0.0, max_tokens=64),
        prompt_sha256="",
        n_prompt_tokens=300,
        key=None,
        repairs=None,
        shard=0,
        seq=seq,
    )


def _response(request_id: str) -> Response:
    return Response(
        request_id=request_id,
        status="ok",
        text="Net sales were $12 million.",
        finish_reason="stop",
        n_prompt=None,
        n_cached=None,
        n_output=None,
        latency_ms=None,
        attempts=1,
        error_type=None,
        error=None,
        engine="some",
        engine_version="1",
        cost_usd=None,
    )
