"""Models with a known fault: it shows in the figures that are about it, and in no other."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import duckdb
import pytest

from tests.haystacks import N_ARTICLES, Haystacks, ids
from tests.sql.conftest import HandmadeLake

# number of an article -> kind and reason of a hard negative
Negatives = dict[int, tuple[str, str]]


@dataclass(frozen=True)
class Seen:
    """What a scripted model sees of a haystack."""

    needles: Sequence[int]
    negatives: Negatives

    def of(self, kind: str) -> list[int]:
        return [number for number, (found, _) in self.negatives.items() if found == kind]


MODELS: dict[str, Callable[[Seen], str]] = {
    "sound": lambda seen: ids(seen.needles),
    "misses the last third": lambda seen: ids(
        each for each in seen.needles if each <= 2 * N_ARTICLES / 3
    ),
    "adds natural negatives": lambda seen: ids(
        [*seen.needles, *(seen.of("natural") if seen.needles else ())]
    ),
    "adds induced negatives": lambda seen: ids(
        [*seen.needles, *(seen.of("induced") if seen.needles else ())]
    ),
    "repeats": lambda seen: ids([*seen.needles, *seen.needles[-1:] * 10]),
    "talks": lambda seen: f"Here you are: {ids(seen.needles)}",
    "answers zero-needle records": lambda seen: ids(seen.needles or [101]),
    "invents": lambda seen: ids([*seen.needles, 4711] if seen.needles else []),
}
# figure -> its value for a sound model
SOUND = {
    "recall in the first two thirds": 1.0,
    "recall in the last third": 1.0,
    "precision": 1.0,
    "natural negatives taken": 0.0,
    "induced negatives taken": 0.0,
    "degenerate": 0.0,
    "invalid": 0.0,
    "empty replies without needles": 1.0,
    "false positives without needles": 0.0,
}
FAULTS: dict[str, dict[str, float]] = {
    "sound": {},
    "misses the last third": {"recall in the last third": 0.0},
    "adds natural negatives": {"precision": 0.5, "natural negatives taken": 0.5},
    "adds induced negatives": {"precision": 0.5, "induced negatives taken": 0.5},
    "repeats": {"degenerate": 0.5},
    "talks": {"invalid": 1.0},
    "answers zero-needle records": {
        "empty replies without needles": 0.0,
        "false positives without needles": 1.0,
    },
    "invents": {"precision": 0.75},
}


@pytest.fixture(scope="module")
def connection(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    lake = HandmadeLake(tmp_path_factory.mktemp("lake"))
    haystacks, drawn = Haystacks(lake, n_queries=4), random.Random(5)
    for number in range(8):
        # one needle in the last third; none is near its start
        needles = [drawn.randint(1, 30), drawn.randint(31, 60), drawn.randint(75, 100)]
        others = [each for each in range(1, N_ARTICLES + 1) if each not in needles]
        negatives: Negatives = {
            place: ("natural", "similar name") if at < 3 else ("induced", "other time")
            for at, place in enumerate(drawn.sample(others, 6))
        }
        for shown in (needles, []):
            case = haystacks.add(number=number, needles=shown, negatives=negatives)
            for model, replies in MODELS.items():
                haystacks.reply(case, replies(Seen(shown, negatives)), model=model)
    with lake.open() as opened:
        yield opened


def figures(connection: duckdb.DuckDBPyConnection, model: str) -> dict[str, float]:
    """Return what metrics and reports say of a model, by the strict reader."""

    def one(query: str) -> float:
        ((found,),) = connection.execute(query, {"model": model}).fetchall()
        return float(found or 0)

    of = "where model = $model and judge = 'strict'"
    metric = f"select value from longcontext.metrics {of} and slice_by = 'overall' and metric ="
    recall = (
        "select sum(numerator) / sum(denominator) from staging.units "
        f"{of} and metric = 'recall' and traits['depth']"
    )
    taken = f"select taken_share from longcontext.negatives {of} and reason = 'all' and kind ="
    return {
        "recall in the first two thirds": one(f"{recall} < '60'"),
        "recall in the last third": one(f"{recall} >= '70'"),
        "precision": one(f"{metric} 'precision'"),
        "natural negatives taken": one(f"{taken} 'natural'"),
        "induced negatives taken": one(f"{taken} 'induced'"),
        "degenerate": one(f"{metric} 'degenerate'"),
        "invalid": one(f"{metric} 'invalid'"),
        "empty replies without needles": one(f"{metric} 'empty'"),
        "false positives without needles": one(f"{metric} 'false_positives'"),
    }


@pytest.mark.parametrize("model", MODELS)
def test_a_fault_shows_in_its_figures_and_in_no_other(
    connection: duckdb.DuckDBPyConnection, model: str
) -> None:
    assert figures(connection, model) == pytest.approx({**SOUND, **FAULTS[model]})
