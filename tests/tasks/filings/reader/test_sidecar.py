"""`filings.csv`: what it says of plain filings, and which rows are refused."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from tasks.core.errors import WrongSettings
from tasks.core.progress import hearing
from tasks.core.rows import Filing, Reject
from tasks.filings.reader.sidecar import StatedFacts, read_sidecar
from tasks.lake.lake import Lake
from tasks.pipeline.resolved import resolve
from tasks.pipeline.settings import RunSettings
from tasks.pipeline.sources import source_of
from tests.built import ingest_files

HEAD = "file,cik,accession,form,filed,sic\n"
ROW = "sub/acme.htm,0000012345,0000012345-17-000003,10-K405,2017-02-24,2834\n"
ACME = StatedFacts(
    cik="12345",
    accession="0000012345-17-000003",
    form="10-K405",
    filed=date(2017, 2, 24),
    sic="2834",
)
HTML = (
    "<html><p>FORM 10-K</p><p>ANNUAL REPORT PURSUANT TO SECTION 13</p><p>For the year ended "
    "June 30, "
    "2016</p>" + "<p>The company sold goods to customers in all its markets.</p>" * 12 + "</html>"
)


def written(folder: Path, text: str) -> Path:
    path = folder / "filings.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_reads_rows_by_file(tmp_path: Path) -> None:
    path = written(tmp_path, HEAD + ROW + '"b, c.txt",,,,,100\n')
    found = read_sidecar(path, {"sub/acme.htm", "b, c.txt", "no row.txt"})
    assert found == {"sub/acme.htm": ACME, "b, c.txt": StatedFacts(sic="0100")}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "as its first line"),
        (HEAD + "b.htm,1,,,,\n", "line 2: the folder has no filing 'b.htm'. Add the file,"),
        (HEAD + "a.htm,1,,,,\na.htm,2,,,,\n", "line 3: 'a.htm' has a line already"),
        (HEAD + "a.htm,ACME,,,,\n", "cik 'ACME'"),
        (HEAD + "a.htm,,,,24.2.2017,\n", "filed '24.2.2017'"),
    ],
)
def test_wrong_rows_are_refused_by_line(tmp_path: Path, text: str, said: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(WrongSettings) as refused:
        read_sidecar(path, {"a.htm"})
    assert said in str(refused.value)
    assert "filings.csv" in str(refused.value)


def test_ingest_reads_it_and_names_skipped_files_in_one_line(tmp_path: Path) -> None:
    folder = tmp_path / "filings"
    (folder / "sub").mkdir(parents=True)
    (folder / "sub" / "acme.htm").write_text(HTML)
    (folder / "guide.htm").write_text(f"<h1>Form 10-K</h1>{HTML[HTML.index('<p>The') :]}")
    for name in ("a.pdf", "sub/b.xlsx", ".hidden"):
        (folder / name).write_text("no filing")
    written(folder, HEAD + ROW)
    run = RunSettings(lake=str(tmp_path / "lake"), release="r-dev", filings=str(folder))
    before = source_of(resolve(run))
    told: list[str] = []
    with hearing(told.append):
        commit = ingest_files(run)
    assert "2 skipped (not .htm, .html, .txt or .json): a.pdf, sub/b.xlsx" in told
    (left_out,) = (line for line in told if "left out" in line)
    assert left_out.startswith("1 of 2 files left out:\n  guide.htm: not a 10-K")
    lake = Lake(run.lake)
    (filing,) = lake.read(commit, Filing)
    assert (filing.filing_id, filing.sic) == (ACME.accession, "2834")
    (reject,) = lake.read(commit, Reject)
    assert (reject.parent_id, reject.reason) == ("guide.htm", "not a 10-K")
    written(folder, HEAD + ROW.replace("2834", "2835"))
    assert source_of(resolve(run)) != before
    single = replace(run, filings=str(folder / "sub" / "acme.htm"))
    assert source_of(resolve(single))
