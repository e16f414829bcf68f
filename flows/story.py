"""What a run came to, in lines for its log."""

from __future__ import annotations

from collections.abc import Iterator

from flows.cli.views.console import cell, summary
from tasks.pipeline.resolved import ResolvedRun
from tasks.results.opened import opened_warehouse, rows_of
from tasks.results.report.failures import trial_sentences

_REJECTS = """
select stage, reason, n from reports.rejects_by_reason
where suite in ($suite, 'all') order by n desc
"""
_TRIALS = """
select judge_trials.*, coalesce(is_rules, false) as is_rules
from reports.judge_trials as judge_trials left join reports.judges using (release, suite, judge)
where release = $release and suite = $suite order by judge
"""


def story_of(run: ResolvedRun) -> Iterator[str]:
    """Yield what a run's release holds, its failed calls, and its rejects by reason."""
    yield from summary(run)
    with opened_warehouse(run.lake.as_of_now(), run.settings.release, _REJECTS) as warehouse:
        rejects = warehouse.execute(_REJECTS, {"suite": run.suite.name}).fetchall()
    for stage, reason, n in rejects:
        yield f"Left out in {stage}: {cell(n)}, {reason}"


def failed_trials(run: ResolvedRun) -> Iterator[tuple[str, bool, str]]:
    """Yield each judge that failed its trial, whether it is rules, and what it failed in."""
    release = run.settings.release
    with opened_warehouse(run.lake.as_of_now(), release, _TRIALS) as warehouse:
        place = {"release": release, "suite": run.suite.name}
        for row in rows_of(warehouse, _TRIALS, place):
            for sentence in trial_sentences([row]):
                yield row["judge"], row["is_rules"], sentence
