"""Pairs that are asked on filings of their own."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

from tasks.core.rows import Context, Document, Filing

FILING = Filing(
    filing_id="",
    cik=None,
    company=None,
    sic="2080",
    form="10-K",
    period_end=date(2019, 12, 31),
    filed_date=date(2020, 2, 14),
    format="ixbrl",
    source_uri="",
    sha256="",
    n_bytes=1,
)


def add_pair_of_filing(
    lake: Any, name: str, *, task: str = "qa", n_tokens: int = 20_000, **filing: Any
) -> None:
    """A pair whose context is the whole of a filing of its own."""
    lake.add_pair(name, task=task)
    lake.add(replace(FILING, filing_id=f"filing of {name}", **filing), suite=None)
    lake.add(
        Document(
            document_id=f"document of {name}",
            filing_id=f"filing of {name}",
            text="",
            n_tokens=n_tokens,
            encoding="cl100k_base",
            items=(),
            paragraphs=(),
        ),
        suite=None,
    )
    lake.add(
        Context(
            context_id=f"context of {name}",
            document_ids=(f"document of {name}",),
            kind="truncated",
            text="",
            n_tokens=n_tokens,
            encoding="cl100k_base",
            start_char=0,
        )
    )
