"""Every line of an EDGAR index is a filing or is reported as broken."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.filings.edgar.index import BrokenLine, IndexLine, NotAnIndex, read_index

MASTER = "Comments: none\n\nCIK|Company Name|Form Type|Date Filed|Filename\n----------\n"


@pytest.mark.parametrize(
    ("name", "n_lines", "first", "n_annual"),
    [
        ("master_1993Q4_sample.idx", 20, ("1095785", "REGDEX", date(1993, 12, 30)), 4),
        ("master.20181231_sample.idx", 10, ("1000228", "4", date(2018, 12, 31)), 0),
    ],
)
def test_reads_real_indexes_to_the_last_line(
    shared: Path, name: str, n_lines: int, first: tuple[str, str, date], n_annual: int
) -> None:
    text = (shared / "reference" / "edgar-index" / name).read_text(encoding="utf-8")
    lines = list(read_index(text))
    assert all(isinstance(line, IndexLine) for line in lines)
    found = [line for line in lines if isinstance(line, IndexLine)]
    assert len(found) == n_lines == sum("edgar/data/" in line for line in text.split("\n"))
    assert (found[0].cik, found[0].form, found[0].filed) == first
    assert sum(line.form == "10-K" for line in found) == n_annual


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("320193|A|10-K|2002-01-31", "4 columns in place of 5"),
        (
            "٣|A|10-K|2002-01-31|edgar/data/1/0000912057-02-000001.txt",
            "the company's number is '٣'",
        ),
        ("1|A|10-K|2002-02-31|edgar/data/1/0000912057-02-000001.txt", "the date is '2002-02-31'"),
        ("1|A|10-K|2002-01-31|edgar/data/../../x.txt", "the file name is 'edgar/data/../../x.txt'"),
        ("1|A|10-K|2002-01-31|http://evil.example/0000912057-02-000001.txt", "the file name is"),
    ],
)
def test_reports_a_broken_line_by_number_and_reads_on(line: str, why: str) -> None:
    good = "2|B|10-K|2002-01-31|edgar/data/2/0000912057-02-000002.txt"
    broken, read = read_index(f"{MASTER}{line}\n{good}\n")
    assert isinstance(broken, BrokenLine)
    assert (broken.number, broken.text) == (5, line)
    assert broken.why.startswith(why)
    assert isinstance(read, IndexLine)


@pytest.mark.parametrize("text", ["", "<html><body>Request Rate Threshold Exceeded</body></html>"])
def test_refuses_a_text_without_column_titles(text: str) -> None:
    with pytest.raises(NotAnIndex):
        list(read_index(text))


@given(st.lists(st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\n"))))
def test_loses_no_line_and_never_crashes(lines: list[str]) -> None:
    found = list(read_index(MASTER + "\n".join(lines)))
    assert len(found) == sum(bool(line.strip(" -\t")) for line in lines)
