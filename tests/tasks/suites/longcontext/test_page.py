"""Long context's page, of scripted models with known faults."""

from __future__ import annotations

import json

import pytest

from tasks.results.report.cases import case_data, packed
from tasks.results.report.contents import sections
from tasks.results.report.measured import Measured
from tasks.results.report.panels import heatmaps
from tasks.suites.longcontext.page import PAGE
from tasks.suites.page import Heatmap
from tests.haystack_page import measured_in
from tests.newsroom import Built, newsroom


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Measured:
    built = Built(newsroom(900), lengths=(4000, 8000), records=(4,), queries=2)
    return measured_in(tmp_path_factory.mktemp("lake"), built)


def test_every_section_has_something_to_show(measured: Measured) -> None:
    own = [section.id for section in PAGE.sections if section.id != "placements"]  # there is one
    shown = [section.id for section in sections(measured) if section.id in own]
    assert sorted(shown) == sorted(own)


def test_needles_missed_in_the_last_third_show_in_its_rows_alone(measured: Measured) -> None:
    (shown,) = [each for s in PAGE.sections for each in s.shows if isinstance(each, Heatmap)]
    part = heatmaps(measured, shown)
    assert part is not None
    by_model = part.panels
    assert by_model.keys() == {"careful", "eager", "forgetful"}
    for panel in by_model["forgetful"]:
        for depth, cells in panel.rows.items():
            found = {cell.value for cell in cells if cell}
            tenth = int(depth.partition("-")[0])
            assert found <= ({1.0} if tenth < 60 else {0.0} if tenth > 60 else {0.0, 0.5, 1.0})
    values = {cell.value for panel in by_model["eager"] for row in panel.rows.values()
              for cell in row if cell}  # fmt: skip
    assert values == {1.0}


def test_texts_are_not_on_the_page_but_their_needles_are(measured: Measured) -> None:
    assert {row["text"] for row in measured.reports["raw.qa_pairs"]} == {None}
    _, chunks = case_data(measured)
    cases = [case for chunk in chunks for case in chunk["cases"] if case["others"]]
    assert len(cases) == 2 * 4 * 4 * 2  # lengths, records, tasks, twins
    for case in cases:
        needles = [mark for mark in case["marks"] if mark["is_wanted"]]
        assert [mark["number"] for mark in needles] == json.loads(case["target"])
        assert all(mark["line"].partition("Title: ")[2] for mark in needles)
        unlisted = [mark for mark in case["marks"] if not mark["is_wanted"] and not mark["models"]]
        assert len(unlisted) == min(5, case["nUnwanted"] - 2)  # one model lists two
    assert max(len(packed(chunk)) for chunk in chunks) < 4_000
