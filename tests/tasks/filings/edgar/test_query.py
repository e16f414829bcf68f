"""The packaged list of companies."""

from __future__ import annotations

import csv
from pathlib import Path

from tasks.filings.edgar.query import parse_query


def test_sp500_names_the_companies_of_the_index(shared: Path) -> None:
    with (shared / "reference/sp500/constituents.csv").open(encoding="utf-8") as file:
        listed = {str(int(row["CIK"])) for row in csv.DictReader(file)}
    asked = parse_query("edgar:2023", forms="10-K", companies="sp500")
    assert set(asked.companies) == listed
    assert len(asked.companies) == 500
