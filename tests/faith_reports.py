"""Reports in FAITH's released layout, written by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SENTENCE = "Net sales were $4.1 million in 2023, up 5.1% from 2022."


def instance(uid: str = "one", start: int = 15, end: int = 27, **changes: Any) -> dict[str, Any]:
    row = {
        "uid": uid,
        "sentence": SENTENCE,
        "pre_sentence": "Wexcombe Mills spins wool.",
        "post_sentence": None,
        "mask_type": "A",
        "mask_span": [start, end],
        "masked_sentence": f"{SENTENCE[:start]}[MASK]{SENTENCE[end:]}",
        "ground_truth": "$4,100,000",
        "gpt-4.1_label": "answerable",
        "gemini-2.5-pro-label": "unanswerable",
        "claude-sonnet-4-label": None,
    }
    return row | changes


def report(*instances: Any, **changes: Any) -> dict[str, Any]:
    tables = [
        {"table_index": "0", "cells": [["", "2023"], ["Wool", "12"]], "pre_text": "Bales\nof wool"},
        {"table_index": "10", "cells": [["", "2023"], ["Dyes", "7"]], "pre_text": ""},
        {
            "table_index": "2",
            "cells": [["", "2023", "2022"], ["Net sales", "$4,100", "$3,900"], ["", "", ""]],
            "pre_text": "Results (in thousands)",
        },
    ]
    row = {
        "metadata": {"cik": "1800", "filing_date": "2024-02-16"},
        "tables": tables,
        "instances": list(instances) or [instance()],
    }
    return row | changes


def written(folder: Path, *reports: Any) -> Path:
    path = folder / "main.json"
    path.write_text(json.dumps(list(reports)).replace("null", "NaN"), encoding="utf-8")
    return path
