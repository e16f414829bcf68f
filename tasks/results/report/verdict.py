"""The page's first sentences: only conclusions that the tests support."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tasks.results.report.failures import is_wrong, trial_sentences, unscored_sentences
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
    (best, cell), *_ = scored
    others = [model for model, _ in scored[1:]]
    tied = [model for model in others if measured.places[model.name] == 1]
    is_all = bool(others) and len(tied) == len(others)
    lead = say(
        "verdict.all" if is_all else "verdict.first",
        n=len(scored),
        best=best.name,
        rules=say("verdict.rules") if best.is_baseline else "",
        does=say("verdict.leads" if others and not tied else "verdict.reaches"),
        value=share(cell.value or 0.0) if is_all else _value(cell, measured.group),
        metric=metric,
        by=say("verdict.by", judge=measured.judge) if measured.other_judges else "",
    )
    if not others:
        return [lead, say("verdict.alone", judge=measured.judge), *missing]
    if tied and not is_all:
        lead += say("verdict.tie", models=_listed(tied, len(others)))
    elif tied and len({other.value for _, other in measured.cells(measured.of_answers)}) > 1:
        lead += say("verdict.tie_all", other=measured.page.metric_name(measured.of_answers))
    behind = [model for model in others if model not in tied]
    return [lead, *_tested(measured, best, behind), *missing]


def _missing(measured: Measured, scored: Sequence[str]) -> Iterator[str]:
    """Say which answers could not be read or judged, and which models have no place for that."""
    unplaced = [model.name for model in measured.models if model.name not in scored]
    yield from unscored_sentences(
        row for row in measured.unscored if is_wrong(row) or row["model"] in unplaced
    )
    for model in measured.unjudged:
        yield say("unscored.not_given", n=model.n_answers, model=model.name, judge=measured.judge)
    if unplaced and scored:
        metric = measured.page.metric_name(measured.headline)
        yield say("verdict.unplaced", n=len(unplaced), models=listed(unplaced), metric=metric)


def _tested(measured: Measured, best: ScoredModel, others: Sequence[ScoredModel]) -> Iterator[str]:
    """Say over which models a lead is shown, and over which it is not."""
    compared = measured.compared(measured.headline)
    tests = {frozenset((row.model, row.other_model)): row for row in compared}
    pairs = [(model, tests.get(frozenset((best.name, model.name)))) for model in others]
    apart = [m for m, row in pairs if row and row.model == best.name and row.is_significant]
    behind = [model for model in apart if measured.is_ahead_of(best, model)]
    for name, models in (("ahead", behind), ("open", [m for m in apart if m not in behind])):
        if models:
            named = _listed(models, len(others))
            yield say(f"verdict.{name}", best=best.name, models=named, p=SIGNIFICANT)
    level = [model for model in others if model not in apart]
    if level:
        rows = [row for model, row in pairs if row and model in level]
        n_groups = max((row.n_groups for row in rows), default=0)
        sizes = [row.minimum_detectable_difference for row in rows]
        size = max((size for size in sizes if size is not None), default=0.0)
        if not rows:
            name = "untested"
        elif len(compared) * least_exchange_p(n_groups) >= SIGNIFICANT:
            name = "level_too_few"
        elif all(abs(row.difference) < size for row in rows):
            name = "level_within"
        else:  # the number of comparisons made it insignificant
            name = "level"
        yield say(
            f"verdict.{name}",
            best=best.name,
            models=_listed(level, len(others), "any_others"),
            n=len(compared),
            n_groups=n_groups,
            group=measured.group,
            size=share(size),
        )


def warnings(measured: Measured, *, is_of_samples: bool) -> list[str]:
    """Write what a reader must know of the figures, as in the page's order."""
    failures = [str(row["says"]) for row in measured.remarks if row.get("is_failure")]
    trials = trial_sentences(measured.reports["reports.judge_trials"])
    return [*failures, *trials, *caveats(measured, is_of_samples=is_of_samples)]


def caveats(measured: Measured, *, is_of_samples: bool) -> list[str]:
    """Say whether filings are samples, rules wrote questions or judge, and answers were cut."""
    sentences = []
    if is_of_samples and not measured.is_published:
        sentences.append(say("hero.samples"))
    operations = measured.reports.get("reports.operations", ())
    asked_rules = {str(row["operation"]) for row in operations if row["model"] == "extractive"}
    if roles := measured.suite.roles_of(asked_rules):
        sentences.append(say("hero.by_rules", roles=listed(roles)))
    cut = sorted(((m.n_cut_off, m.name) for m in measured.models), key=lambda of: -of[0])
    names = [say("hero.cut_off_of", n=n, model=name) for n, name in cut if n]
    if (more := len(names) - _MOST_NAMED) > 0:
        names[_MOST_NAMED:] = [say("hero.cut_off_more", n=more)]
    if names:
        sentences.append(say("hero.cut_off", listed=listed(names)))
    if measured.judge in measured.rule_judges:
        sentences.append(say("hero.rules", judge=measured.judge))
    return sentences


def _value(cell: MetricCell, group: str) -> str:
    value = share(cell.value or 0.0)
    n = f"{cell.n:,} of {cell.n + cell.n_unscored:,}" if cell.n_unscored else f"{cell.n:,}"
    if not cell.has_interval:
        return say("verdict.value_alone", value=value, n=n, group=group)
    return say("verdict.value", value=value, n=n, interval=interval(cell.low, cell.high))


def _listed(models: Sequence[ScoredModel], of: int, everyone: str = "all_others") -> str:
    n = len(models)
    if n > _MOST_NAMED:
        return say(f"verdict.{everyone if n == of else 'some_others'}", n=n, of=of)
    return listed([model.name for model in models])
