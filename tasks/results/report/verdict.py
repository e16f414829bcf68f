"""The page's first sentences: only conclusions that the tests support."""

from __future__ import annotations

from collections.abc import Sequence

from tasks.results.report.judge_trials import trial_sentences
from tasks.results.report.measured import SIGNIFICANT, Candidate, Comparison, Estimate, Measured
from tasks.results.report.messages import listed, say
from tasks.results.report.unscored import unscored_sentences
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
    known = {model.name for model, _ in scored}
    unplaced = [model.name for model in measured.models if model.name not in known]
    unscored = [
        row
        for row in measured.unscored
        if row.judge == measured.judge and (row.is_wrong or row.model in unplaced)
    ]
    missing = list(unscored_sentences(unscored))
    for model in measured.unjudged:
        missing.append(
            say("unscored.not_given", n=model.n_answers, model=model.name, judge=measured.judge)
        )
    if not scored:
        return [say("verdict.nothing", metric=metric), *missing]
    if unplaced:
        told = say("verdict.unplaced", n=len(unplaced), models=listed(unplaced), metric=metric)
        missing = [" ".join([*missing, told])]
    (best, cell), *others = scored
    tied = [model for model, _ in others if measured.places[model.name] == 1]
    by = say("verdict.by", judge=measured.judge)
    by = by if measured.other_judges else ""
    rules = say("verdict.rules") if best.is_baseline else ""
    if tied:
        lead = say(
            "verdict.tie",
            best=best.name,
            rules=rules,
            models=_listed(tied, len(others)),
            for_first=say("verdict.for_first") if len(tied) < len(others) else "",
            value=share(cell.value or 0.0),
            metric=metric,
            by=by,
        )
    else:
        does = say("verdict.leads" if others else "verdict.reaches")
        lead = say(
            "verdict.first",
            metric=metric,
            best=best.name,
            rules=rules,
            does=does,
            value=_value(cell),
            by=by,
        )
    if not others:
        return [lead, say("verdict.alone", judge=measured.judge), *missing]
    tests = {
        ({row.model, row.other_model} - {best.name}).pop(): row
        for row in measured.compared(measured.headline)
        if best.name in (row.model, row.other_model)
    }
    behind = [
        model
        for model, _ in others
        if (row := tests.get(model.name)) and row.model == best.name and row.is_significant
    ]
    level = [model for model, _ in others if model not in behind and model not in tied]
    sentences = [lead]
    if behind:
        models = _listed(behind, len(others))
        sentences.append(say("verdict.ahead", best=best.name, models=models, p=SIGNIFICANT))
    if level:
        found = [tests[model.name] for model in level if model.name in tests]
        n_compared = len(measured.compared(measured.headline))
        sentences.append(_not_shown(best.name, _listed(level, len(others)), found, n_compared))
    return [*sentences, *missing]


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


def _value(cell: Estimate) -> str:
    value = share(cell.value or 0.0)
    if cell.low is None and cell.high is None:
        return say("verdict.value_alone", value=value)
    return say("verdict.value", value=value, interval=interval(cell.low, cell.high))


def _listed(models: Sequence[Candidate], of: int) -> str:
    n = len(models)
    if n > _MOST_NAMED:
        return say("verdict.all_others" if n == of else "verdict.some_others", n=n, of=of)
    return listed([model.name for model in models])


def _not_shown(best: str, models: str, tests: Sequence[Comparison], n_compared: int) -> str:
    """Say why a lead is not shown; `n_compared` is the number of tests that P is adjusted for."""
    detectable = [
        (each, row) for row in tests if (each := row.minimum_detectable_difference) is not None
    ]
    most_groups = max((row.n_groups for row in tests), default=0)
    name, size = "level" if tests else "untested", ""
    if tests and n_compared * least_exchange_p(most_groups) >= SIGNIFICANT:
        name = "level_too_few"
    elif n_compared > 1 and any(abs(row.difference) >= each for each, row in detectable):
        name = "level_corrected"
    elif detectable:
        name, size = "level_within", share(max(each for each, _ in detectable))
    return say(
        f"verdict.{name}", best=best, models=models, size=size, n=n_compared, n_filings=most_groups
    )
