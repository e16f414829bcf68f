"""The answers of a release: what was asked, what models said, and what judges made of it.

Every export of answers, and of tasks for other tools, reads the lake by this module.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tasks.core.rows import Case, Judgement, Prefix, QAPair, Request, Response
from tasks.lake.lake import Commit, Lake, LakeError
from tasks.pipeline.plan import stale_commits
from tasks.pipeline.settings import place_options
from tasks.pipeline.sources import is_of_samples
from tasks.results.opened import check_there, opened_warehouse
from tasks.results.publish.rows import PublishedFiling, build_commits, published_filings
from tasks.results.report.provenance import judges_of, own_prompts_note
from tasks.suites.registry import SUITES, load_suite
from tasks.suites.suite import Suite

if TYPE_CHECKING:
    import duckdb


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One case as a model was asked it.

    Attributes:
        filing: of several documents, the first one's; None if the case has none.
    """

    case: Case
    pair: QAPair
    filing: PublishedFiling | None
    request: Request
    prefix: Prefix

    @property
    def prompt(self) -> str:
        """The user message."""
        return self.prefix.text + self.request.suffix

    @property
    def about(self) -> dict[str, Any]:
        """What other tools show beside a case; nothing that is unknown."""
        filing: Mapping[str, Any] = {} if self.filing is None else self.filing.provenance
        dates = {name: str(filing[name]) for name in ("period_end", "filed_date") if name in filing}
        known = {
            "variant": self.case.variant,
            "task": self.pair.task,
            "is_answerable": self.case.is_answerable,
            "query": self.case.query,
            "qa_pair_id": self.case.qa_pair_id,
            **self.pair.traits,
            **self.case.traits,
            **{name: filing.get(name) for name in ("company", "cik", "form", "filing_id")},
            **dates,
            "edgar_url": filing.get("edgar_url"),
        }
        return {name: value for name, value in known.items() if value not in (None, "None")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """One judge's verdict on one answer; `value` is 1 for right, 0 for wrong, None if unscored."""

    judgement: Judgement
    value: float | None

    @property
    def said(self) -> str | None:
        """The rating, label or score as a text; None without one."""
        row = self.judgement
        found = next(
            (each for each in (row.rating, row.label, row.score) if each is not None), None
        )
        return None if found is None else str(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One model's answer to one case, or its failure to answer."""

    asked: Asked
    response: Response
    verdicts: tuple[Verdict, ...]  # of single answers, in `judges`; comparisons are in the metrics


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAnswers:
    """All answers of one model in one suite.

    Attributes:
        is_rules: whether rules answered, not a language model.
        answered_at: when its answers were complete, in UTC.
        metrics: rows of `reports.metrics` over all cases, by judge in the page's order.
        judges: of any model of the suite, those first that the page shows.
        own_prompts: the sentence of `own_prompts_note`.
    """

    release: str
    suite: Suite
    model: str
    is_rules: bool
    answers: tuple[Answer, ...]
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
    filings = published_filings(
        lake,
        release,
        is_of_samples=is_of_samples(lake, release),
    )
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
                filings,
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
    filings: Mapping[str, PublishedFiling],
    warehouse: duckdb.DuckDBPyConnection,
    judges: Sequence[str],
) -> Iterator[ModelAnswers]:
    built = build_commits(lake, release, suite.name)
    cases = {case.case_id: case for commit in built for case in lake.each(commit, Case)}
    pairs = {pair.qa_pair_id: pair for commit in built for pair in lake.each(commit, QAPair)}
    documents: dict[str, list[str]] = {}
    for commit in built:
        documents |= lake.columns(commit, "contexts", "context_id", "document_ids")
    of_suite = [c for c in lake.commits(release) if c.step.name.startswith(f"{suite.name}.")]
    prefixes = {
        prefix.prefix_id: prefix
        for commit in of_suite
        if ".infer." in commit.step.name
        for prefix in lake.each(commit, Prefix)
    }
    judged = [commit for commit in of_suite if ".judge." in commit.step.name]
    order = {variant: place for place, variant in enumerate(suite.variants)}
    place = {metric: n for n, metric in enumerate(suite.page.metrics)}
    operations = {operation.name for operation in suite.answers}
    for model, commit in answered.items():
        of_model = {"release": release, "suite": suite.name, "model": model}
        values = dict(
            warehouse.execute(
                "select judgement_id, value from staging.judged_answers where release = "
                "$release and suite = $suite and model = $model",
                of_model,
            ).fetchall()
        )
        metrics = warehouse.execute(
            "select judge, metric, value, low, high, n, n_unscored, n_groups from "
            "reports.metrics where release = $release and suite = $suite and model = $model "
            "and slice_by = 'overall'",
            of_model,
        )
        names = [column[0] for column in metrics.description]
        rows = [dict(zip(names, row, strict=True)) for row in metrics.fetchall()]
        rows = [row for row in rows if row["judge"] in judges]
        rows.sort(
            key=lambda row: (
                judges.index(row["judge"]),
                place.get(row["metric"], len(place)),
                row["metric"],
            )
        )
        verdicts: dict[str, list[Verdict]] = {}
        for row in (row for each in judged for row in _judgements(lake, each, model)):
            if row.judge in judges:
                verdict = Verdict(judgement=row, value=values.get(row.judgement_id))
                verdicts.setdefault(row.request_id, []).append(verdict)
        responses = {each.request_id: each for each in lake.each(commit, Response)}
        answers = []
        for request in lake.each(commit, Request):
            if request.case_id is None or request.operation not in operations:
                continue  # a warm-up
            case = cases[request.case_id]
            pair = pairs[case.qa_pair_id]
            shown = documents[pair.context_id]
            asked = Asked(
                case=case,
                pair=pair,
                filing=filings[shown[0]] if shown else None,
                request=request,
                prefix=prefixes[request.prefix_id],
            )
            found = sorted(
                verdicts.get(request.request_id, ()),
                key=lambda each: judges.index(each.judgement.judge),
            )
            answers.append(
                Answer(asked=asked, response=responses[request.request_id], verdicts=tuple(found))
            )
        answers.sort(
            key=lambda answer: (
                answer.asked.case.qa_pair_id,
                order.get(answer.asked.case.variant, len(order)),
                answer.asked.case.case_id,
            )
        )
        yield ModelAnswers(
            release=release,
            suite=suite,
            model=model,
            is_rules=commit.identity["parameters"]["model"]["engine"] == "extractive",
            answers=tuple(answers),
            answered_at=commit.committed_at,
            metrics=tuple(rows),
            judges=tuple(judges),
            own_prompts=own_prompts_note(of_suite, suite.name),
        )


def _judgements(lake: Lake, commit: Commit, model: str) -> Iterator[Judgement]:
    """Yield the judgements of single answers of a model that count."""
    for part in commit.parts_of("judgements", model=model):
        for row in lake.rows_of(part, Judgement):
            if row.other_request_id is None and row.repeat == 0:
                yield row
