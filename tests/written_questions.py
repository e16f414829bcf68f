"""A writer and verifiers of TableQuest's questions that are told what to say, on small snippets."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from tasks.core.ids import canonical_json
from tasks.core.rows import Context
from tasks.inference.operation import Call
from tasks.suites.tablequest.snippets import write_snippet
from tests.scripted import Scripted
from tests.table_snippets import table_of

Fields = Mapping[str, Any]

SALES = {"name": "A", "table": 1, "row": "Net sales", "column": "2021", "value": "1,250"}
BEFORE = {"name": "B", "table": 1, "row": "Net sales", "column": "2020", "value": "1,291"}
WRITTEN: dict[str, Fields] = {
    "write_warmup": {"question": "Is the business shrinking?", "answer": "Yes, by 3.2%."},
    "write_easy": {
        "question": "What were net sales in 2021?",
        "cells": [SALES],
        "answer": "$1,250 million",
    },
    "write_medium": {
        "question": "By what percentage did net sales change from 2020 to 2021?",
        "steps": "(1,250 - 1,291) / 1,291 * 100 = -3.2%",
        "cells": [SALES, BEFORE],
        "calculation": "(A - B) / B * 100",
        "answer": "-3.2%",
    },
    "write_hard": {
        "question": "What do sales and costs together say about pricing?",
        "steps": "Sales fell less than costs.",
        "answer": "Prices held, since sales fell less than costs.",
    },
}
AGREEING: Fields = {
    "relevant": True,
    "reasonable": True,
    "valid": True,
    "sources": "table 1",
    "agrees": True,
    "reason": "The cells give it.",
}


def snippet(name: str, document_id: str | None = None, **details: Any) -> Context:
    """A snippet with one table, told apart by its name."""
    rows = [
        ("", "2021", "2020"),
        ("Net sales", "$1,250", "$1,291"),
        ("Cost of sales", "820", "905"),
    ]
    text = write_snippet([f"{name} (in millions)", table_of(rows)])
    known = {"table_ids": [f"{name} table"], "company": "Acme", "period_end": "2021-12-31"}
    return Context(
        context_id=name,
        document_ids=(document_id or f"document of {name}",),
        kind="snippet",
        text=text,
        n_tokens=50,
        encoding="cl100k_base",
        start_char=0,
        details=canonical_json(known | details),
    )


def writer(
    says: Callable[[str, str], Fields | str | None] | None = None, **changes: Fields | str | None
) -> Scripted:
    """A writer: what it says to (operation, snippet's text), or to an operation; else the truth."""

    def reply(call: Call) -> str | None:
        operation = call.request.operation
        said: Fields | str | None = changes.get(operation, WRITTEN[operation])
        if says is not None:
            said = says(operation, call.inputs()["context"])
        return said if said is None or isinstance(said, str) else json.dumps(said)

    return Scripted(reply, model="writer", identity="writer")


def verifier(model: str = "checker", own: str | None = None, **verdict: Any) -> Scripted:
    """A verifier that gives our answer to each question, and accepts it, unless told otherwise."""
    answers = {said["question"]: said["answer"] for said in WRITTEN.values()}

    def reply(call: Call) -> str:
        inputs = call.inputs()
        if call.request.operation == "rederive":
            return json.dumps(
                {"steps": "", "answer": own or answers.get(inputs["query"], "no answer")}
            )
        said = {"level": inputs["level"], **AGREEING, **verdict}
        return json.dumps({name: value for name, value in said.items() if value is not None})

    return Scripted(reply, model=model, identity=model)
