"""RefusalBench's base questions of filings, without a lake."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from importlib import resources
from pathlib import Path
from typing import Any

from tasks.baseline.refusalbench import RULES
from tasks.core.rows import Document, Filing
from tasks.filings.reader.files import find_files
from tasks.filings.reader.reading import FilingSource, read_filing
from tasks.inference.client import Client
from tasks.inference.engines.extractive import Extractive
from tasks.inference.operation import Engine
from tasks.suites.refusalbench.base.questions import WRITE_FACTS, build_questions
from tasks.suites.refusalbench.rows import BasePassage, BaseQuestion
from tests.step_inputs import step_inputs

Filings = Sequence[tuple[Filing, Document]]


@cache
def filings_of(folder: Path | None = None, *beginnings: str) -> Filings:
    """Read a folder's filings whose names begin so, or the packaged samples."""
    folder = folder or Path(str(resources.files("tasks.filings") / "samples"))
    parsed = [
        read_filing(FilingSource(uri=file.name, data=file.read_bytes(), encoding="cl100k_base"))
        for file in find_files(folder)
        if file.name.startswith(beginnings or "")
    ]
    return [(each.filing, each.document) for each in parsed]  # type: ignore[union-attr]


inputs_of = partial(step_inputs, "refusalbench")


def free_engine() -> dict[str, list[Engine]]:
    """Return the free engine in the role that asks questions of filings."""
    operations = {WRITE_FACTS.name: WRITE_FACTS}
    return {"base_writer": [Client(Extractive(operations, RULES), part=None)]}


def questions_of(filings: Filings, *rows: Any, **options: Any) -> list[BaseQuestion]:
    """Build the questions of filings."""
    made = build_questions(inputs_of(*rows, parts=filings, engines=free_engine(), **options))
    return [row for row in made if isinstance(row, BaseQuestion)]


def question(number: int, *, kind: str = "money", **fields: Any) -> Any:
    """Invent a question of one passage."""
    answer = fields.pop("answer", f"${number} million")
    text = f"Net sales were {answer} in fiscal {1900 + number % 100}."
    document = fields.pop("document", f"document {number}")
    passage = BasePassage(text=text, is_signal=True, document_id=document, start_char=number)
    known = {
        "base_question_id": f"question {number}",
        "setting": "single",
        "source": "filings",
        "source_id": document,
        "query": f"What were the net sales of company {number}?",
        "answers": (answer,),
        "passages": (passage,),
        "answer_kind": kind,
    }
    return BaseQuestion(**(known | fields))
