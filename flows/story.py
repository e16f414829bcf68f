"""What a run came to, in lines for its log and the terminal."""

from __future__ import annotations

import re
from collections.abc import Iterator

from flows.cli.views.console import cell
from tasks.inference.call_records import cut_off, failures, limited_answers
from tasks.inference.imported import NOT_IMPORTED
from tasks.inference.operation import NOT_IMPORTED_TYPE
from tasks.lake.lake import Commit, may_change
from tasks.models.catalogue import DATED, name_of
from tasks.pipeline.resolved import ResolvedRun
from tasks.pipeline.sources import is_of_samples
from tasks.results.opened import opened_warehouse, rows_of
from tasks.results.report.failures import trial_sentences, unscored_sentences
from tasks.warehouse.raw_tables import row_types

_REJECTS = """
select stage, reason, n from reports.rejects_by_reason
where suite in ($suite, 'all') order by n desc
"""
_SCORES = "from reports.leaderboard where suite = $suite"
_UNSCORED = "from reports.unscored_reasons where suite = $suite"
_TRIALS = """
select judge_trials.*, coalesce(is_rules, false) as is_rules
from reports.judge_trials as judge_trials left join reports.judges using (release, suite, judge)
where release = $release and suite = $suite order by judge
"""
# Each model that is asked on a day beside its newest earlier name, on what both have scores for.
_MOVES = """
with pairs as (
    select
        *, greatest(model, other_model) as now, least(model, other_model) as before,
        if(model = now, [other_value, value], [value, other_value]) as scores,
        -- one comparison is planned, whatever other models the board has: no correction for them
        greatest(p_mcnemar, p_permutation, p_student) as p,
        coalesce(p < 0.05 and low * high > 0, false) as has_moved
    from reports.comparisons semi join suites.headlines using (suite, metric)
    where release = $release and suite = $suite and slice_by = 'overall' and now in $models
        and split_part(model, $dated, 1) = split_part(other_model, $dated, 1)
    qualify before = max(before) over (partition by now, judge, metric)
)
select now, has_moved, format(
    '{} {}: {} of {}, release {}, is {:.2f}; it was {:.2f} of {} (n {}, p {}, judge {})',
    now, case
        when n_groups < 6 then 'cannot be said to have moved, with fewer than 6 filings'
        when not has_moved then 'moved no more than noise'
        when scores[2] > scores[1] then 'rose' else 'fell'
    end,
    metric, suite, release, scores[2], scores[1], before, n,
    if(p < 0.001, '< 0.001', format('{:.3f}', p)), judge
) from pairs order by all
"""


def story_of(run: ResolvedRun) -> Iterator[str]:
    """Yield what a run's release holds, its failed calls, its rejects by reason, and its scores."""
    yield from summary(run)
    queries = (_REJECTS, _SCORES, _UNSCORED)
    with opened_warehouse(run.lake.as_of_now(), run.settings.release, "; ".join(queries)) as opened:
        place = {"suite": run.suite.name}
        rejects, scores, unscored = (rows_of(opened, query, place) for query in queries)
    for row in rejects:
        yield f"Left out in {row['stage']}: {cell(row['n'])}, {row['reason']}"
    for row in scores:
        name = run.suite.page.metric_name(row["metric"])
        yield f"{row['model']}: {name} {cell(row['value'])}, n {row['n']:,}, judge {row['judge']}"
    yield from unscored_sentences(unscored)


def failed_trials(run: ResolvedRun) -> Iterator[tuple[str, bool, str]]:
    """Yield each judge that failed its trial, whether it is rules, and what it failed in."""
    release = run.settings.release
    with opened_warehouse(run.lake.as_of_now(), release, _TRIALS) as warehouse:
        place = {"release": release, "suite": run.suite.name}
        for row in rows_of(warehouse, _TRIALS, place):
            for sentence in trial_sentences([row]):
                yield row["judge"], row["is_rules"], sentence


def moves(run: ResolvedRun) -> list[tuple[str, bool, str]]:
    """List models asked on a day: whether it moved by more than noise, and a sentence."""
    models = [model for model in map(name_of, run.models) if DATED in model]
    release, place = run.settings.release, {"suite": run.suite.name, "models": models}
    with opened_warehouse(run.lake.as_of_now(), release, _MOVES) as warehouse:
        parameters = {**place, "release": release, "dated": DATED}
        return warehouse.execute(_MOVES, parameters).fetchall()


def failed_calls(run: ResolvedRun) -> list[str]:
    """Describe failed calls, limited and cut answers of a run's suite and models, by step."""
    suite, models = run.suite.name, set(map(name_of, run.models))
    lines: list[str] = []
    for commit in run.lake.commits(run.settings.release):
        of, _, step = commit.step.name.partition(".")
        is_answers = step.startswith("infer.")
        if of == suite and (not is_answers or step.removeprefix("infer.") in models):
            lines += _failures_of(run, commit)
            if is_answers:
                lines += _cut_answers_of(run, commit)
    return lines


def _failures_of(run: ResolvedRun, commit: Commit) -> Iterator[str]:
    why = failures(run.lake, commit)
    if without := why.pop((NOT_IMPORTED_TYPE, NOT_IMPORTED), 0):
        model = commit.step.name.rpartition(".infer.")[2]
        yield f"{model}: {without:,} cases have no imported answer."
    if why:
        ((kind, most), n_most), *others = why.most_common()
        shown = f"{n_most:,} with {most!r}" if others else f"with {most!r}"
        frozen = "" if may_change(run.settings.release) else "the release is frozen, so "
        remedy = {
            "context_overflow": "serve the model with a larger window, or build shorter contexts.",
            "cut_before_answer": "raise thinking_tokens in a models file.",
        }.get(kind, f"{frozen}--retry-failed{' --force' if frozen else ''} asks them again.")
        yield f"{why.total():,} calls of {commit.step.name} failed, {shown}; {remedy}"
    operations = run.suite.operations
    most_of = {name: operation.sampling.max_tokens for name, operation in operations.items()}
    if limits := limited_answers(run.lake, commit, most_of):
        yield (
            f"{limits.total():,} answers of {commit.step.name} were limited to what their "
            f"prompts left of the model's window, to {min(limits):,} tokens or more. After a "
            "larger window in a models file, --force asks them again."
        )


def _cut_answers_of(run: ResolvedRun, commit: Commit) -> Iterator[str]:
    n_cut, n_replies = cut_off(run.lake, commit)
    if n_cut:
        yield (
            f"{n_cut:,} of {n_replies:,} replies of {commit.step.name} were cut off at their "
            "max_tokens, so figures depend on that limit. If the model thinks at length, "
            "raise thinking_tokens in a models file."
        )


def summary(run: ResolvedRun) -> list[str]:
    """Summarize a release: its rows of the suite, failed calls and models."""
    release, suite = run.settings.release, run.suite.name
    types = row_types()
    counts = dict.fromkeys(types, 0)
    for commit in run.lake.commits(release):
        for part in commit.parts if commit.step.name.startswith(("ingest", f"{suite}.")) else ():
            counts[part.table] += part.n_rows
    counted = [_counted(n, table, types[table]) for table, n in counts.items() if n]
    listed = ", ".join(counted) or "nothing"
    lines = [f"Release {release} in {run.lake.url}, {suite}: {listed}.", *failed_calls(run)]
    if is_of_samples(run.lake, release) and not run.sources:
        lines.append(
            "The filings are packaged samples of three invented companies. Use --filings for yours."
        )
    judges = [judge.model for judge in run.judges if judge.model is not None]
    for name in dict.fromkeys((*run.models, *judges)):
        lines.append(f"{name}: {run.row(name).description}.")
    return lines


def _counted(n: int, table: str, row_type: type) -> str:
    """Count a table's rows in words: `1 result set`, `12 qa pairs`."""
    one = re.sub(r"(?<!^)(?=[A-Z][a-z])", " ", row_type.__name__).lower()
    return f"1 {one}" if n == 1 else f"{n:,} {table.replace('_', ' ')}"
