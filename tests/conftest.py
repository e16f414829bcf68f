"""What all tests may need, the rule for tests of shared data, and which files share a worker."""

from __future__ import annotations

import gc
import os
import secrets
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import prefect  # before our flows, so that tests run them by Prefect too
import pytest
from hypothesis import HealthCheck, settings

from tests.once import made_once, started
from tests.servers.s3_server import ENVIRONMENT, s3_server

# The same examples every time, and no limits of time: only a change changes the result, not chance
# and not a busy machine. For new examples: `pytest --hypothesis-profile=new`.
settings.register_profile(
    "same", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("new", deadline=None)
settings.load_profile("same")

# A process of Ray's keeps the first token that it reads. Without this, that is one in the user's
# home, which all test workers would write at once.
os.environ |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}

gc.disable()  # until the tests are collected

SHARED = Path(os.environ.get("TENKBENCH_SHARED", Path(__file__).parents[2] / "shared"))


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real filings and oracles; tests that need it are skipped where it is missing.

    It stands beside the checkout on the project's machines and in CI.
    """
    if not SHARED.is_dir():
        pytest.skip(f"needs the shared test data; no folder {SHARED.name} beside the checkout")
    return SHARED


@pytest.fixture(scope="session")
def prefect_database(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty Prefect database with all its tables, to copy: a server makes one in six seconds.

    Pytest's cache keeps it for the next test runs with this version of Prefect.
    """
    kept = pytestconfig.rootpath / ".pytest_cache" / f"prefect-{prefect.__version__}.db"

    def make(folder: Path) -> None:
        if kept.exists():
            shutil.copy(kept, folder / "prefect.db")
            return
        # without a look for garbage among what is imported, again and again: a fifth of it all
        create = (
            "import gc; gc.disable(); import asyncio; from prefect.server.database import "
            "provide_database_interface as ours; asyncio.run(ours().create_db())"
        )
        environment = {**os.environ, "PREFECT_HOME": str(folder)}
        subprocess.run([sys.executable, "-c", create], env=environment, check=True)
        kept.parent.mkdir(exist_ok=True)
        half_made = kept.with_suffix(f".{os.getpid()}")
        shutil.copy(folder / "prefect.db", half_made)
        os.replace(half_made, kept)

    return made_once(tmp_path_factory, "prefect", make) / "prefect.db"


@pytest.fixture(scope="session")
def s3_endpoint() -> Iterator[str]:
    """Where a local S3 answers."""
    with s3_server() as endpoint:
        yield endpoint


@pytest.fixture
def bucket(s3_endpoint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """`s3://NAME` of an empty bucket in the local S3; the environment names it to all processes."""
    import uuid

    import boto3

    for name, value in {**ENVIRONMENT, "AWS_ENDPOINT_URL": s3_endpoint}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("TENKBENCH_CACHE", str(tmp_path / "cache"))
    name = f"lakes-{uuid.uuid4().hex[:12]}"
    boto3.client("s3").create_bucket(Bucket=name)
    return f"s3://{name}"


@pytest.fixture
def quick_edgar(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Downloads wait for nothing, neither for other tests' runs in the machine's queue."""
    for name in ("SECONDS_BETWEEN", "FIRST_BACKOFF_S", "UNSURE_S"):
        monkeypatch.setattr(f"tasks.filings.edgar.download._{name}", 0.001)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Freeze what collection imported: searching it for garbage would take a seventh more time."""
    gc.freeze()
    gc.set_threshold(50_000)  # a look at each 700 objects takes a thirtieth of all time
    gc.enable()


HERE = Path(__file__).parent
# A Ray cluster starts in ten seconds, LiteLLM is imported in four. A file that uses `ray_cluster`
# must be here: the cluster ends after the last of them.
ON_RAY_OR_LITELLM = (
    "tasks/compute/test_ray.py",
    "tasks/core/test_budget.py",
    "tasks/inference/engines/test_bedrock.py",
    "tasks/inference/engines/test_contract.py",
    "tasks/inference/engines/test_keys.py",
    "tasks/inference/engines/test_litellm.py",
    "tasks/inference/engines/test_vllm.py",
    "tasks/inference/engines/test_vllm_servers.py",
)


def naming(files: str, *words: str) -> list[Path]:
    """Return the test files that have one of these words in them."""
    read = ((file, file.read_text(encoding="utf-8")) for file in HERE.glob(files))
    return [file for file, text in read if any(word in text for word in words)]


@cache
def together() -> dict[str, str]:
    """Map each file that shares a worker with others, as test ids name it, to what they share."""
    files_by = {
        "Prefect's server": naming(
            "flows/**/test_*.py", "prefect_harness", "environment: dict[str, str]"
        ),
        "Ray and LiteLLM": [HERE / name for name in ON_RAY_OR_LITELLM],
        "Chromium": HERE.glob("browser/test_*.py"),
        "real filings as ingest reads them": naming(
            "tasks/**/test_*.py", "(real_filings)", "real_filings: "
        ),
        "the reports of a lake": HERE.glob("tasks/results/report/test_*.py"),
    }
    return {
        str(file.relative_to(HERE.parent)): what
        for what, files in files_by.items()
        for file in files
    }


def shared_by(item: pytest.Item | None) -> str | None:
    """What a test's file shares with others."""
    return item and together().get(item.nodeid.partition("::")[0])


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Let test workers begin with files that share something: the first of them take longest."""
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: shared_by(item) is None)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    """End what a worker's files share after the last of them: an idle Ray takes time, too."""
    yield
    if hasattr(item.config, "workerinput") and shared_by(item) != shared_by(nextitem):
        started.close()


def pytest_sessionfinish() -> None:
    """End it where the tests end early, or are not spread over workers."""
    started.close()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Keep a file's tests on one worker, which starts what they share once."""
    from xdist.scheduler import LoadFileScheduling

    class ByFileAndWhatIsShared(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = super()._split_scope(nodeid)
            return together().get(file, file)

    return ByFileAndWhatIsShared(config, log)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """In CI a test that needs the shared data must not be skipped when the data is there."""
    report = yield
    needs_shared = "shared" in getattr(item, "fixturenames", ())
    if report.skipped and needs_shared and SHARED.is_dir() and os.environ.get("CI"):
        report.outcome = "failed"
        report.longrepr = f"skipped in CI although {SHARED.name} is there: {report.longrepr}"
    return report
