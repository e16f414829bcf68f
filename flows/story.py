"""What a run came to, in lines for its log."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

from flows.cli.views.console import cell, summary
from tasks.lake.lake import Lake
from tasks.pipeline.settings import RunSettings
from tasks.results.opened import opened_warehouse
from tasks.results.report.failures import JudgeTrial, trial_sentences
from tasks.suites.registry import load_suite

_REJECTS = """
select stage, reason, n from reports.rejects_by_reason
where suite in ($suite, 'all') order by n desc
"""
_COST = "select sum(cost_usd) from reports.operations where suite = $suite"
_UNSCORED = """
select model, judge, counted_as, unscored_reason, sum(n)::bigint from reports.unscored_reasons
where suite = $suite group by all order by all
"""
_SCORES = """
select model, judge, value, low, high from reports.metrics
where suite = $suite and metric = $metric and slice_by = 'overall'
order by value desc, model, judge
"""
_TRIALS = f"""
select {", ".join(field.name for field in fields(JudgeTrial))}, coalesce(is_rules, false)
from reports.judge_trials left join reports.judges using (release, suite, judge)
where release = $release and suite = $suite order by judge
"""
_ASKED = "; ".join((_REJECTS, _COST, _UNSCORED, _SCORES))


def story_of(run: RunSettings) -> Iterator[str]:
    """Yield what a run's release holds, its rejects by reason, failed calls, cost and scores."""
    yield from summary(run)
    metric = load_suite(run.suite).page.headline
    with opened_warehouse(Lake(run.lake).as_of_now(), run.release, _ASKED) as warehouse:

        def rows(query: str, **named: str) -> list[tuple[object, ...]]:
            return warehouse.execute(query, {"suite": run.suite, **named}).fetchall()

        for stage, reason, n in rows(_REJECTS):
            yield f"Left out in {stage}: {cell(n)}, {reason}"
        ((dollars,),) = rows(_COST)
        yield f"Cost: {f'${dollars:,.2f}' if dollars else 'nothing was paid per token'}"
        for model, judge, counted_as, reason, n in rows(_UNSCORED):
            what = "Unreadable, and wrong" if counted_as == "wrong" else "Unscored"
            yield f"{what}: {cell(n)} answers of {model} by {judge}, {reason}"
        for model, judge, value, low, high in rows(_SCORES, metric=metric):
            interval = "" if low is None else f" ({cell(low)} to {cell(high)})"
            yield f"Score of {model} by {judge}: {metric} {cell(value)}{interval}"


def failed_trials(run: RunSettings) -> Iterator[tuple[str, bool, str]]:
    """Yield each judge that failed its trial, whether it is rules, and what it failed in."""
    with opened_warehouse(Lake(run.lake).as_of_now(), run.release, _TRIALS) as warehouse:
        place = {"release": run.release, "suite": run.suite}
        for *row, is_rules in warehouse.execute(_TRIALS, place).fetchall():
            trial = JudgeTrial(*row)
            for sentence in trial_sentences([trial]):
                yield trial.judge, is_rules, sentence
