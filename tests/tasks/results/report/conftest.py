"""An invented lake, asked once for all tests of the report."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tasks.lake.lake import Lake
from tasks.results.report.gather import gather, measured_of
from tasks.results.report.measured import Measured, Reports
from tasks.suites.registry import load_suite
from tasks.warehouse.connection import open_warehouse
from tests.invented_lake import RELEASE, SUITE, Invented, invent


@pytest.fixture(scope="session")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    """Three models, one of them the baseline, on eight filings."""
    return invent(
        tmp_path_factory.mktemp("invented") / "lake", Invented(n_filings=8, pairs_per_filing=4)
    )


@pytest.fixture(scope="session")
def warehouse(lake: Lake) -> Iterator[Any]:
    with open_warehouse(lake.files(RELEASE), parameters={"beta": 0.5}) as connection:
        yield connection


@pytest.fixture(scope="session")
def reports(warehouse: Any) -> Reports:
    return gather(warehouse, load_suite(SUITE), RELEASE, ["judge-72b"], {})


@pytest.fixture(scope="session")
def measured(reports: Reports) -> Measured:
    return measured_of(
        reports, load_suite(SUITE), RELEASE, judges=["judge-72b"], parameters={"beta": 0.5}
    )
