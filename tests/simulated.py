"""Lakes drawn from a population whose metrics are known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import duckdb
import numpy as np
from numpy.typing import NDArray

from tasks.suites.registry import SUITES
from tasks.warehouse.connection import open_warehouse

ANSWERABLE = ("baseline", "misspelled", "incomplete", "out_of_domain", "ocr")
UNANSWERABLE = ("missing_context", "irrelevant_context")
PERTURBATIONS = ANSWERABLE + UNANSWERABLE
N_PAIRS = 3  # a filing's

# A model's share of compliant answers if the context answers, and if it does not, on two kinds of
# filings, drawn in equal parts. Which filings are of which kind is drawn anew for each model.
Kinds = Mapping[str, tuple[float, float]]
KINDS: Kinds = {"easy": (0.95, 0.9), "hard": (0.75, 0.5)}


def simulated(
    folder: Path, n_experiments: int, n_filings: int, seed: int, models: Sequence[Kinds] = (KINDS,)
) -> dict[str, list[str]]:
    """Simulate experiments on the same cases, each with a judge `j<number>` and models `m<number>`.

    Returns the lake's files by table, as the warehouse takes them.
    """
    is_right = drawn_answers(n_experiments, n_filings, np.random.default_rng(seed), models)
    experiment, model, filing, pair, place = (axis.ravel() for axis in np.indices(is_right.shape))
    drawn = {
        "experiment": experiment,
        "model": model,
        "filing": filing,
        "pair": pair,
        "place": place,
        "rating": np.where(is_right, 5, 1).ravel(),
    }
    with duckdb.connect() as connection:
        connection.register("drawn", drawn)
        connection.execute(
            "create table cells as select *, filing || '/' || pair as pair_id from drawn"
        )
        return {
            table: [_written(connection, folder, table, query)] for table, query in _TABLES.items()
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


def open_simulated(
    populations: Mapping[str, Sequence[Kinds]], n_experiments: int, n_filings: int, seed: int
) -> duckdb.DuckDBPyConnection:
    """Open a warehouse with given scores of each filing, which is quicker than judging answers.

    Each population's models are a release of its name, its experiments judges. The only slice is
    `overall`, in which compliance is that of answers under `ocr`.
    """
    chosen = np.random.default_rng(seed)
    warehouse = open_warehouse({})
    warehouse.execute(
        "create table scores (release text, metric text, judge text, "
        "model text, filing int, unit int, score int)"
    )
    for release, models in populations.items():
        is_right = drawn_answers(n_experiments, n_filings, chosen, models)
        for metric, scores in _scored(is_right).items():
            experiment, model, filing, unit = (axis.ravel() for axis in np.indices(scores.shape))
            drawn = {"experiment": experiment, "model": model, "filing": filing, "unit": unit}
            warehouse.register("drawn", {**drawn, "score": scores.ravel().astype(int)})
            warehouse.execute(
                f"""insert into scores
                select '{release}', '{metric}', 'j' || experiment, 'm' || model, filing, unit, score
                from drawn"""
            )
            warehouse.unregister("drawn")
    for relation, query in _GIVEN.items():
        warehouse.execute(f"drop view {relation}")
        warehouse.execute(f"create table {relation} as {query}")
    return warehouse


def _scored(is_right: NDArray[np.bool_]) -> dict[str, NDArray[np.bool_]]:
    """Return each metric's scores: (experiments, models, filings, the metric's units)."""
    by_metric = {
        "compliance": is_right[..., PERTURBATIONS.index("ocr")],
        "robustness": is_right[..., : len(ANSWERABLE)].all(axis=-1),
        "context_grounding": is_right[..., len(ANSWERABLE) :],
    }
    return {metric: scores.reshape(*is_right.shape[:3], -1) for metric, scores in by_metric.items()}


# relations as the given scores make them
_GIVEN = {
    "staging.pairs": """select distinct release, 'failsafeqa' as suite, filing as group_number
        from scores""",
    "failsafeqa.sums": """select 'failsafeqa' as suite, release, model, judge, metric,
        'overall' as slice, filing as group_number, count(*) as n, 0 as n_unscored,
        sum(score) as total, count(*) as size, true as is_share from scores group by all""",
    "staging.paired_sums": """select 'failsafeqa' as suite, release, release as other_release,
        judge, metric, 'overall' as slice, scores.model, other.model as other_model,
        filing as group_number, count(*) as n, sum(scores.score) as total,
        sum(other.score) as other_total,
        count(*) filter (where scores.score > other.score) as n_only_model,
        count(*) filter (where scores.score < other.score) as n_only_other
        from scores join scores as other using (release, metric, judge, filing, unit)
        where scores.model < other.model group by all""",
    # each release's filings are its own
    "staging.shared_sums": "from staging.paired_sums where false",
    # nothing is simulated of other suites
    **{
        f"{suite}.sums": "from failsafeqa.sums where false"
        for suite in SUITES
        if suite != "failsafeqa"
    },
}


def _written(connection: duckdb.DuckDBPyConnection, folder: Path, table: str, query: str) -> str:
    path = folder / table / "release=dev" / "suite=failsafeqa" / "part-00000.parquet"
    path.parent.mkdir(parents=True)
    connection.execute(f"copy ({query}) to '{path}' (format parquet)")
    return str(path)


_TABLES = {
    "judgements": """select experiment || '/' || model || '/' || pair_id || '/' || place
        as judgement_id, '' as request_id, pair_id || '/' || place as case_id,
        'm' || model as model, 'j' || experiment as judge, 0::bigint as repeat,
        rating::bigint as rating, null::varchar as unscored_reason, null::varchar as rationale,
        null::varchar as judge_request_id from cells""",
    "cases": f"""select distinct pair_id || '/' || place as case_id, pair_id as qa_pair_id,
        'failsafeqa' as suite, {list(PERTURBATIONS)}[place + 1] as variant, '' as query,
        'of ' || filing as context_id, '' as target, place < 5 as is_answerable,
        '{{}}' as details from cells""",
    "qa_pairs": """select distinct pair_id as qa_pair_id, 'of ' || filing as context_id,
        '' as query, '' as answer, 'qa' as task,
        []::struct(start_char bigint, end_char bigint, quote varchar)[] as citations,
        '' as citation_text, 5::bigint as quality, '' as query_verb, '' as query_object,
        '' as verb_method from cells""",
}


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
