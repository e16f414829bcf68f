"""The rules that cite sentences of the document for an answer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache

from tasks.baseline.failsafeqa.evidence import Evidence, read_tagged
from tasks.suites.failsafeqa.citations import json_spans, longcite
from tasks.text.sentences import split_sentences


def reply_in_longcite(inputs: longcite.Inputs) -> str:
    """Cite in LongCite's format."""
    statements = []
    for statement, runs in _cited(inputs, "C"):
        cited = "".join(f"[{first}-{last}]" for first, last in runs)
        statements.append(f"<statement>{statement}<cite>{cited}</cite></statement>")
    return "\n".join(statements)


def reply_in_json(inputs: json_spans.Inputs) -> str:
    """Cite in JSON."""
    statements = [
        {"statement": statement, "citation": runs} for statement, runs in _cited(inputs, "S")
    ]
    return json.dumps({"statements": statements}, ensure_ascii=False)


def _cited(
    inputs: longcite.Inputs | json_spans.Inputs, letter: str
) -> Iterator[tuple[str, list[tuple[int, int]]]]:
    """Find the runs of sentences that support each sentence of the answer."""
    evidence = _evidence(inputs.context, letter)
    for start, end in split_sentences(inputs.answer):
        statement = inputs.answer[start:end]
        yield statement, evidence.supporting(statement, inputs.query)


@lru_cache(maxsize=4)
def _evidence(tagged: str, letter: str) -> Evidence:
    return Evidence(read_tagged(tagged, letter))
