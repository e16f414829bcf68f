"""One Prefect harness for all flows, and one finished run on the packaged samples."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import cycle
from pathlib import Path

import pytest

from tasks import engines, models
from tasks.models import Model
from tasks.settings import RunSettings
from tasks.store import Lake
from tests.scripted import Scripted


@pytest.fixture(scope="session")
def prefect_harness() -> Iterator[None]:
    """A temporary Prefect database and server; starting it takes some ten seconds, so once."""
    from prefect import settings
    from prefect.testing.utilities import prefect_test_harness

    # At the end of each flow its heartbeat is waited for, up to a second; each client reads all
    # certificates, although this server is plain HTTP. No test is about either.
    quick = {
        settings.PREFECT_FLOWS_HEARTBEAT_FREQUENCY: None,
        settings.PREFECT_API_TLS_INSECURE_SKIP_VERIFY: True,
    }
    with settings.temporary_settings(quick), prefect_test_harness(server_startup_timeout=120):
        yield


@pytest.fixture(scope="session")
def finished(prefect_harness: None, tmp_path_factory: pytest.TempPathFactory) -> RunSettings:
    """The settings of a finished run on the samples; tests that change the lake use a copy."""
    from flows.benchmark import benchmark

    lake = tmp_path_factory.mktemp("finished") / "lake"
    settings = RunSettings(lake=str(lake), pairs=2, judge_repeats=0.25, workers=1)
    benchmark(settings)
    return settings


@pytest.fixture
def copied(finished: RunSettings, tmp_path: Path) -> RunSettings:
    """The finished run in a lake of the test's own."""
    import shutil
    from dataclasses import replace

    shutil.copytree(Lake(finished.lake).here, tmp_path / "lake")
    return replace(finished, lake=str(tmp_path / "lake"))


@pytest.fixture
def faulty(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Scripted]:
    """Register a scripted model for one test; with an identity its answers are kept by the ledger."""

    def register(name: str, script: Sequence[str | None], identity: str | None = None) -> Scripted:
        replies = cycle(script)
        engine = Scripted(lambda call: next(replies), model=name, identity=identity)
        model = Model(name=name, engine=name, description="scripted")
        monkeypatch.setitem(models._packaged(), name, model)
        monkeypatch.setitem(engines.ENGINES, name, lambda model, operations, workers: engine)
        return engine

    return register
