"""The tables of Item 7: which are shown, with which words, and what is never shown."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tasks.core.rows import Context, Reject
from tasks.filings.reader.filing import ParsedFiling
from tasks.suites.faith.contexts import NO_ITEM, NO_TABLES, NO_TABLES_AT_ALL, show_tables
from tasks.suites.faith.maskable import maskable_figures
from tasks.suites.shared.tables.sheets import read_sheets
from tests.masked_filing import masked_filing


def shown(parsed: ParsedFiling) -> Context | Reject:
    return show_tables(parsed.document, parsed.tables, encoding="cl100k_base")


@pytest.fixture(scope="module")
def context() -> Context:
    row = shown(masked_filing())
    assert isinstance(row, Context)
    return row


def test_the_tables_of_item_7_are_shown_in_order_and_no_others(context):
    parsed = masked_filing()
    sheets = read_sheets(context.text)
    assert [sheet.index for sheet in sheets] == [0, 1]
    assert [sheet.cells[-1][0] for sheet in sheets] == ["Gross margin", "Cash used for dye works"]
    table_ids = json.loads(context.details)["table_ids"]
    assert table_ids == [table.table_id for table in parsed.tables if table.item == "7"]
    assert context.kind == "tables"
    assert context.document_ids[0] == parsed.document.document_id


def test_the_words_before_a_table_lose_the_sentences_that_state_figures(context):
    results, cash = read_sheets(context.text)
    words = "The following table shows the results of the last two years (in thousands):"
    assert results.pre_text == words
    # all earlier sentences state figures: the heading, with its scale, introduces the table
    assert cash.pre_text == "Liquidity (in thousands)"
    assert not any(maskable_figures(sheet.pre_text) for sheet in (results, cash))


def test_the_scale_that_governs_a_table_is_shown_with_it():
    parsed = masked_filing()
    silent = tuple(
        replace(table, cells=table.cells[1:], scale="millions")
        if table.item == "7" and "(in thousands)" not in str(table.cells)
        else table
        for table in parsed.tables
    )
    words = [sheet.pre_text for sheet in read_sheets(shown(replace(parsed, tables=silent)).text)]
    assert [text.endswith(" (in millions)") for text in words] == [True, True]
    stated = [table.scale for table in parsed.tables if table.item == "7"]
    assert stated == ["thousands", "thousands"]


def test_a_document_without_such_tables_is_a_reject_that_says_why():
    parsed = masked_filing()
    bare = shown(
        replace(parsed, tables=tuple(table for table in parsed.tables if table.item != "7"))
    )
    assert isinstance(bare, Reject)
    assert bare.reason == NO_TABLES
    assert bare.parent_id == parsed.document.document_id
    assert "1 tables elsewhere" in bare.detail
    flattened = shown(replace(parsed, tables=()))
    assert isinstance(flattened, Reject)
    assert flattened.reason == NO_TABLES_AT_ALL
    assert "elsewhere" not in flattened.detail
    headless = shown(replace(parsed, document=replace(parsed.document, items=())))
    assert isinstance(headless, Reject)
    assert headless.reason == NO_ITEM


def test_every_real_document_has_a_context_or_a_reject_and_no_context_states_figures_in_words(
    real_filings,
):
    rows = [shown(parsed) for parsed in real_filings]
    contexts = [row for row in rows if isinstance(row, Context)]
    assert len(contexts) >= 10
    for context in contexts:
        sheets = read_sheets(context.text)
        assert len(sheets) == len(json.loads(context.details)["table_ids"])
        assert not [sheet.pre_text for sheet in sheets if maskable_figures(sheet.pre_text)]
        assert not any(
            cell in ("$", ")", "%") for sheet in sheets for row in sheet.cells for cell in row
        )
