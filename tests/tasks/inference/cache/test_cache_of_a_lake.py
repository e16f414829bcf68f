"""A lake's journal: in its folder, or in S3 for all machines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tasks.inference.cache.response_cache import cache_of, kept_cache
from tasks.lake.lake import Lake
from tasks.warehouse.connection import open_warehouse
from tests.journals import RESPONSE, add, bought, saying


@pytest.fixture(params=["folder", "s3"])
def lake(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Lake]:
    """A lake of either kind."""
    bucket = request.getfixturevalue("bucket") if request.param == "s3" else None
    lake = Lake(str(tmp_path / "lake") if bucket is None else f"{bucket}/team")
    yield lake
    cache_of(lake).close()


def test_a_lake_has_one_journal_and_none_before_a_model_is_asked(lake: Lake) -> None:
    assert cache_of(lake) is cache_of(Lake(f"{lake.url}/"))
    assert kept_cache(lake) is None
    assert bought(cache_of(lake)) == []
    assert list(lake.objects.list("")) == []
    add(cache_of(lake), "k1")
    kept = kept_cache(lake)
    assert kept is not None
    assert kept.find(["k1"]) == {"k1": RESPONSE}


def test_the_purchases_of_a_lake_are_a_table(lake: Lake) -> None:
    add(cache_of(lake), "k1")
    add(cache_of(lake), "k1", saying("again"))
    with open_warehouse({}, journal=cache_of(lake)) as warehouse:
        rows = warehouse.execute(
            "select key, superseded_at is null from raw.journal order by all"
        ).fetchall()
    assert rows == [("k1", False), ("k1", True)]
