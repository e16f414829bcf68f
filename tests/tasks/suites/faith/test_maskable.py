"""Which figures of a sentence can be hidden."""

from __future__ import annotations

import pytest

from tasks.suites.faith.maskable import maskable_figures, unit_group


@pytest.mark.parametrize(
    ("sentence", "figures"),
    [
        ("Net sales were $60.9 billion in 2024, up 126% from 2023.", ["$60.9 billion", "126%"]),
        ("Earnings fell to $1.85 per share, or by 49 basis points.", ["$1.85", "49 basis points"]),
        ("We sold 5,964,000 vehicles and 1.8 million trucks.", ["5,964,000", "1.8 million"]),
        ("The average age of cars was 29.9 years.", ["29.9"]),
        ("The reserve had a life of 10 years in the last three months.", []),
        ("These are (1) lower prices and (2) fewer orders under a 364-day facility.", []),
        ("See Notes 7, 10 and 16, pages 19 through 32, and version 2023.1 of FSP No. 132(R)-1.",
         []),
        ("Returns range between 7-10% in a 52- or 53-week year.", []),
        ("Capital spending will be $60- $65 million, or 5%–6% of sales, and $5 million more.",
         ["$5 million"]),
        ("Net sales were $5 million – 4% less than wished.", ["$5 million", "4%"]),
        ("Of the five major foundries, two are ours.", []),
    ],
)  # fmt: skip
def test_figures_that_measure_can_be_hidden_and_others_not(sentence, figures):
    assert [figure.text for figure in maskable_figures(sentence)] == figures


def test_units_fall_into_groups_by_what_is_measured():
    text = (
        "$5 million, 4%, 49 basis points, $1.85 per share, 55.5 MMBOE, "
        "7.3 million square feet, 247 stores, 1,081 rigs"
    )
    groups = [unit_group(figure) for figure in maskable_figures(text)]
    assert groups == ["money", "percent", "bps", "per_share", "energy", "area", "count", "count"]
