"""Lakes drawn from a population whose metrics are known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import duckdb
import numpy as np
from numpy.typing import NDArray

from tasks.core.rows import Metric
from tasks.scoring.comparisons import Paired
from tasks.scoring.counted import Cells, Sums
from tasks.scoring.metrics import metrics_of
from tasks.suites.registry import load_suite
from tasks.warehouse.connection import open_warehouse

ANSWERABLE = ("baseline", "misspelled", "incomplete", "out_of_domain", "ocr")
UNANSWERABLE = ("missing_context", "irrelevant_context")
PERTURBATIONS = ANSWERABLE + UNANSWERABLE
N_PAIRS = 3  # a filing's
N_FIGURES = 4  # that a question asks for

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# A model's share of compliant answers if the context answers, and if it does not, on two kinds of
# filings, drawn in equal parts. Which filings are of which kind is drawn anew for each model.
Kinds = Mapping[str, tuple[float, float]]
KINDS: Kinds = {"easy": (0.95, 0.9), "hard": (0.75, 0.5)}

# Pairs of models with one LLM Compliance, but opposite profiles: what one is robust in, the other
# grounds in.
OPPOSITE: dict[str, tuple[Kinds, Kinds]] = {
    name: ({"easy": easy, "hard": hard}, {"easy": other_easy, "hard": other_hard})
    for name, easy, hard, other_easy, other_hard in (
        ("robust and grounded", (0.97, 0.45), (0.93, 0.35), (0.6783, 0.95), (0.6783, 0.9)),
        ("middling and extreme", (0.93, 0.6), (0.85, 0.5), (0.99, 0.5015), (0.99, 0.5015)),
        ("grounding by filing", (0.95, 0.95), (0.9, 0.2), (0.7819, 0.8), (0.7819, 0.8)),
        ("robust by filing", (0.99, 0.7), (0.6, 0.7), (0.93, 0.643), (0.93, 0.643)),
        ("near 0", (0.9, 0.2), (0.8, 0.15), (0.5556, 0.7), (0.5556, 0.6)),
    )
}
# The same of an F1: one names few figures, the other many, of which more are wrong.
OPPOSITE_FIGURES: dict[str, tuple[Kinds, Kinds]] = {
    "few and many": (
        {"easy": (0.65, 0.02), "hard": (0.55, 0.02)},
        {"easy": (0.98, 0.6415), "hard": (0.95, 0.6415)},
    ),
    "few and all": (
        {"easy": (0.4, 0.0), "hard": (0.3, 0.0)},
        {"easy": (0.7, 1.0), "hard": (0.7, 1.0)},
    ),
}


def drawn_answers(
    n_experiments: int, n_filings: int, chosen: np.random.Generator, models: Sequence[Kinds]
) -> NDArray[np.bool_]:
    """Draw which answers are compliant: (experiments, models, filings, pairs, perturbations)."""
    shape = (n_experiments, len(models), n_filings, N_PAIRS, len(PERTURBATIONS))
    is_hard = chosen.random(shape[:3]) < 0.5
    share = np.empty(shape)
    for number, kinds in enumerate(models):
        for place, name in enumerate(PERTURBATIONS):
            easy, hard = (kinds[kind][name in UNANSWERABLE] for kind in ("easy", "hard"))
            share[:, number, :, :, place] = np.where(is_hard[:, number], hard, easy)[..., None]
    return chosen.random(shape) < share


@dataclass(frozen=True, slots=True)
class Units:
    """Units of a metric that each experiment's models are scored on.

    Attributes:
        numerator, denominator: (experiments, models, units).
        group: each unit's filing.
        donor: the filing that the unit takes something from; -1 for none.
    """

    numerator: Floats
    denominator: Floats
    group: Ints
    donor: Ints


def answered(
    n_experiments: int, n_filings: int, chosen: np.random.Generator, models: Sequence[Kinds]
) -> dict[str, Units]:
    """Draw the units of FailSafeQA's metrics; compliance is that of answers under `ocr`."""
    is_right = drawn_answers(n_experiments, n_filings, chosen, models)
    by_metric = {
        "compliance": is_right[..., PERTURBATIONS.index("ocr")],
        "robustness": is_right[..., : len(ANSWERABLE)].all(axis=-1),
        "context_grounding": is_right[..., len(ANSWERABLE) :],
    }
    found = {}
    for metric, scores in by_metric.items():
        of_filing = scores.reshape(*scores.shape[:3], -1)
        group = np.repeat(np.arange(n_filings), of_filing.shape[-1])
        top = of_filing.reshape(*of_filing.shape[:2], -1).astype(np.float64)
        found[metric] = Units(top, np.ones_like(top), group, np.full_like(group, -1))
    return found


def figures_found(
    n_experiments: int, n_filings: int, chosen: np.random.Generator, models: Sequence[Kinds]
) -> dict[str, Units]:
    """Draw the units of an F1: three questions of each filing ask for four figures each.

    A kind has the share of these that is found, and the wrong figures given per figure asked for.
    """
    is_hard = chosen.random((n_experiments, len(models), n_filings)) < 0.5
    easy, hard = (
        np.array([kinds[kind] for kinds in models]).T[..., None] for kind in ("easy", "hard")
    )
    true, wrong = (
        chosen.binomial(N_FIGURES, np.repeat(share, N_PAIRS, axis=-1)).astype(np.float64)
        for share in (np.where(is_hard, hard[place], easy[place]) for place in (0, 1))
    )
    group = np.repeat(np.arange(n_filings), N_PAIRS)
    # 2 TP + FP + FN, of which TP + FN are the figures asked for
    return {"f1": Units(2 * true, true + wrong + N_FIGURES, group, np.full_like(group, -1))}


@dataclass(frozen=True, slots=True)
class Leaning:
    """How a model's log odds of a right answer vary around their mean: by filing and by donor."""

    by_own: float
    by_donor: float
    mean: float = 0.0

    @property
    def share(self) -> float:
        """The share of right answers."""
        nodes, weights = np.polynomial.hermite_e.hermegauss(80)
        logits = self.mean + np.hypot(self.by_own, self.by_donor) * nodes
        return float(np.sum(weights / (1 + np.exp(-logits))) / weights.sum())


def with_donors(
    n_experiments: int, n_filings: int, chosen: np.random.Generator, models: Sequence[Leaning]
) -> dict[str, Units]:
    """Draw the units of a share: each filing has two, whose donors are two other filings."""
    steps = (3, 7)
    group = np.repeat(np.arange(n_filings), len(steps))
    donor = (group + np.tile(steps, n_filings)) % n_filings
    deviates = chosen.normal(size=(2, n_experiments, len(models), n_filings))
    own, given, mean = (
        np.array([getattr(model, name) for model in models])[:, None]
        for name in ("by_own", "by_donor", "mean")
    )
    logits = mean + own * deviates[0][..., group] + given * deviates[1][..., donor]
    top = (chosen.logistic(size=logits.shape) < logits).astype(np.float64)
    return {"share": Units(top, np.ones_like(top), group, donor)}


def measured(units: Mapping[str, Units], n_filings: int) -> list[Metric]:
    """Score each model `m<number>` of each experiment, its judge `j<number>`."""
    with scoreable(units, n_filings) as warehouse:
        return metrics_of(warehouse, load_suite("failsafeqa"), "dev", options={"beta": 0.5})


@contextmanager
def scoreable(units: Mapping[str, Units], n_filings: int) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a warehouse with these units in place of a lake's; the only slice is `overall`.

    A unit whose denominator is nan is unscored.
    """
    with open_warehouse({}) as warehouse:
        for relation in ("staging.pairs", "staging.subjects", "suites.units"):
            warehouse.execute(f"drop view {relation}")
        warehouse.execute(f"create table staging.pairs as {_PAIRS_OF_FILINGS}", [n_filings])
        warehouse.execute(f"create table staging.subjects ({_SUBJECTS})")
        warehouse.execute(f"create table suites.units ({_UNITS})")
        for metric, of_metric in units.items():
            shape = of_metric.numerator.shape
            experiment, model, unit = (axis.ravel() for axis in np.indices(shape))
            drawn = {
                "experiment": experiment,
                "model_number": model,
                "unit": unit,
                "filing": of_metric.group[unit],
                "donor": of_metric.donor[unit],
                "top": of_metric.numerator.ravel(),
                "bottom": of_metric.denominator.ravel(),
            }
            warehouse.register("drawn", drawn)
            warehouse.execute(f"insert into staging.subjects by name {_NEW_SUBJECTS}", [metric])
            warehouse.execute(f"insert into suites.units by name {_NEW_UNITS}", [metric, metric])
            warehouse.unregister("drawn")
        warehouse.execute(
            "insert into raw.judgements by name select distinct release, suite, model, judge "
            "from suites.units"
        )
        yield warehouse


_PAIRS_OF_FILINGS = """
    select 'dev' as release, 'failsafeqa' as suite, 'p' || number as qa_pair_id, 'qa' as task,
    number as pair_number, number as group_number, null::varchar as fiscal_year,
    null::varchar as format, null::varchar as sector, null::varchar as context_tokens,
    null::varchar as answer_position, null::date as filed_date
    from (select unnest(range(?)) as number)"""
_SUBJECTS = """release text, suite text, subject_id text, pair_number bigint, group_number bigint,
    donor_group_number bigint, variant text, task text, is_answerable boolean,
    traits map(text, text), case_ids text[]"""
_UNITS = """suite text, release text, case_id text, model text, other_model text, judge text,
    metric text, numerator double, denominator double"""
_NEW_SUBJECTS = """
    select distinct 'failsafeqa' as suite, 'dev' as release, ? || unit as subject_id,
    filing as pair_number, filing as group_number, nullif(donor, -1) as donor_group_number,
    true as is_answerable from drawn"""
_NEW_UNITS = """
    select 'failsafeqa' as suite, 'dev' as release, ? || unit as case_id,
    'm' || model_number as model, 'j' || experiment as judge, ? as metric,
    if(isnan(bottom), null, top) as numerator, if(isnan(bottom), null, bottom) as denominator
    from drawn"""


def paired(metric: str, units: Units, n_filings: int) -> Paired:
    """Pair the first two models of each experiment: experiments stand where models do."""
    one, other = units.numerator[:, 0], units.numerator[:, 1]
    n_experiments, n_units = one.shape
    only = None
    if (units.denominator == 1).all():
        only = ((one > other).sum(axis=1), (one < other).sum(axis=1))
    one_of_all, other_of_all = (
        Cells(
            _summed(units.numerator[:, side], units, n_filings),
            _summed(units.denominator[:, side], units, n_filings),
            n=np.full(n_experiments, n_units),
            n_groups=np.full(n_experiments, len(np.unique(units.group))),
            is_share=np.full(n_experiments, only is not None),
            is_bounded=np.full(n_experiments, True),
        )
        for side in (0, 1)
    )
    return Paired(
        judge="j",
        metric=metric,
        slice_by="overall",
        slice_value="all",
        pairs=tuple((f"{number}, m0", f"{number}, m1") for number in range(n_experiments)),
        one=one_of_all,
        other=other_of_all,
        only=only,
    )


def _summed(amounts: Floats, units: Units, n_filings: int) -> Sums:
    has_donor = units.donor >= 0
    pairs = units.group * n_filings + units.donor
    return Sums(
        _by_row(amounts, units.group, n_filings),
        _by_row(amounts[:, has_donor], units.donor[has_donor], n_filings),
        _by_row(amounts[:, has_donor], *_numbered(pairs[has_donor])),
    )


def _numbered(keys: Ints) -> tuple[Ints, int]:
    found, place = np.unique(keys, return_inverse=True)
    return place, len(found)


def _by_row(amounts: Floats, row: Ints, n_rows: int) -> Floats:
    return np.eye(n_rows)[row].T @ amounts.T


def population(kinds: Kinds = KINDS) -> dict[str, float]:
    """Return the metrics of a model's whole population; compliance is the baseline's."""
    holds = [answerable ** len(ANSWERABLE) for answerable, _ in kinds.values()]
    robustness = sum(holds) / len(kinds)
    grounding = sum(refuses for _, refuses in kinds.values()) / len(kinds)
    return {
        "compliance": sum(answerable for answerable, _ in kinds.values()) / len(kinds),
        "robustness": robustness,
        "context_grounding": grounding,
        "llmc": 1.25 * robustness * grounding / (0.25 * grounding + robustness),
    }


def f1_of(kinds: Kinds) -> float:
    """Return the F1 of a model's whole population, see `figures_found`."""
    found, wrong = (float(np.mean([kind[place] for kind in kinds.values()])) for place in (0, 1))
    return 2 * found / (found + wrong + 1)
