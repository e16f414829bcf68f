"""The page's first sentences: only conclusions that the tests support."""

from __future__ import annotations

from collections.abc import Sequence

from tasks.results.report.measured import SIGNIFICANT, Candidate, Comparison, Estimate, Measured
from tasks.results.report.unscored import unscored_sentences
from tasks.text.shares import interval, share

# A sentence names at most this many models and counts the others.
_MOST_NAMED = 3


def verdict(measured: Measured) -> list[str]:
    """Write a few sentences about the headline metric, best model first.

    They also cover the models without a value.
    """
    metric = measured.page.metric_name(measured.headline)
    scored = measured.cells(measured.headline)
    places = measured.places
    unplaced = [name for name, place in places.items() if place is None]
    unscored = [
        row
        for row in measured.unscored
        if row.judge == measured.judge and places.get(row.model, 1) is None
    ]
    missing = list(unscored_sentences(unscored, measured.page.judging))
    if not scored:
        return [
            f"No model has figures in {metric} yet: nothing that it is made of was scored.",
            *missing,
        ]
    if unplaced:
        has = "has" if len(unplaced) == 1 else "have"
        missing = [" ".join([*missing, f"{listed(unplaced)} {has} no {metric} and no place."])]
    (best, cell), *others = scored
    tied = [model for model, _ in others if places[model.name] == 1]
    does = "comes first with" if len(tied) < len(others) else "reaches"
    together = f", together with {_listed(tied, len(others))}" if tied else ""
    judging = measured.page.judging
    by = f", by the {judging.given}s of {measured.judge}" if measured.other_judges else ""
    rules = ", a rule-based baseline and no language model," if best.is_baseline else ""
    lead = f"In {metric}, {best.name}{rules} {does} {_value(cell)}{together}{by}."
    if not others:
        alone = f"No other model has figures in {metric}, so nothing can be said about its rank."
        return [lead, alone, *missing]
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
        sentences.append(
            f"The lead of {best.name} over {_listed(behind, len(others))} is larger than chance "
            f"readily explains (Holm-adjusted p below {SIGNIFICANT:g})."
        )
    if level:
        found = [tests[model.name] for model in level if model.name in tests]
        sentences.append(_not_shown(best.name, _listed(level, len(others)), found))
    return [*sentences, *missing]


def listed(names: Sequence[str]) -> str:
    """Join names as text: `a`, `a and b`, `a, b and c`."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _value(cell: Estimate) -> str:
    value = share(cell.value or 0.0)
    if cell.ci_low is None or cell.ci_high is None:
        return f"{value} (too few filings for an interval)"
    return f"{value} (95 % interval {interval(cell.ci_low, cell.ci_high)})"


def _listed(models: Sequence[Candidate], of: int) -> str:
    names = [model.name for model in models]
    if len(names) > _MOST_NAMED:
        return f"all {of} others" if len(names) == of else f"{len(names)} of the {of} others"
    return listed(names)


def _not_shown(best: str, level: str, tests: Sequence[Comparison]) -> str:
    if not tests:
        return f"Whether {best} differs from {level} could not be tested on these data."
    known = [row.minimum_detectable_difference for row in tests]
    sizes = sorted(f"{size:.2f}" for size in known if size is not None)
    if not sizes:
        return f"{best} cannot be told apart from {level}."
    return (
        f"{best} cannot be told apart from {level}: four times out of five, a single comparison on "
        f"this dataset finds differences of {sizes[-1]} or more."
    )
