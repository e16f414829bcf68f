"""Records of EDGAR-CORPUS: their Items are taken as given, and nothing is guessed."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest

from tasks.filings.reader.files import Rejected
from tasks.filings.reader.filing import parse_filing
from tasks.filings.reader.sidecar import StatedFacts

RECORD = {
    "filename": "718413_1993.txt",
    "cik": "718413",
    "year": "1993",
    "section_1": "Item 1. Business\nAcme sells anvils. " + "Nobody else does. " * 20,
    "section_1A": "",
    "section_7": "Item 7. Results\nNet sales\n$\n12.5\n-\nFor fiscal year ended\n- 3 -\nUp.",
    "section_2": "Item 2.\r\nProperties\r\nNone.\ud800",
}


def test_a_record_gives_its_items_and_says_no_more() -> None:
    parsed = parse_filing(json.dumps(RECORD).encode(), "a.json", stated=StatedFacts(sic="3420"))
    filing, text = parsed.filing, parsed.document.text
    assert (filing.cik, filing.sic, filing.form) == ("718413", "3420", "10-K")
    assert (filing.company, filing.period_end, filing.filed_date) == (None, None, None)
    items = {item.title: text[item.start_char : item.end_char] for item in parsed.document.items}
    assert list(items) == ["Business", "Properties", "Results"]
    assert items["Properties"] == "Item 2.\n\nProperties\n\nNone.?"
    assert "Net sales $ 12.5 -\n\nFor fiscal year ended" in items["Results"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{}{}", "not one JSON record"),
        ('{"cik": "1", "item_1": ""}', "no Items"),
        ('{"item_1": "x", "filing_type": "10-Q"}', "not a 10-K"),
    ],
)
def test_other_json_is_rejected_with_its_reason(text: str, reason: str) -> None:
    with pytest.raises(Rejected, match=reason):
        parse_filing(text.encode(), "a.json.gz")


def test_a_shared_record_keeps_each_item(shared: Path) -> None:
    file = shared / "reference/edgar-corpus/1001250_10K_2012_0001104659-12-058698.json"
    parsed, given = parse_filing(file.read_bytes(), file.name), json.loads(file.read_bytes())
    assert parsed.filing.filing_id == "0001104659-12-058698"
    assert (parsed.filing.sic, parsed.filing.period_end) == ("2844", date(2012, 6, 30))
    items = {f"item_{item.item}": item for item in parsed.document.items}
    assert set(items) == {name for name, text in given.items() if name[:5] == "item_" and text}
    for name, item in items.items():
        assert parsed.document.text.startswith(given[name][:15], item.start_char)
