"""The page's first sentences: only conclusions that the tests support."""

from __future__ import annotations

from collections.abc import Sequence

from tasks.results.report.measured import Candidate, Comparison, Estimate, Measured
from tasks.results.report.unscored import unscored_sentences
from tasks.results.report.words import listed
from tasks.text.shares import share

SIGNIFICANT = 0.05
# A sentence names at most this many models and counts the others.
_MOST_NAMED = 3


def verdict(measured: Measured) -> list[str]:
    """Write a few sentences about the headline metric, best model first.

    They also cover the models without a value.
    """
    scored = [
        (model, cell) for model in measured.models if (cell := _scored(measured, model)) is not None
    ]
    metric = measured.page.metric_name(measured.headline)
    if not scored:
        return [
            f"No model has a {metric} yet: nothing that it is made of was scored.",
            *_not_judged(measured),
        ]
    (best, cell), *others = scored
    level_with = [model for model, other in others if other.value == cell.value]
    does = "comes first with" if len(level_with) < len(others) else "reaches"
    together = f", together with {_listed(level_with, len(others))}" if level_with else ""
    by = (
        f", by the {measured.page.judging.given}s of {measured.judge}"
        if measured.other_judges
        else ""
    )
    sentences = [f"In {metric}, {_named(best)} {does} {_value(cell)}{together}{by}."]
    missing = _without_place(measured)
    if not others:
        alone = f"has figures in {metric}" if missing else "was measured on the same questions"
        return [
            *sentences,
            f"No other model {alone}, so nothing can be said about its rank.",
            *missing,
        ]
    lead = {
        comparison.other_model: comparison
        for comparison in overall(measured, measured.headline)
        if comparison.model == best.name
    }
    behind = [model for model, _ in others if _is_ahead(lead.get(model.name))]
    level = [model for model, _ in others if model not in behind and model not in level_with]
    if behind:
        sentences.append(
            f"The lead of {best.name} over {_listed(behind, len(others))} is larger than chance "
            f"readily explains (Holm-adjusted p below {SIGNIFICANT:g})."
        )
    if level:
        sentences.append(_not_shown(best, level, lead, len(others)))
    return [*sentences, *missing]


def _not_judged(measured: Measured) -> list[str]:
    """Say how many answers of models without a headline metric were unscored."""
    rows = [
        row
        for row in measured.unscored
        if row.judge == measured.judge and measured.places.get(row.model, 1) is None
    ]
    return list(unscored_sentences(rows, measured.page.judging))


def _without_place(measured: Measured) -> list[str]:
    """Name the models without the headline metric, with the reason if known."""
    names = [name for name, place in measured.places.items() if place is None]
    if not names:
        return []
    has = "has" if len(names) == 1 else "have"
    metric = measured.page.metric_name(measured.headline)
    return [" ".join([*_not_judged(measured), f"{listed(names)} {has} no {metric} and no place."])]


def overall(measured: Measured, metric: str) -> list[Comparison]:
    """Return a metric's comparisons over all cases, each pair in both directions."""
    found = [row for row in measured.comparisons if row.metric == metric]
    return found + [turned(row) for row in found]


def turned(row: Comparison) -> Comparison:
    """Return the same comparison with the two models swapped."""
    return Comparison(
        metric=row.metric,
        model=row.other_model,
        other_model=row.model,
        n=row.n,
        value=row.other_value,
        other_value=row.value,
        difference=_minus(row.difference),
        ci_low=_minus(row.ci_high),
        ci_high=_minus(row.ci_low),
        p_mcnemar=row.p_mcnemar,
        p_clustered=row.p_clustered,
        p_holm=row.p_holm,
        minimum_detectable_difference=row.minimum_detectable_difference,
    )


def _minus(value: float | None) -> float | None:
    return None if value is None else 0.0 - value


def _scored(measured: Measured, model: Candidate) -> Estimate | None:
    cell = measured.of(model.name, measured.headline)
    return cell if cell is not None and cell.value is not None else None


def _named(model: Candidate) -> str:
    return (
        f"{model.name}, a rule-based baseline and no language model,"
        if model.is_baseline
        else model.name
    )


def _value(cell: Estimate) -> str:
    assert cell.value is not None  # only for a model that is scored
    if cell.ci_low is None or cell.ci_high is None:
        return f"{share(cell.value)}; with so few filings there is no interval"
    return f"{share(cell.value)} (95 % interval {share(cell.ci_low)} to {share(cell.ci_high)})"


def _is_ahead(row: Comparison | None) -> bool:
    return (
        row is not None
        and row.p_holm is not None
        and row.p_holm < SIGNIFICANT
        and row.difference is not None
        and row.difference > 0
    )


def _listed(models: Sequence[Candidate], of: int) -> str:
    names = [model.name for model in models]
    if len(names) > _MOST_NAMED:
        return f"all {of} others" if len(names) == of else f"{len(names)} of the {of} others"
    return listed(names)


def _not_shown(
    best: Candidate, level: Sequence[Candidate], lead: dict[str, Comparison], of: int
) -> str:
    tested = [lead[model.name] for model in level if model.name in lead]
    if not tested:
        return (
            f"Whether {best.name} differs from {_listed(level, of)} could not be tested on these "
            "data."
        )
    known = [
        row.minimum_detectable_difference
        for row in tested
        if row.minimum_detectable_difference is not None
    ]
    differing = f"{best.name} is not shown to differ from {_listed(level, of)}"
    if not known:
        return f"{differing}."
    least, most = f"{min(known):.2f}", f"{max(known):.2f}"
    sizes = least if least == most else f"{least} to {most}"
    subject = "a comparison would" if len(known) == 1 else "each comparison would"
    return (
        f"{differing}: taken alone, before the adjustment for several pairs, {subject} detect a "
        f"difference of {sizes} four times out of five."
    )
