"""Hostile filings: each becomes rows or a reject, in bounded time and memory."""

from __future__ import annotations

import gzip
import os
import resource
import time
from pathlib import Path

import pytest

from tasks.core.rows import Document, Filing, Reject
from tasks.filings.reader.files import LIMIT_BYTES, find_files
from tasks.filings.reader.filing import ParsedFiling
from tasks.filings.reader.reading import FilingSource, read_filing
from tasks.filings.samples import sample_folder
from tasks.lake.lake import Lake
from tasks.pipeline.settings import RunSettings
from tests.built import ingest_files

WORDS = "We make pens and sell them in many countries of the world. " * 10
COVER = (
    "<html><body><p>FORM 10-K</p><p>ANNUAL REPORT PURSUANT TO SECTION 13</p><p>Quill Stone Corp</p>"
    f"<p>Item 1. Business</p><p>{WORDS}</p>{{}}<p>Item 7. Management's Discussion</p>"
    "<p>Sales rose.</p></body></html>"
)
PLAIN_COVER = (
    "FORM 10-K\nANNUAL REPORT PURSUANT TO SECTION 13\nQuill Stone Corp\n\nItem 1. Business\n\n"
    f"{WORDS}\n\n{{}}\n\nItem 7. Management's Discussion\n\nSales rose.\n"
)
# A linear reader takes at most a second for so many characters; a quadratic one takes many.
SIZE = 100_000
MOST_CPU_S = 5.0
MOST_GROWTH_MB = 400

ENTITY_BOMB = (
    '<?xml version="1.0"?><!DOCTYPE html [<!ENTITY a "ha">'
    + "".join(
        f'<!ENTITY {new} "{f"&{old};" * 10}">'
        for old, new in zip("abcdefghi", "bcdefghij", strict=True)
    )
    + "]>"
)


def read(body: str | bytes, uri: str = "hostile.htm") -> ParsedFiling | Reject:
    data = body if isinstance(body, bytes) else body.encode()
    return read_filing(FilingSource(uri=uri, data=data, encoding="cl100k_base"))


@pytest.fixture
def bounded():
    """Fail a test that takes more processor time or memory than a filing of its size may."""
    before, started = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    yield
    assert time.process_time() - started < MOST_CPU_S
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024 < MOST_GROWTH_MB


@pytest.mark.usefixtures("bounded")
@pytest.mark.parametrize(
    "unit",
    [
        # nested without end
        "<div>", "<table><tr><td>", "<b>", "<ix:continuation>", "<li>x", "<sup>1</sup>",
        "<!-- ", "<script ", "<script></script x>", "<pre>", "<ix:header>", "<ix:",
        "<", '<p a="', '<div style="display:none">',
        "&", "&#x", "&#99999999999999;&#0;&#xD800;", "(",
        "1,", "word ", "a", "<p>12</p><hr>", "<br>",
        "<p>Item 1.</p>", "<p>Item 1. Business</p><p>x y z</p>", "<p>Item 7. See Item 7</p>",
        '<a name="x"></a><a href="#x">Item 1.</a>', '<p><a href="#a">Item 1.</a> Business 3</p>',
        "<table><tr><td rowspan=999999999 colspan=999999999>1</td><td>2</td></tr></table>",
        "<td>1</td>",
    ],
)  # fmt: skip
def test_html_stays_in_bounds(unit: str) -> None:
    read(COVER.format(unit * (SIZE // len(unit))))


@pytest.mark.usefixtures("bounded")
@pytest.mark.parametrize(
    "body",
    [
        pytest.param("<div>" * 100_000, id="nested"),
        # every run of tags is spelled differently, so that no meaning is used twice
        pytest.param("".join(f"<p><font size={n}>x" for n in range(2_500)), id="distinct"),
    ],
)
def test_nested_and_distinct_tags_stay_in_bounds(body: str) -> None:
    assert isinstance(read(COVER.format(body)), ParsedFiling)


@pytest.mark.usefixtures("bounded")
@pytest.mark.parametrize("unit", [
    "Item 1. Business\n\n", "Item 1. ....... 3\n", "ITEM 1\n", "<TABLE>\n", "<S> <C> <C>\n",
    "<PAGE> 1\n", "<TABLE><CAPTION>\n<S> <C>\na  1\n</TABLE>\n",
    "-----BEGIN PRIVACY-ENHANCED MESSAGE-----\n", "begin 644 x\n", "<SEC-HEADER>\n", "a   1   2\n",
    "12   ", "Sales   12   13   14   15   16\n", "a    1\n\n", "-----\n", "----- ", ".", " ", "a",
    "word ", "(i) a\n", "$1,000 ", '"', "a-\n",
])  # fmt: skip
def test_plain_text_stays_in_bounds(unit: str) -> None:
    read(PLAIN_COVER.format(unit * (SIZE // len(unit))), "hostile.txt")


def test_survives_a_span_of_ten_thousand_digits() -> None:
    found = read(COVER.format(f'<table><tr><td colspan="{"9" * 10_000}">1</td></tr></table>'))
    assert isinstance(found, ParsedFiling)


@pytest.mark.usefixtures("bounded")
def test_expands_no_declared_entities() -> None:
    found = read(ENTITY_BOMB + COVER.format("<p>&j;&j;&j;</p>"))
    assert isinstance(found, ParsedFiling)
    assert len(found.document.text) < 2 * len(WORDS)
    assert "ha" * 10 not in found.document.text


def test_reads_no_local_file_for_a_filing(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("the password is swordfish")
    declared = (
        f'<?xml version="1.0"?><!DOCTYPE html [<!ENTITY s SYSTEM "file://{tmp_path}/secret">]>'
    )
    inside = f'<p>&s;</p><iframe src="file://{tmp_path}/secret"></iframe><img src="file://{tmp_path}/secret">'
    found = read(declared + COVER.format(inside))
    assert isinstance(found, ParsedFiling)
    assert "swordfish" not in found.document.text


@pytest.mark.usefixtures("bounded")
def test_gzip_bomb_becomes_a_reject() -> None:
    bomb = gzip.compress(gzip.compress(b"\0" * (LIMIT_BYTES + 1)))
    once = gzip.decompress(bomb)
    found = read(once, "bomb.htm.gz")
    assert isinstance(found, Reject)
    assert "larger than the limit" in (found.reason + (found.detail or ""))
    twice = read(bomb, "twice.htm.gz")  # it unpacks to another gzip, which is not a filing
    assert isinstance(twice, Reject)


HOSTILE_NAMES = [
    "x%2f..%2f..%2fescaped.htm",
    "a;rm -rf $HOME.htm",
    "$(touch owned).htm",
    "release=2026.htm",
    "-rf.htm",
    "=HYPERLINK(1).htm",
    "line\nbreak.htm",
    "\x1b[31mred.htm",
    "'; drop table filings; --.htm",
    "\u202efdp.htm",
]


def test_hostile_file_names_stay_in_rows(tmp_path: Path) -> None:
    folder, lake = tmp_path / "filings", Lake(tmp_path / "lake")
    folder.mkdir()
    sample = next(sample_folder().glob("*.htm")).read_text(encoding="utf-8")
    for number, name in enumerate(HOSTILE_NAMES):
        (folder / name).write_text(
            sample.replace("</body>", f"<p>{number}</p></body>"), encoding="utf-8"
        )
    before = {path for path in tmp_path.rglob("*") if lake.here not in path.parents}
    lake.make()
    commit = ingest_files(RunSettings(lake=str(lake.here), filings=str(folder), workers=1))
    assert {filing.source_uri for filing in lake.read(commit, Filing)} == set(HOSTILE_NAMES)
    assert len(lake.read(commit, Document)) == len(HOSTILE_NAMES)
    assert {path for path in tmp_path.rglob("*") if lake.here not in path.parents} == before | {
        lake.here
    }


def test_writes_no_file_named_in_a_submission(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = read(
        "<SEC-DOCUMENT>x.txt : 20180101\n<DOCUMENT>\n<TYPE>10-K\n"
        "<SEQUENCE>1\n<FILENAME>../../../escaped.htm\n"
        f"<TEXT>\n{COVER.format('')}\n</TEXT>\n</DOCUMENT>\n</SEC-DOCUMENT>\n"
    )
    assert isinstance(found, ParsedFiling)
    assert os.listdir(tmp_path) == []


def test_follows_no_linked_folder(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "private.txt").write_text("private")
    folder = tmp_path / "filings"
    folder.mkdir()
    (folder / "own.htm").write_text("own")
    (folder / "linked").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    (folder / "loop").symlink_to(folder, target_is_directory=True)
    assert find_files(folder) == [folder / "own.htm"]
