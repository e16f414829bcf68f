"""The same metrics by pandas and numpy, as an analyst would compute them.

`python tests/bench/statistics/by_pandas.py PARTS.json OUT`

What pandas is slow at is avoided: texts are categories before anything is grouped, unneeded columns
are not read, and the bootstrap is one product of matrices, which numpy spreads over the processors.
Bounds for what is unscored are left out, and draws are numpy's own.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import expit, logit
from scipy.stats import t

ANSWERABLE = ["baseline", "misspelled", "incomplete", "out_of_domain", "ocr"]
DIVISIONS = [0, 1000, 1500, 1800, 2000, 4000, 5000, 5200, 6000, 6800, 7000, 9000, 10_000]
SECTORS = [
    *(
        "agriculture",
        "mining",
        "construction",
        "unknown",
        "manufacturing",
        "transportation and utilities",
    ),
    *("wholesale", "retail", "finance", "unknown", "services", "public administration and other"),
]
BANDS = ["below 8k", "8k to 16k", "16k to 24k", "24k and more"]
THIRDS = ["first third", "middle third", "last third"]
N_REPLICATES, N_GROUPS = 1_000, 256
CANDIDATE = ["model", "judge"]
BETA = 0.5


def main(parts: dict[str, list[str]], cutoffs: dict[str, str], out: Path) -> None:
    pairs = described_pairs(parts)
    judged = judged_cases(parts, pairs)
    drawn = np.random.default_rng(0).multinomial(
        N_GROUPS, np.full(N_GROUPS, 1 / N_GROUPS), size=N_REPLICATES
    )
    cells = [
        *shares("compliance", judged, sliced(judged, cutoffs), drawn),
        *shares("compliance", judged, perturbed(judged), drawn),
        *shares(
            "robustness", robust := robust_pairs(judged, pairs), sliced(robust, cutoffs), drawn
        ),
        *shares(
            "context_grounding",
            refused := judged[~judged.is_answerable],
            sliced(refused, cutoffs),
            drawn,
        ),
        *shares("context_grounding", refused, perturbed(refused), drawn),
    ]
    rows = [row[:-1] for row in cells] + list(llm_compliance(cells))
    pd.DataFrame(
        rows, columns=[*CANDIDATE, "metric", "slice", "n", "value", "low", "high"]
    ).to_parquet(out)


def read(parts: dict[str, list[str]], table: str, columns: list[str]) -> pd.DataFrame:
    return pd.read_parquet(parts[table], columns=columns, partitioning=None)


def described_pairs(parts: dict[str, list[str]]) -> pd.DataFrame:
    """One row per pair with what it can be sliced by."""
    pairs = read(parts, "qa_pairs", ["qa_pair_id", "context_id", "task", "citations"])
    contexts = read(
        parts, "contexts", ["context_id", "document_ids", "n_tokens", "start_char", "details"]
    ).explode("document_ids")
    documents = read(parts, "documents", ["document_id", "filing_id"])
    filings = read(parts, "filings", ["filing_id", "sic", "period_end", "filed_date", "format"])
    pairs = (
        pairs.merge(contexts, on="context_id")
        .merge(documents, left_on="document_ids", right_on="document_id")
        .merge(filings, on="filing_id")
    )
    first = pairs.citations.map(
        lambda citations: min(citation["start_char"] for citation in citations)
    )
    n_chars = pairs.details.map(lambda details: json.loads(details)["n_chars"])
    described = pd.DataFrame(
        {
            "qa_pair_id": pairs.qa_pair_id,
            "task": pairs.task,
            "fiscal_year": pd.to_datetime(pairs.period_end).dt.year.astype(str),
            "format": pairs.format,
            "sector": pd.cut(
                pairs.sic.astype(int), DIVISIONS, right=False, labels=SECTORS, ordered=False
            ),
            "context_tokens": pd.cut(
                pairs.n_tokens, [0, 8_000, 16_000, 24_000, np.inf], right=False, labels=BANDS
            ),
            "answer_position": pd.cut(
                (first - pairs.start_char) / n_chars,
                [0, 1 / 3, 2 / 3, 1],
                right=False,
                labels=THIRDS,
            ),
            "filed_date": pd.to_datetime(pairs.filed_date),
            "group": pairs.filing_id.factorize()[0] % N_GROUPS,
        }
    )
    return described.astype(dict.fromkeys(("task", "fiscal_year", "format", "sector"), "category"))


def judged_cases(parts: dict[str, list[str]], pairs: pd.DataFrame) -> pd.DataFrame:
    """One row per judgement with its case and pair."""
    cases = read(parts, "cases", ["case_id", "qa_pair_id", "variant", "is_answerable"])
    cases = cases.astype({"variant": "category"}).merge(
        pairs.reset_index(names="pair"), on="qa_pair_id"
    )
    judged = read(parts, "judgements", ["case_id", *CANDIDATE, "rating"])
    judged = judged.astype(dict.fromkeys(CANDIDATE, "category"))
    judged = judged.merge(cases.drop(columns="qa_pair_id"), on="case_id").drop(columns="case_id")
    judged["score"] = (judged.rating >= 4).astype(float).where(judged.rating.notna())
    return judged


def robust_pairs(judged: pd.DataFrame, pairs: pd.DataFrame) -> pd.DataFrame:
    """One row per model and pair; here every pair has all five cases."""
    by_pair = judged[judged.is_answerable].groupby([*CANDIDATE, "pair"], observed=True).score
    found = by_pair.agg(["min", "count"]).reset_index()
    found["score"] = found["min"].where((found["min"] == 0) | (found["count"] == len(ANSWERABLE)))
    return found.merge(pairs, left_on="pair", right_index=True)


def sliced(units: pd.DataFrame, cutoffs: dict[str, str]) -> list[pd.Series]:
    """Columns of slices: each unit's slice in each of them, null where it lies in none."""
    columns = [pd.Series("overall", index=units.index, dtype="category")]
    for trait in ("task", "fiscal_year", "format", "sector", "context_tokens"):
        columns.append(named(trait, units[trait]))
    position = named("answer_position", units.answer_position)
    columns.append(position.where(units.is_answerable) if "is_answerable" in units else position)
    cutoff = pd.to_datetime(units.model.map(cutoffs).astype(object))
    filed = pd.Series(
        np.where(units.filed_date <= cutoff, "filed=before cutoff", "filed=after cutoff"),
        index=units.index,
    )
    columns.append(filed.where(cutoff.notna()).astype("category"))
    return columns


def perturbed(units: pd.DataFrame) -> list[pd.Series]:
    variant = named("variant", units.variant)
    both = variant.cat.codes.to_numpy() * 2 + (units.task == "tg").to_numpy()
    names = [f"{name},task={task}" for name in variant.cat.categories for task in ("qa", "tg")]
    return [variant, pd.Series(pd.Categorical.from_codes(both, names), index=units.index)]


def named(trait: str, values: pd.Series) -> pd.Series:
    """A category per value, `trait=value`."""
    categories = values.astype("category").cat
    return categories.rename_categories(
        {value: f"{trait}={value}" for value in categories.categories}
    )


def shares(metric: str, units: pd.DataFrame, columns: list[pd.Series], drawn: np.ndarray):
    """Yield each cell's (model, judge, metric, slice, n, value, low, high, replicates)."""
    for column in columns:
        if metric == "context_grounding" and column.name == "answer_position":
            continue
        keys = [*(units[name] for name in CANDIDATE), column.rename("slice"), units.group]
        sums = units.score.groupby(keys, observed=True).agg(["count", "sum"])
        n = sums["count"].unstack(fill_value=0).reindex(columns=range(N_GROUPS), fill_value=0)
        total = sums["sum"].unstack(fill_value=0).reindex(columns=range(N_GROUPS), fill_value=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            replicates = (total.to_numpy() @ drawn.T) / (n.to_numpy() @ drawn.T)
        deviations = np.nanstd(replicates, axis=1)
        for place, (model, judge, slice_) in enumerate(n.index):
            counts = n.to_numpy()[place]
            value = total.to_numpy()[place].sum() / counts.sum()
            low, high = interval(value, deviations[place], (counts > 0).sum())
            yield model, judge, metric, slice_, counts.sum(), value, low, high, replicates[place]


def interval(value: float, deviation: float, n_groups: int) -> tuple[float, float]:
    standard_error = deviation * np.sqrt(n_groups / (n_groups - 1))
    reach = t.ppf(0.975, n_groups - 1) * standard_error / (value * (1 - value))
    return expit(logit(value) - reach), expit(logit(value) + reach)


def llm_compliance(cells: list[tuple]):
    """Cells of LLM Compliance, of those that have both of its parts."""
    grounding = {(*cell[:2], cell[3]): cell for cell in cells if cell[2] == "context_grounding"}
    for cell in cells:
        other = grounding.get((*cell[:2], cell[3]))
        if cell[2] == "robustness" and other is not None:
            r, g = np.append(cell[8], cell[5]), np.append(other[8], other[5])
            *replicates, value = (1 + BETA**2) * r * g / (BETA**2 * g + r)
            low, high = interval(value, np.nanstd(replicates), N_GROUPS)
            yield *cell[:2], "llmc", cell[3], min(cell[4], other[4]), value, low, high


if __name__ == "__main__":
    given = json.loads(Path(sys.argv[1]).read_text())
    main(given, given.pop("cutoffs"), Path(sys.argv[2]))
