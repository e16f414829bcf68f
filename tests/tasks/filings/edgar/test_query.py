"""The packaged list of companies, and the sectors that metrics are sliced by."""

from __future__ import annotations

import csv
from importlib.resources import files
from pathlib import Path

import duckdb

from tasks.filings.edgar.query import SECTORS, parse_query


def test_sp500_names_the_companies_of_the_index(shared: Path) -> None:
    with (shared / "reference/sp500/constituents.csv").open(encoding="utf-8") as file:
        listed = {str(int(row["CIK"])) for row in csv.DictReader(file)}
    asked = parse_query("edgar:2023", forms="10-K", companies="sp500")
    assert set(asked.companies) == listed
    assert len(asked.companies) == 500


def test_named_sectors_are_the_slices_of_metrics() -> None:
    connection = duckdb.connect()
    connection.execute(
        (files("sql") / "macros" / "sector.sql").read_text().replace("macros.sector", "sector")
    )
    sliced = dict(
        connection.execute(
            "select format('{:04d}', i), sector(format('{:04d}', i)) from range(10000) r(i)"
        ).fetchall()
    )
    for name, (first, last) in SECTORS.items():
        codes = [code for code, sector in sliced.items() if sector == name]
        assert (int(min(codes)), int(max(codes)), len(codes)) == (first, last, last - first + 1)
    assert {*sliced.values()} == {*SECTORS, "unknown"}
