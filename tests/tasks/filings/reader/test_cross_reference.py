"""Items of filings with a cross-reference index instead of headings."""

from __future__ import annotations

import pytest

from tests.tasks.filings.conftest import PROSE, annual_report, spans_of


@pytest.mark.parametrize("linked", [True, False], ids=["linked", "page numbers only"])
def test_index_leads_to_the_sections(linked):
    found = spans_of(*annual_report(linked))
    story, discussion, factors, properties, statements, controls, exhibits = (
        f"{section}\n\n{section}: {PROSE}"
        for section in (
            "Our Story", "Management's Discussion and Analysis", "Risk Factors", "Properties",
            "Statements", "Controls and Procedures", "Exhibits",
        )
    )  # fmt: skip
    assert found["1"] == [story]  # pages 1-2, but the discussion starts on page 2
    assert found["7"] == [discussion]
    assert found["1A"] == [factors]
    assert found["2"] == [story, properties]  # pages 1 and 4
    assert found["8"] == [statements]  # pages 5-6; ends where 9A starts
    assert found["9A"] == [controls]
    assert found["15"] == [f"{statements}\n\n{controls}\n\n{exhibits}"]  # pages 5-6, 7
    assert {"1B", "3", "11"} < set(found)
