"""An estimate of a long-context run, before it is built, knows what its prompts share."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from tasks.core.rows import Case, Context
from tasks.inference.operation import Question, render
from tasks.pipeline.resolved import resolve, settings_of
from tasks.results.estimate import trial_build
from tasks.results.estimate.estimate import estimate
from tasks.suites.longcontext.articles import step
from tests.flows.rows import rows_of
from tests.without_prefect import flows_as_functions

PLACEMENTS = ("append", "best_practices")


def test_prompts_and_what_they_share_are_those_of_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # 12,000 take longer; with 2,000 the estimate is not as close
    monkeypatch.setattr(trial_build, "WHOLE_SHARD", 8)
    monkeypatch.setattr(step, "invent_articles", partial(step.invent_articles, wanted=5_000))
    run = settings_of(
        suite="longcontext",
        lake=str(tmp_path / "lake"),
        workers=1,
        lengths=(4_000, 6_000),
        records=(9, 5),  # a last round of queries is smaller than the others
        queries=4,
        placements=PLACEMENTS,
    )
    of_run = dict.fromkeys(PLACEMENTS, (0, 0))
    lines = estimate(run).lines
    with flows_as_functions():
        from flows.build import build
        from flows.ingest import ingest

        ingest(run)
        build(run)
    texts = {each.context_id: each.text for each in rows_of(run, Context)}
    resolved, heads = resolve(run), set[str]()
    by_text: dict[tuple[str, str], list[Case]] = {}
    for case in rows_of(run, Case):
        if case.variant in PLACEMENTS:
            by_text.setdefault((case.variant, case.context_id or ""), []).append(case)
    for (placement, context_id), cases in by_text.items():
        operation = resolved.operation_of(cases[0], "text")
        inputs = [operation.inputs.of(case, texts[context_id]) for case in cases]
        for call in render(operation, "m", [Question(placement, each) for each in inputs]):
            whole, unique = of_run[placement]
            n, n_head = call.request.n_prompt_tokens, call.prefix.n_tokens
            is_new = call.prefix.prefix_id not in heads
            heads.add(call.prefix.prefix_id)
            of_run[placement] = (whole + n, unique + n - (0 if is_new else n_head))
    estimated = {line.operation.removeprefix("answer_"): line for line in lines}
    for name, (whole, unique) in of_run.items():
        line = estimated[name]
        assert line.basis.startswith("predicted")
        assert line.prompt == pytest.approx(whole, rel=0.01)
        assert line.shared == pytest.approx(unique, rel=0.05)
