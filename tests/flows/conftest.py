"""A finished run on the packaged samples, and a Prefect server for tests that need one.

All flow tests of a suite may take ten seconds of processor time: one run on the samples, without a
server, in a fixture of the module, and copies of its lake for tests that change it. Call the verb
that a test is about: half of `benchmark` is `score`.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import cycle
from pathlib import Path

import pytest

from tasks.inference import engines
from tasks.lake.lake import Lake
from tasks.models import catalogue
from tasks.models.catalogue import Model
from tasks.pipeline.resolved import settings_of
from tasks.pipeline.settings import RunSettings
from tests.once import made_once, started
from tests.scripted import Scripted
from tests.without_prefect import flows_as_functions


@pytest.fixture(scope="session")
def prefect_harness(prefect_database: Path) -> None:
    """A temporary Prefect server, once, for tests that are about it: it starts in ten seconds."""
    started.enter_context(prefect_server(prefect_database))


@contextmanager
def prefect_server(database: Path) -> Iterator[None]:
    """Prefect's harness with a copy of a database, and without what no test is about."""
    from prefect import settings
    from prefect.testing import utilities

    def folder_with_database() -> str:
        made = tempfile.mkdtemp()
        shutil.copy(database, Path(made, "prefect-test.db"))
        return made

    # At the end of each flow its heartbeat is waited for, up to a second; each client reads all
    # certificates, although this server is plain HTTP; the server looks whether its database has
    # all tables, and copies the UI.
    quick = {
        settings.PREFECT_FLOWS_HEARTBEAT_FREQUENCY: None,
        settings.PREFECT_API_TLS_INSECURE_SKIP_VERIFY: True,
        settings.PREFECT_SERVER_DATABASE_MIGRATE_ON_START: False,
        settings.PREFECT_SERVER_UI_ENABLED: False,
    }
    with pytest.MonkeyPatch.context() as patched, settings.temporary_settings(quick):
        patched.setattr(utilities, "mkdtemp", folder_with_database)
        with utilities.prefect_test_harness(server_startup_timeout=300):
            yield


@pytest.fixture(params=["on a server", "without Prefect"])
def environment(request: pytest.FixtureRequest) -> dict[str, str]:
    """Variables of a process, once with a Prefect server that shows its runs, once without."""
    url = ""
    if request.param == "on a server":
        request.getfixturevalue("prefect_harness")
        from prefect.settings import PREFECT_API_URL

        url = str(PREFECT_API_URL.value())
    # the second keeps Prefect's own lines out of ours
    ours = {"PREFECT_API_URL": url, "PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL": "CRITICAL"}
    return os.environ | ours


@pytest.fixture
def as_functions() -> Iterator[None]:
    """The test's flows and tasks are the functions that they are."""
    with flows_as_functions():
        yield


@pytest.fixture(autouse=True)
def _without_a_server(request: pytest.FixtureRequest) -> None:
    """Tests of what is in a lake run flows as functions, unless they ask for Prefect's harness."""
    asked_for = set(request.fixturenames)
    if asked_for & {"finished", "copied", "frozen"} and "prefect_harness" not in asked_for:
        request.getfixturevalue("as_functions")


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> RunSettings:
    """The settings of a finished run on the samples; tests that change the lake use a copy."""

    def settings(folder: Path) -> RunSettings:
        return settings_of(
            lake=str(folder / "lake"), pairs=2, judge_repeats=0.25, attacks=True, workers=1
        )

    def make(folder: Path) -> None:
        with flows_as_functions(writes_warehouse=True):
            from flows.benchmark import benchmark

            benchmark(settings(folder))

    return settings(made_once(tmp_path_factory, "finished", make))


@pytest.fixture
def copied(finished: RunSettings, tmp_path: Path) -> RunSettings:
    """The finished run in a lake of the test's own."""
    shutil.copytree(Lake(finished.lake).here, tmp_path / "lake")
    return replace(finished, lake=str(tmp_path / "lake"))


@pytest.fixture(scope="session")
def finished_frozen(finished: RunSettings, tmp_path_factory: pytest.TempPathFactory) -> RunSettings:
    """A finished run in a frozen release; tests use `frozen`, a copy."""
    settings = replace(finished, release="2026.11")

    def make(folder: Path) -> None:
        with flows_as_functions():
            from flows.benchmark import benchmark

            benchmark(replace(settings, lake=str(folder / "lake")))

    return replace(settings, lake=str(made_once(tmp_path_factory, "frozen", make) / "lake"))


@pytest.fixture
def frozen(finished_frozen: RunSettings, tmp_path: Path) -> RunSettings:
    """The frozen release in a lake of the test's own."""
    shutil.copytree(Lake(finished_frozen.lake).here, tmp_path / "lake")
    return replace(finished_frozen, lake=str(tmp_path / "lake"))


@pytest.fixture
def faulty(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Scripted]:
    """Register a scripted model for a test; the ledger keeps its answers if it has an identity."""

    def register(name: str, script: Sequence[str | None], identity: str | None = None) -> Scripted:
        replies = cycle(script)
        engine = Scripted(lambda call: next(replies), model=name, identity=identity)
        model = Model(name=name, engine=name, description="scripted")
        monkeypatch.setitem(catalogue._packaged(), name, model)
        monkeypatch.setitem(engines.ENGINES, name, lambda model, *given: engine)
        return engine

    return register
