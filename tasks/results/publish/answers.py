"""The answers of a release: what was asked, what models said, and what judges made of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tasks.lake.lake import Commit, Lake, LakeError
from tasks.pipeline.plan import stale_commits
from tasks.pipeline.settings import place_options
from tasks.pipeline.sources import is_of_samples
from tasks.results.opened import check_there, opened_warehouse, rows_of
from tasks.results.publish.rows import FILINGS
from tasks.results.report.provenance import judges_of, own_prompts_note
from tasks.suites.registry import SUITES, load_suite
from tasks.suites.suite import Suite

if TYPE_CHECKING:
    import duckdb

Row = Mapping[str, Any]

# One row per case as a model was asked it, with its answer, its verdicts and its filing. Of several
# documents, the filing is the first one's. A verdict's value is 1 for right and 0 for wrong.
_ANSWERS = f"""
with filings as ({FILINGS}),
verdicts as (
    select
        request_id,
        list(
            {{
                judge: judge, value: value, rating: rating, label: label, score: judged.score,
                rationale: rationale, unscored_reason: judged.unscored_reason
            }}
            order by list_position($judges, judge)
        ) as verdicts
    from staging.judged_answers as judged
    inner join (select judgement_id, rationale from raw.judgements) using (judgement_id)
    where suite = $suite and model = $model and list_contains($judges, judge)
    group by all
)
select
    cases.case_id, cases.qa_pair_id, cases.variant, cases.query, cases.target,
    cases.is_answerable, qa_pairs.task, qa_pairs.answer as reference,
    map_concat(qa_pairs.traits, cases.traits) as traits,
    requests.request_id, prefixes.system,
    prefixes.text || requests.suffix as prompt,
    responses.* exclude (request_id, release, suite),
    coalesce(verdicts.verdicts, []) as verdicts,
    filings.* exclude (document_id)
from raw.requests as requests
inner join raw.responses as responses using (suite, request_id)
inner join (
    select suite, prefix_id, any_value(system) as system, any_value(text) as text
    from raw.prefixes group by all
) as prefixes using (suite, prefix_id)
inner join raw.cases as cases using (suite, case_id)
inner join raw.qa_pairs as qa_pairs using (suite, qa_pair_id)
inner join raw.contexts as whole
    on cases.suite = whole.suite and qa_pairs.context_id = whole.context_id
left join filings on whole.document_ids[1] = filings.document_id
left join verdicts using (request_id)
where requests.suite = $suite and requests.model = $model
    and list_contains($operations, requests.operation)
order by
    cases.qa_pair_id, coalesce(list_position($variants, cases.variant), 99), cases.case_id
"""
_METRICS = """
select judge, metric, value, low, high, n, n_unscored, n_groups from reports.metrics
where release = $release and suite = $suite and model = $model and slice_by = 'overall'
    and list_contains($judges, judge)
order by
    list_position($judges, judge), coalesce(list_position($metrics, metric), 99), metric
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAnswers:
    """All answers of one model in one suite.

    Attributes:
        is_rules: whether rules answered, not a language model.
        answers: rows of `_ANSWERS`, a case each: its `verdicts` are of single answers, in the order
            of `judges`.
        answered_at: when its answers were complete, in UTC.
        metrics: rows of `reports.metrics` over all cases, by judge in the page's order.
        judges: of any model of the suite, those first that the page shows.
        own_prompts: the sentence of `own_prompts_note`.
    """

    release: str
    suite: Suite
    model: str
    is_rules: bool
    answers: tuple[Row, ...]
    answered_at: str
    metrics: tuple[Mapping[str, Any], ...]
    judges: tuple[str, ...]
    own_prompts: str

    @property
    def full_name(self) -> str:
        """The model's name, with its developer if that is us."""
        return f"tenkbench/{self.model}" if self.is_rules else self.model


def answers_of(
    lake: Lake, release: str, suite: str | None = None, judge: str | None = None
) -> Iterator[ModelAnswers]:
    """Yield each suite's models with their answers, one model at a time.

    Args:
        suite: the only one to yield.
        judge: the only one whose verdicts and metrics to yield. By default all, those first that
            the newest run named.

    Raises:
        LakeError: the release does not exist, no model has answered, or answers or judgements are
            of cases that have been replaced.
        UnknownJudge: the judge has not rated.
    """
    lake = lake.as_of_now()
    check_there(lake, release)
    answered = {
        name: of_suite
        for name, of_suite in _answered(lake, release).items()
        if suite in (None, name)
    }
    judges = {name: judges_of(lake.commits(release), name) for name in answered}
    if judge is not None and suite is None and any(judge in each for each in judges.values()):
        answered = {name: models for name, models in answered.items() if judge in judges[name]}
    if not answered:
        place = place_options(
            lake=lake.url, release=release, **({} if suite is None else {"suite": suite})
        )
        raise LakeError(
            f"No model has answered {suite or 'anything'} in release '{release}' of '{lake.url}'. "
            "Prompts are written when models are asked. The rules cost nothing:\n"
            f"    tenkbench run{place} --model extractive"
        )
    with opened_warehouse(lake, release) as warehouse:
        for name in (name for name in SUITES if name in answered):
            _check_current(lake, release, name)
            by = judges_of(lake.commits(release), name, judge)
            yield from _of_suite(
                lake,
                release,
                load_suite(name),
                answered[name],
                warehouse,
                by if judge is None else (judge,),
            )


def _answered(lake: Lake, release: str) -> dict[str, dict[str, Commit]]:
    """Return the commits of answers, by suite and model."""
    answered: dict[str, dict[str, Commit]] = {}
    for commit in lake.commits(release):
        suite, _, step = commit.step.name.partition(".infer.")
        if step and "model" in commit.identity["parameters"]:
            model = commit.identity["parameters"]["model"]["name"]
            answered.setdefault(suite, {})[model] = commit
    return answered


def _check_current(lake: Lake, release: str, suite: str) -> None:
    stale = [each.step.name for each in stale_commits(lake, release)]
    if stale := [name for name in stale if name.startswith(f"{suite}.")]:
        raise LakeError(
            f"In release '{release}' of '{lake.url}', what these steps read was replaced since: "
            f"{', '.join(stale)}. Run the same command as before again:\n"
            f"    tenkbench run --lake {lake.url} --release {release} --suite {suite}"
        )


def _of_suite(
    lake: Lake,
    release: str,
    suite: Suite,
    answered: Mapping[str, Commit],
    warehouse: duckdb.DuckDBPyConnection,
    judges: Sequence[str],
) -> Iterator[ModelAnswers]:
    given = {
        "suite": suite.name,
        "judges": [*judges],
        "operations": [operation.name for operation in suite.answers],
        "variants": [*suite.variants],
        "is_of_samples": is_of_samples(lake, release),
    }
    about = {"release": release, "metrics": [*suite.page.metrics], "suite": suite.name}
    commits = [c for c in lake.commits(release) if c.step.name.startswith(f"{suite.name}.")]
    for model, commit in answered.items():
        metrics = rows_of(warehouse, _METRICS, about | {"model": model, "judges": [*judges]})
        yield ModelAnswers(
            release=release,
            suite=suite,
            model=model,
            is_rules=commit.identity["parameters"]["model"]["engine"] == "extractive",
            answers=tuple(rows_of(warehouse, _ANSWERS, given | {"model": model})),
            answered_at=commit.committed_at,
            metrics=tuple(metrics),
            judges=tuple(judges),
            own_prompts=own_prompts_note(commits, suite.name),
        )
