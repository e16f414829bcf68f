"""One Prefect harness for all flows, and one finished run on the packaged samples."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tasks.settings import RunSettings
from tasks.store import Lake


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

    shutil.copytree(Lake(finished.lake).root, tmp_path / "lake")
    return replace(finished, lake=str(tmp_path / "lake"))
