"""The page's first sentences: only conclusions that the tests support."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tasks.results.report.failures import trial_sentences, unscored_sentences
from tasks.results.report.measured import SIGNIFICANT, Measured, MetricCell, ScoredModel
from tasks.results.report.messages import listed, say
from tasks.statistics.paired import least_exchange_p
from tasks.text.shares import interval, share

# A sentence names at most this many models and counts the others.
_MOST_NAMED = 3


def verdict(measured: Measured) -> list[str]:
    """Write a few sentences about the headline metric, best model first.

    They also cover the models without a value, and qualify a baseline's lead.
    """
    metric = measured.page.metric_name(measured.headline)
    scored = measured.cells(measured.headline)
    missing = list(_missing(measured, [model.name for model, _ in scored]))
    if not scored:
        return [say("verdict.nothing", metric=metric), *missing]
    (best, cell), *others = scored
    tied = [model for model, _ in others if measured.places[model.name] == 1]
    by = say("verdict.by", judge=measured.judge)
    lead = say(
        "verdict.first",
        best=best.name,
        rules=say("verdict.rules") if best.is_baseline else "",
        does=say("verdict.leads" if others and not tied else "verdict.reaches"),
        value=_value(cell),
        metric=metric,
        by=by if measured.other_judges else "",
    )
    if not others:
        return [lead, say("verdict.alone", judge=measured.judge), *missing]
    if tied:
        lead += say("verdict.tie", models=_listed(tied, len(others)))
    return [lead, *_tested(measured, best, [m for m, _ in others if m not in tied]), *missing]


def _missing(measured: Measured, scored: Sequence[str]) -> Iterator[str]:
    """Say which answers could not be read or judged, and which models have no place for that."""
    metric = measured.page.metric_name(measured.headline)
    unplaced = [model.name for model in measured.models if model.name not in scored]
    unscored = [
        row
        for row in measured.unscored
        if row.judge == measured.judge and (row.is_wrong or row.model in unplaced)
    ]
    yield from unscored_sentences(unscored)
    for model in measured.unjudged:
        about = {"model": model.name, "judge": measured.judge}
        yield say("unscored.not_given", n=model.n_answers, **about)
    if unplaced and scored:
        yield say("verdict.unplaced", n=len(unplaced), models=listed(unplaced), metric=metric)


def _tested(measured: Measured, best: ScoredModel, others: Sequence[ScoredModel]) -> Iterator[str]:
    """Say over which models a lead is shown, and over which it is not."""
    compared = measured.compared(measured.headline)
    tests = {
        ({row.model, row.other_model} - {best.name}).pop(): row
        for row in compared
        if best.name in (row.model, row.other_model)
    }
    behind = [
        model
        for model in others
        if (row := tests.get(model.name)) and row.model == best.name and row.is_significant
    ]
    level = [model for model in others if model not in behind]
    if behind:
        models = _listed(behind, len(others))
        yield say("verdict.ahead", best=best.name, models=models, p=SIGNIFICANT)
    if level:
        found = [tests[model.name] for model in level if model.name in tests]
        n_filings = max((row.n_groups for row in found), default=0)
        is_too_few = len(compared) * least_exchange_p(n_filings) >= SIGNIFICANT
        sizes = [size for row in found if (size := row.minimum_detectable_difference) is not None]
        size = max(sizes, default=0.0)
        name = "untested" if not found else "level_too_few" if is_too_few else "level"
        if name == "level" and sizes and all(abs(row.difference) < size for row in found):
            name = "level_within"  # else the number of comparisons made it insignificant
        yield say(
            f"verdict.{name}",
            best=best.name,
            models=_listed(level, len(others)),
            n=len(compared),
            n_filings=n_filings,
            size=share(size),
        )


def warnings(measured: Measured, *, is_of_samples: bool) -> list[str]:
    """Write what a reader must know of the figures, as in the page's order."""
    failures = [str(row["says"]) for row in measured.remarks if row.get("is_failure")]
    trials = trial_sentences(measured.trials)
    return [*failures, *trials, *caveats(measured, is_of_samples=is_of_samples)]


def caveats(measured: Measured, *, is_of_samples: bool) -> list[str]:
    """Say whether the filings are samples, answers were cut off, and rules judge."""
    said = []
    if is_of_samples and not measured.is_published:
        said.append(say("hero.samples"))
    cut = sorted(
        (model for model in measured.models if model.n_cut_off), key=lambda model: -model.n_cut_off
    )
    if cut:
        named = [
            say("hero.cut_off_of", n=model.n_cut_off, model=model.name)
            for model in cut[:_MOST_NAMED]
        ]
        if more := len(cut) - len(named):
            named.append(say("hero.cut_off_more", n=more))
        said.append(say("hero.cut_off", listed=listed(named)))
    if measured.judge in measured.rule_judges:
        said.append(say("hero.rules", judge=measured.judge))
    return said


def _value(cell: MetricCell) -> str:
    value = share(cell.value or 0.0)
    if cell.low is None and cell.high is None:
        return say("verdict.value_alone", value=value)
    return say("verdict.value", value=value, interval=interval(cell.low, cell.high))


def _listed(models: Sequence[ScoredModel], of: int) -> str:
    n = len(models)
    if n > _MOST_NAMED:
        return say("verdict.all_others" if n == of else "verdict.some_others", n=n, of=of)
    return listed([model.name for model in models])
