"""Snippets of filings: which tables and paragraphs they show, and why a filing has none."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from statistics import median

import pytest

from tasks.core.rows import Context, Reject
from tasks.filings.reader.filing import ParsedFiling, parse_filing
from tasks.filings.reader.table_html import expand
from tasks.suites.tablequest.contexts import (
    FEW_NUMBERS,
    MOSTLY_WORDS,
    NONE_ASKED_ABOUT,
    PAGES,
    SAME_TEXT,
    STEP,
    TOO_LONG,
    TOO_WIDE,
    UNNAMED,
    write_contexts,
)
from tasks.suites.tablequest.snippets import blocks_of, is_table, sheets_of
from tasks.text.tokens import count_tokens
from tests.step_inputs import step_inputs

ENCODING = "cl100k_base"
PROSE = "The mills of the company ran at full load, and most customers paid within a month."


def table(*rows: Sequence[str]) -> str:
    lines = (f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table>{''.join(lines)}</table>"


def sales(name: str = "Wool") -> str:
    head = ("(in thousands)", "2023", "2022")
    return table(head, (name, "4,100", "3,900"), ("Dyes", "612", "614"))


def filing(*blocks: str) -> ParsedFiling:
    """A report with these blocks in its Item 7, after a layout of columns, which is not shown."""
    layout = table(("Carded", "in Tarn"), ("Combed", "in Wexcombe"))
    shown = (block if block.startswith("<") else f"<p>{block}</p>" for block in blocks)
    body = layout + "".join(shown)
    html = f"""<html><body><p>WEXCOMBE MILLS, INC.</p><p>FORM 10-K</p>
<p>ANNUAL REPORT PURSUANT TO SECTION 13 for the fiscal year ended December 31, 2023</p>
<p>Item 1. Business</p>{f"<p>{PROSE}</p>" * 6}
<p>Item 7. Management's Discussion and Analysis of Financial Condition and Results of Operations
</p>{body}
<p>Item 8. Financial Statements and Supplementary Data</p><p>The statements follow.</p>
</body></html>"""
    return parse_filing(html.encode(), "wexcombe.htm")


def rows_of(
    *filings: ParsedFiling, most: int = 9, limit: int = 16_384, seed: int = 0
) -> list[Context | Reject]:
    return list(
        write_contexts(
            [parsed.document for parsed in filings],
            {parsed.document.document_id: parsed.tables for parsed in filings},
            {parsed.filing.filing_id: parsed.filing for parsed in filings},
            most=most,
            limit=limit,
            encoding=ENCODING,
            seed=seed,
            used={},
        )
    )


def contexts_of(*filings: ParsedFiling, **options: int) -> list[Context]:
    return [row for row in rows_of(*filings, **options) if isinstance(row, Context)]


def shown(*blocks: str, **options: int) -> list[list[str]]:
    return [
        [expand(block)[1][0] if is_table(block) else block for block in blocks_of(context.text)]
        for context in contexts_of(filing(*blocks), **options)
    ]


def rejected_cells(*rows: Sequence[str]) -> list[str]:
    """The reasons why a report with one table, of these cells, has no snippet."""
    parsed = filing(PROSE, sales())
    (only,) = parsed.tables
    bad = replace(only, cells=tuple(map(tuple, rows)), html=None)
    found = rows_of(replace(parsed, tables=(bad,)))
    assert all(isinstance(row, Reject) for row in found)
    ids = {bad.table_id, parsed.document.document_id}
    assert {row.parent_id for row in found if isinstance(row, Reject)} == ids
    return [row.reason for row in found if isinstance(row, Reject)]


# --- what a snippet shows --------------------------------------------------------------------


def test_a_snippet_mixes_tables_with_the_text_around_them_and_ends_at_a_heading():
    section = ["They were:", sales(), "(1) Dyed.", *[PROSE] * 4]
    blocks = [block for number in range(12) for block in (f"Net sales {number}", *section)]
    (whole,) = shown(*blocks)
    start = whole.index("Net sales 0")
    wanted = ["Net sales 0", "They were:", "Wool", "(1) Dyed.", *[PROSE] * 4, "Net sales 1"]
    assert whole[start : start + 9] == wanted
    cut = contexts_of(filing(*blocks), limit=600)
    assert "\n\n".join(context.text for context in cut) in contexts_of(filing(*blocks))[0].text
    assert all(300 < context.n_tokens <= 600 for context in cut[:-1])
    assert all(context.text.startswith("Net sales") for context in cut[1:])
    assert min(len(sheets_of(context.text)) for context in cut[1:-1]) > 1


@pytest.mark.parametrize("limit", range(60, 200, 7))
def test_a_table_is_never_parted_from_what_leads_in_to_it(limit):
    blocks = [PROSE, "They were:", sales(), PROSE, "These were:", sales("Silk"), PROSE]
    for context in contexts_of(filing(*blocks * 3), limit=limit):
        assert context.n_tokens <= limit
        assert all("were:" in sheet.pre_text for sheet in sheets_of(context.text))


def test_a_table_whose_scale_is_stated_in_the_snippet_before_is_not_shown():
    rows = [("", "2023", "2022"), ("Wool", "$4,100", "$3,900"), ("Dyes", "612", "614")]
    blocks = ["They were (in thousands):", table(*rows), table(*rows)]
    assert [len(sheets_of(each.text)) for each in contexts_of(filing(*blocks))] == [2]
    assert [len(sheets_of(each.text)) for each in contexts_of(filing(*blocks), limit=90)] == [1]


# --- which snippets are drawn ----------------------------------------------------------------


def test_a_draw_is_spread_over_the_filing_and_depends_on_the_seed():
    blocks = [block for number in range(12) for block in (sales(f"Wool {number}"), *[PROSE] * 7)]
    drawn = [
        [context.start_char for context in contexts_of(filing(*blocks), most=4, limit=200, seed=n)]
        for n in (0, 1, 2, 3, 0)
    ]
    places = [context.start_char for context in contexts_of(filing(*blocks), most=99, limit=200)]
    quarters = [4 * places.index(place) // len(places) for place in drawn[1]]
    assert quarters == [0, 1, 2, 3]
    assert drawn[0] == drawn[4]
    assert len(set(map(tuple, drawn))) > 1


def test_the_step_gives_no_two_filings_of_any_part_a_snippet_of_the_same_text():
    first, second = filing(PROSE, sales()), filing(PROSE, sales())
    other = replace(second.document, document_id="amended")
    tables = [replace(each, document_id="amended") for each in second.tables]
    parts = [(first.document, *first.tables, first.filing), (other, *tables, second.filing)]
    inputs = step_inputs("tablequest", parts=parts, encoding=ENCODING)
    context, reject = STEP.run(inputs)
    assert context == contexts_of(first)[0]
    assert isinstance(reject, Reject)
    assert (reject.reason, reject.parent_id) == (SAME_TEXT, "amended")


@pytest.mark.parametrize(
    ("reason", "rows"),
    [
        (FEW_NUMBERS, [("", "2023"), ("Wool", "4")]),
        (FEW_NUMBERS, [("Name", "Since"), ("A. Reed", "1996"), ("B. Cole", "1999")]),
        (PAGES, [("", "Page(s) in 10-K", "Exhibit"), ("Income", "32", "13"), ("Cash", "35", "14")]),
        (UNNAMED, [("Wool", "4,100", "3,900"), ("Dyes", "612", "614")]),
        (
            MOSTLY_WORDS,
            [
                ("Exhibit", "Description", "Form", "File", "Number", "Page"),
                ("3.1", "Charter", "10-K", "as filed", "3.1", "12"),
                ("3.2", "Bylaws", "8-K", "as filed", "3.2", "14"),
            ],
        ),
        (TOO_WIDE, [[f"{n + row}" if n else "Wool" for n in range(300)] for row in range(3)]),
        (TOO_LONG, [("", "2023", "2022"), *[("Wool of the north", "4,100", "3,900")] * 2_000]),
    ],
)
def test_a_table_that_cannot_be_asked_about_is_a_reject_with_its_reason(reason, rows):
    assert rejected_cells(*rows) == [reason, NONE_ASKED_ABOUT]


def test_real_filings_give_coherent_snippets(real_filings):
    rows = rows_of(*real_filings, most=10_000)
    contexts = [row for row in rows if isinstance(row, Context)]
    tables = {each.table_id: each for parsed in real_filings for each in parsed.tables}
    documents = {parsed.document.document_id: parsed.document for parsed in real_filings}
    without = {row.parent_id for row in rows if isinstance(row, Reject)}
    assert {context.document_ids[0] for context in contexts} == documents.keys() - without
    used = [id_ for context in contexts for id_ in json.loads(context.details)["table_ids"]]
    assert sorted(used) == sorted(tables.keys() - without)
    for context in contexts:
        details = json.loads(context.details)
        cells = [tables[table_id].cells for table_id in details["table_ids"]]
        assert [sheet.cells for sheet in sheets_of(context.text)] == cells
        assert "\n" not in context.text.replace("\n\n", "")
        texts = [block for block in blocks_of(context.text) if not is_table(block)]
        assert not any(" | " in text for text in texts)
        assert context.n_tokens == count_tokens(context.text, ENCODING) <= 16_384
    n_tables = [len(json.loads(context.details)["table_ids"]) for context in contexts]
    assert sum(n_tables) > 3 * len(n_tables)
    assert median(context.n_tokens for context in contexts) > 16_384 / 2
