"""Sectors are those that `--sectors` names and that SQL slices by."""

from __future__ import annotations

from importlib import resources

import duckdb
import pytest

from tasks.suites.refusalbench.base.questions import sector_of

SICS = [None, "0100", "1040", "1900", "3571", "4011", "6021", "7372", "9995"]


@pytest.mark.parametrize("sic", SICS)
def test_sectors_are_those_of_sql(sic: str | None) -> None:
    macro = (resources.files("sql") / "macros" / "sector.sql").read_text()
    connection = duckdb.connect()
    connection.execute(macro.replace("macros.sector", "sector"))
    (found,) = connection.execute("select sector(?)", [sic]).fetchall()
    assert found == (sector_of(sic),)
