"""TableQuest's dataset by hand: sizes of questions and tables, lengths of prompts, documents."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib.resources import files
from typing import Any

import pytest

from tasks.core.ids import canonical_json
from tasks.core.rows import Case, Context, Document, FilingTable, QAPair, Reject, Request
from tests.sql.conftest import HandmadeLake, answer_request

SUITE = "tablequest"
SIZES = {"small": (2, 3), "wide": (4, 9)}  # rows, columns
SHOWN = {"one": ["small"], "two": ["small", "wide"]}  # context -> tables


@pytest.fixture
def filled(lake: HandmadeLake) -> HandmadeLake:
    """Two snippets of one document, three pairs on them, and a document without tables."""
    for document_id in ("full", "bare"):
        lake.add(
            Document(
                document_id=document_id,
                filing_id=f"filing of {document_id}",
                text="",
                n_tokens=0,
                encoding="cl100k_base",
                items=(),
                paragraphs=(),
            )
        )
    for index, (name, (n_rows, n_columns)) in enumerate(SIZES.items()):
        lake.add(
            FilingTable(
                table_id=name,
                document_id="full",
                item="8",
                table_index=index,
                pre_text="",
                cells=(("1",) * n_columns,) * n_rows,
                html="<table></table>",
                scale=None,
                start_char=0,
                end_char=0,
            )
        )
    for name, table_ids in SHOWN.items():
        lake.add(
            Context(
                context_id=name,
                document_ids=("full",),
                kind="snippet",
                text="",
                n_tokens=0,
                encoding="cl100k_base",
                start_char=0,
                details=canonical_json({"table_ids": table_ids}),
            ),
            suite=SUITE,
        )
    for name, task, context_id, query, answer in (
        ("a", "hard", "two", "Why?", "Sales rose."),
        ("b", "easy", "one", "How much?", "5"),
        ("c", "easy", "two", "How many more?", "505"),
    ):
        pair = QAPair(
            qa_pair_id=name,
            context_id=context_id,
            query=query,
            answer=answer,
            task=task,  # type: ignore[arg-type]
            quality=5,
            query_verb="be",
            query_object="",
            verb_method="spacy",
        )
        lake.add(pair, suite=SUITE)
    lake.add(rejected("bare"), suite=SUITE)
    return lake


def rejected(parent_id: str) -> Reject:
    """A reject of the step that makes contexts."""
    return Reject(
        reject_id=f"reject of {parent_id}",
        stage="contexts",
        parent_id=parent_id,
        reason="the filing has no data tables",
        detail="",
    )


@pytest.fixture
def read() -> Callable[..., list[tuple[Any, ...]]]:
    """Read a relation of TableQuest from its file."""

    def select(lake: HandmadeLake, name: str) -> list[tuple[Any, ...]]:
        source = (files("sql") / SUITE / f"{name}.sql").read_text(encoding="utf-8")
        with lake.open(asked=source) as connection:
            return connection.execute(source).fetchall()

    return select


def test_shape_has_a_row_per_level_with_means_over_its_pairs(filled, read) -> None:
    easy = ("easy", 2, (9 + 14) / 2, 2.0, 3 / 2, (2 + 2 + 4) / 3, (3 + 3 + 9) / 3)
    hard = ("hard", 1, 4.0, 11.0, 2.0, 3.0, 6.0)
    found = [row for row in read(filled, "shape") if row[0] == "this release"]
    assert found == [("this release", "dev", *map(pytest.approx, row)) for row in (easy, hard)]


def test_cut_contexts_are_counted_for_each_model_of_a_release_that_cuts_some(filled, read) -> None:
    case = Case(
        case_id="a",
        qa_pair_id="a",
        suite=SUITE,
        variant="html",
        query="Why?",
        context_id="two",
        target="5",
        is_answerable=True,
    )
    others = [replace(case, case_id=name) for name in ("b", "c")]
    filled.add(case, *(answer_request(case, model) for model in ("wide", "narrow")), suite=SUITE)
    assert read(filled, "cut_contexts") == []
    for other, n_cut in zip(others, (30, 50), strict=True):
        cut: Request = replace(answer_request(other, "narrow"), n_cut_tokens=n_cut)
        filled.add(other, cut, answer_request(other, "wide"), suite=SUITE)
    assert read(filled, "cut_contexts") == [
        ("dev", "narrow", 3, 2, pytest.approx(2 / 3), 40.0, 50, 80),
        ("dev", "wide", 3, 0, 0.0, None, 0, 0),
    ]


def test_each_document_has_snippets_or_a_reject(filled, read) -> None:
    check = "check_each_document_has_a_context_or_a_reject"
    assert read(filled, check) == []
    filled.add(rejected("small"), suite=SUITE)  # a table's
    assert read(filled, check) == []
    filled.add(rejected("full"), suite=SUITE)
    filled.drop(rejected("bare"))
    found = {row[2]: row[3:] for row in read(filled, check)}
    assert found == {"full": (2, 2, 1), "bare": (0, 0, 0)}
