"""A dataset of 100 kB contexts in FailSafeQA's layout: what the whole commands are measured on."""

from __future__ import annotations

import json
from pathlib import Path

from tests.bench.roads.workload import make_workload

N_PAIRS = 220  # the paper's: seven cases each


def released_file(folder: Path) -> Path:
    """220 rows, each with a context of its own."""
    workload = make_workload(folder / "workload", N_PAIRS, rendered=False)
    records = []
    for number, line in enumerate(
        workload.cases.read_text(encoding="utf-8").rstrip("\n").split("\n")
    ):
        case = json.loads(line)
        query = case["query"]
        records.append(
            {
                "idx": number,
                "query": query,
                "answer": "It is in the filing.",
                "citations": case["context"][:200],
                "context": case["context"],
                "ocr_context": case["context"].replace("l", "1"),
                "error_query": f"{query} misspeled",
                "incomplete_query": query[: len(query) // 2],
                "out-of-domain_query": f"In other words: {query}",
                "out-of-scope_query": f"Something else than: {query}",
            }
        )
    released = folder / "released.jsonl"
    released.write_text(json.dumps(records), encoding="utf-8")
    return released
