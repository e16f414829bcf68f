"""A lake's journal: in its folder, or in S3 for all machines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tasks.inference import engines
from tasks.inference.cache.response_cache import cache_of, kept_cache
from tasks.lake.lake import Lake
from tasks.models import catalogue
from tasks.models.catalogue import Model
from tasks.pipeline.clients import running
from tasks.pipeline.settings import RunSettings
from tasks.warehouse.connection import open_warehouse
from tests.journals import RESPONSE, add, bought, saying
from tests.scripted import Scripted
from tests.tasks.inference.test_client import asked

ROW = Model(name="bought", engine="bought", description="scripted", prime=False)


@pytest.fixture(params=["folder", "s3"])
def lake(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A lake of either kind."""
    bucket = request.getfixturevalue("bucket") if request.param == "s3" else None
    name = str(tmp_path / "lake") if bucket is None else f"{bucket}/team"
    yield name
    cache_of(name).close()


def test_a_lake_has_one_journal_and_none_before_a_model_is_asked(lake: str) -> None:
    assert cache_of(lake) is cache_of(f"{lake}/")
    assert kept_cache(lake) is None
    assert bought(cache_of(lake)) == []
    assert list(Lake(lake).objects.list("")) == []
    add(cache_of(lake), "k1")
    kept = kept_cache(lake)
    assert kept is not None
    assert kept.find(["k1"]) == {"k1": RESPONSE}


def test_the_purchases_of_a_lake_are_a_table(lake: str) -> None:
    add(cache_of(lake), "k1")
    add(cache_of(lake), "k1", saying("again"))
    with open_warehouse({}, journal=cache_of(lake)) as warehouse:
        rows = warehouse.execute(
            "select key, superseded_at is null from raw.journal order by all"
        ).fetchall()
    assert rows == [("k1", False), ("k1", True)]


def test_what_was_bought_is_not_bought_again_but_afresh_once(
    lake: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    scripted = Scripted(lambda call: "Yes.", model="bought", identity=ROW.identity)
    monkeypatch.setitem(catalogue._packaged(), "bought", ROW)
    monkeypatch.setitem(engines.ENGINES, "bought", lambda model, *given: scripted)
    run = RunSettings(lake=lake, model=("bought",))
    asked(run)
    asked(replace(run, release="2026.11"))
    assert len(scripted.calls) == 3
    fresh = replace(run, fresh=True)
    killed = running(fresh)
    killed.__enter__()
    asked(fresh, 2)  # two of its three calls, then it ends
    assert not killed.__exit__(KeyboardInterrupt, KeyboardInterrupt(), None)
    with running(fresh):
        asked(fresh)
    assert len(scripted.calls) == 6
    asked(run)
    assert len(scripted.calls) == 6
