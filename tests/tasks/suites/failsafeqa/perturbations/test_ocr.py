"""Scanning errors: their number, their kinds, and their repeatability."""

from __future__ import annotations

import gzip
import json
import random
import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.core.rows import Case, Citation, Context, Reject
from tasks.suites.failsafeqa.perturbations import ocr
from tasks.suites.failsafeqa.perturbations.ocr import OcrRow, OcrTable, load_table, scan_text
from tasks.text.tokens import count_tokens
from tests.tasks.suites.failsafeqa.perturbations.conftest import pair_of

PROSE = (
    "Net sales increased 7.6 percent to $51.9 million in 2017, "
    "mainly because of higher volume in the northern region.\n\n"
    "The provision for income taxes | 1,204 | 1,187\nNet income | 3,377 | 2,946\n\n"
) * 400


@pytest.fixture(scope="module")
def scan():
    return scan_text(PROSE, random.Random(5), load_table(), 0.10)


def test_our_table_covers_the_characters_of_filings_with_whole_shares():
    table = load_table()
    printed = set(map(chr, range(33, 127))) - set("<>\\^`{}~")
    assert printed | {" ", "\n", "’", "“", "”", "–", "—"} <= set(table.rows)
    for row in (*table.rows.values(), table.other):
        assert row.replacements[1][-1] == pytest.approx(1, abs=1e-3)
        assert row.insertions[1][-1] == pytest.approx(1, abs=1e-3)


def test_errors_have_the_papers_rate_and_the_stated_shares(scan):
    # the cap clips half of the blocks, so that 6.84 % is expected, less the KEEP factors
    assert 0.055 < scan.edits / len(PROSE) < 0.075
    assert abs(scan.replacements / scan.edits - 0.50) < 0.05
    assert abs(scan.deletions / scan.edits - 0.35) < 0.05
    assert abs(scan.insertions / scan.edits - 0.15) < 0.05


def test_blocks_vary_and_stay_within_the_cap(scan):
    blocks = scan.block_errors
    assert all(0 <= p <= 0.10 for p in blocks)
    assert 0.35 < sum(p == 0.10 for p in blocks) / len(blocks) < 0.65
    assert any(p < 0.05 for p in blocks)
    assert len(PROSE) / 2100 < len(blocks) < len(PROSE) / 500


@pytest.mark.parametrize(
    ("answer", "quote", "legibility"),
    [
        ("It was $51.9 million in 2017.", "Net sales were $51.9 million.", "not all legible"),
        ("Rent was $40.2 million in 2017.", "Rent was $40.2 million.", "all legible"),
        ("Rent rose by $3.1 million.", "Rent was $40.2 million.", "none copied"),  # computed
        ("Rent rose in 2017.", "Rent was $40.2 million.", "none copied"),
        ("It was $.25 a share.", "Dividends were $.25 a share.", "not all legible"),
    ],
)
def test_a_case_says_if_its_cited_figures_are_legible(answer, quote, legibility):
    scan = "Net sales were $1.9 million. Rent was $40.2 million. Dividends were $25 a share."
    cited = (Citation(start_char=0, end_char=len(quote), quote=quote),)
    pair = replace(pair_of(0, "harbor", "What was it?", answer), citations=cited)
    assert ocr.legibility(pair, scan) == legibility


@settings(max_examples=100, deadline=None)
@given(text=st.text(max_size=3000), seed=st.integers(0, 1000), cap=st.floats(0, 1))
def test_any_text_is_scanned_and_counted(text, seed, cap):
    scan = scan_text(text, random.Random(seed), load_table(), cap)
    if scan.replacements == scan.insertions == 0:
        assert len(scan.text) == len(text) - scan.deletions
    if not scan.edits:
        assert scan.text == text


def test_a_context_is_scanned_once_for_all_its_pairs(cases, material):
    rows = list(ocr.perturb(cases, material))
    contexts = {row.context_id: row for row in rows if isinstance(row, Context)}
    assert len(contexts) == 2 == sum(isinstance(row, Context) for row in rows)
    for row in rows:
        if isinstance(row, Case):
            assert row.context_id in contexts
            clean = json.loads(row.details)["clean_context_id"]
            assert json.loads(contexts[row.context_id].details)["clean_context_id"] == clean
            assert row.query == material.pairs[row.qa_pair_id].query


def test_rejects_a_context_without_scanning_errors(cases, material):
    rows = list(ocr.perturb(cases, replace(material, ocr_max_error=0.0)))
    assert len(rows) == len(cases)
    assert {row.reason for row in rows if isinstance(row, Reject)} == {
        "the scan of the context came out without an error"
    }


def test_tokens_of_real_filings_grow_about_as_in_the_paper(shared):
    rates, before, after = [], 0, 0
    for name in ("alphabet_2017_main.htm.gz", "jnj_2016_main.htm.gz"):
        html = gzip.decompress((shared / "filings" / name).read_bytes()).decode("utf-8", "replace")
        text = re.sub(r"\s+", " ", re.sub(r"<[^>]*>|&#?\w+;", " ", html))[150_000:230_000]
        scan = scan_text(text, random.Random(name), load_table(), 0.10)
        rates.append(scan.edits / len(text))
        before += count_tokens(text)
        after += count_tokens(scan.text)
    assert all(0.05 < rate < 0.085 for rate in rates)
    assert 1.2 < after / before < 1.4


def test_a_struck_character_is_replaced_by_another_preceded_or_lost():
    scans = []
    for shares in ((1, 1), (0, 1), (0, 0)):  # deletions; these and replacements
        row = OcrRow(1, *shares, (("a",), (1,)), (("#",), (1,)))
        scans.append(scan_text("a" * 2000, random.Random(0), OcrTable({}, row, 1, ""), 1.0))
    lost, other, more = scans
    assert lost.text == "a" * (2000 - lost.deletions)
    assert other.replacements == sum(char != "a" for char in other.text) > 0
    assert len(more.text) == 2000 + more.insertions
    assert more.text.endswith("a")
