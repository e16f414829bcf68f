"""Scales: what a phrase states."""

from __future__ import annotations

import pytest

from tasks.quantities.scales import StatedScale, stated_in

NOTED = "Unless otherwise noted, tables are presented in U.S. dollars in millions."


@pytest.mark.parametrize(
    ("text", "scale"),
    [
        (NOTED, "millions"),
        ("(in millions, except per share data)", "millions"),
        ("($ MM)", "millions"),
        ("($000)", "thousands"),
        ("RMB ’000", "thousands"),
        ("$ in billions", "billions"),
        ("Thousands of dollars, except per share", "thousands"),
        ("rounded to the nearest million", "millions"),
        ("(in thousands, except where noted in millions)", "thousands"),
    ],
)
def test_reads_what_filers_write(text: str, scale: str) -> None:
    stated = stated_in(text)
    assert stated is not None
    assert (stated.scale, stated.is_of_money) == (scale, True)


@pytest.mark.parametrize(
    "text",
    [
        "5 million shares",
        "$5 million in 2003",
        "File No. 000-12345",
        "RMB 5'000",
        "resulted in millions of dollars of losses",
        "a 300 (mm) wafer",
    ],
)
def test_amounts_and_prose_state_no_scale(text: str) -> None:
    assert stated_in(text) is None


@pytest.mark.parametrize(
    "text",
    ["(in millions of shares)", "Number of shares sold (in millions)", "unit sales in millions"],
)
def test_a_scale_of_counts_is_none_of_amounts(text: str) -> None:
    assert stated_in(text) == StatedScale(None, "millions", is_of_money=False)


@pytest.mark.parametrize(
    ("text", "scale", "counts"),
    [
        ("(dollars in millions)", "millions", None),
        ("(in thousands, except share and per share data)", "thousands", None),
        ("(in millions, except shares which are in thousands)", "millions", "thousands"),
        ("(net sales in millions and unit sales in thousands)", "millions", "thousands"),
        ("(in thousands, except net income in millions)", None, "thousands"),
    ],
)
def test_counts_have_the_scale_that_is_said_of_them(
    text: str, scale: str | None, counts: str | None
) -> None:
    assert stated_in(text) == StatedScale(scale, counts, is_of_money=True)
