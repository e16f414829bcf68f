"""Quarters: which was over when, and what is made of one."""

from __future__ import annotations

from datetime import date

import pytest

from tasks.pipeline.settings import RunSettings, WrongSettings
from tasks.results.compare.quarters import refreshed

TODAY = date(2026, 11, 21)


def test_a_release_is_called_after_its_quarter_and_takes_new_filings_of_it() -> None:
    settings = refreshed(RunSettings(options={"pairs": 2}), "2026q3", TODAY)
    assert (settings.release, settings.filings, settings.new_only, settings.options["pairs"]) == (
        "2026Q3",
        "edgar:2026Q3",
        True,
        2,
    )


def test_a_quarter_that_is_not_over_is_no_release_but_may_be_tried() -> None:
    with pytest.raises(WrongSettings, match="2026Q4-dev"):
        refreshed(RunSettings(), "2026Q4", TODAY)
    assert refreshed(RunSettings(release="2026Q4-dev"), "2026Q4", TODAY).filings == "edgar:2026Q4"


@pytest.mark.parametrize("quarter", ["2026", "2026Q5", "Q3", "2026.11", "12026Q1", ""])
def test_what_is_no_quarter_is_refused(quarter: str) -> None:
    with pytest.raises(WrongSettings, match="like 2026Q3"):
        refreshed(RunSettings(), quarter, TODAY)
