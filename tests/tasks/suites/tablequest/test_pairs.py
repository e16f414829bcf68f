"""Drafts become pairs or rejects, each exactly once; samples are balanced over filings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from tasks.core.rows import Context, Document, FilingTable, Paragraph, QAPair, Reject
from tasks.suites.tablequest import pairs
from tasks.suites.tablequest.rows import Draft
from tests.scripted import Scripted
from tests.some import some
from tests.step_inputs import step_inputs
from tests.written_questions import WRITTEN, snippet, writer

inputs_of = partial(step_inputs, "tablequest")


def drafted(
    contexts: Sequence[Context], engine: Scripted | None = None, *verifiers: Scripted
) -> list[Any]:
    engines = {"generator": [engine or writer()], "verifier": list(verifiers)}
    return list(pairs.build_drafts(inputs_of(shard=contexts, engines=engines)))


def built(contexts: Sequence[Context], rows: Sequence[Any], *more: Any, **fields: Any) -> list[Any]:
    made = list(pairs.build_pairs(inputs_of(*contexts, *rows, *more, **fields)))
    drafts = {row.draft_id: row for row in rows if isinstance(row, Draft) and row.qa_pair_id}
    kept = Counter(row.qa_pair_id for row in made if isinstance(row, QAPair))
    rejected = Counter(row.parent_id for row in made if isinstance(row, Reject))
    for draft in some(drafts.values()):
        assert kept[draft.qa_pair_id] + rejected[draft.draft_id] == 1
    assert len(made) == len(drafts)
    return made


def pairs_of(rows: Sequence[Any]) -> list[QAPair]:
    return [row for row in rows if isinstance(row, QAPair)]


def test_a_snippet_gives_a_pair_of_each_level_with_its_traits() -> None:
    contexts = [snippet("one")]
    made = pairs_of(built(contexts, drafted(contexts)))
    assert [(pair.task, pair.query, pair.answer) for pair in made] == [
        (level, WRITTEN[f"write_{level}"]["question"], WRITTEN[f"write_{level}"]["answer"])
        for level in ("easy", "medium", "hard")
    ]
    number = {"answer": "number", "evidence": "proved", "scale": "above the table", "tables": "1"}
    assert [pair.traits for pair in made] == [
        number | {"operation": "lookup"},
        number | {"operation": "change in percent"},
        {"answer": "words", "evidence": "unverified", "operation": "analysis"}
        | {"scale": "unknown", "tables": "0"},
    ]


def test_a_question_that_the_filing_has_is_a_reject() -> None:
    contexts = [snippet("one", "filing"), snippet("two", "filing"), snippet("three")]
    made = built(contexts, drafted(contexts))
    assert Counter(pair.task for pair in pairs_of(made)) == {"easy": 2, "medium": 2, "hard": 2}
    reasons = Counter(row.reason for row in made if isinstance(row, Reject))
    assert reasons == {pairs.ASKED_BEFORE: 3}


def numbered(operation: str, text: str) -> Any:
    said = WRITTEN[operation]
    return said | {"question": f"{said['question']} ({text.split()[0]})"}


def test_a_sample_of_each_level_is_balanced_over_filings_and_drawn_by_the_seed() -> None:
    contexts = [snippet(f"{n}", "large") for n in range(6)]
    contexts += [snippet("s", "small"), snippet("m1", "middle"), snippet("m2", "middle")]
    filings = {context.context_id: context.document_ids[0] for context in contexts}
    rows = drafted(contexts, writer(numbered))

    def drawn(per_level: int, seed: int) -> list[tuple[str, str, str]]:
        made = built(contexts, rows, per_level=per_level, seed=seed)
        reasons = {row.reason for row in made if isinstance(row, Reject)}
        assert reasons == {pairs.NOT_DRAWN}
        return [(pair.task, filings[pair.context_id], pair.qa_pair_id) for pair in pairs_of(made)]

    first = drawn(5, 0)
    for level in ("easy", "medium", "hard"):
        counts = Counter(filing for task, filing, _ in first if task == level)
        assert counts == {"large": 2, "small": 1, "middle": 2}
    assert drawn(5, 0) == first
    assert drawn(5, 1) != first
    assert Counter(filing for _, filing, _ in drawn(3, 2)) == {"large": 3, "small": 3, "middle": 3}
    assert len(pairs_of(built(contexts, rows, per_level=99))) == 27


def test_citations_quote_the_rows_of_the_cells_in_the_document() -> None:
    lines = ["| 2021 | 2020", "Net sales | $1,250 | $1,291", "Cost of sales | 820 | 905"]
    text = "Results\n\n" + "\n".join(lines) + "\n\nNet sales | $1,250 fell."
    start = text.index("| 2021")
    table = FilingTable(
        table_id="one table",
        document_id="document of one",
        item="7",
        table_index=0,
        pre_text="Results",
        cells=(
            ("", "2021", "2020"),
            ("Net sales", "$1,250", "$1,291"),
            ("Cost of sales", "820", "905"),
        ),
        scale="millions",
        start_char=start,
        end_char=start + len("\n".join(lines)),
    )
    document = Document(
        document_id="document of one",
        filing_id="filing",
        text=text,
        n_tokens=9,
        encoding="cl100k_base",
        items=(),
        paragraphs=(Paragraph(start_char=0, end_char=7, n_tokens=9),),
    )
    contexts = [snippet("one")]
    easy, medium, hard = pairs_of(built(contexts, drafted(contexts), document, table))
    assert [citation.quote for citation in easy.citations] == [lines[1]]
    assert easy.citations == medium.citations
    assert easy.citation_text == lines[1]
    assert hard.citations == ()
    for citation in easy.citations:
        assert text[citation.start_char : citation.end_char] == citation.quote
    for other in (replace(table, start_char=0, end_char=7), replace(table, table_id="another")):
        made = pairs_of(built(contexts, drafted(contexts), document, other))
        assert not any(pair.citations for pair in made)
