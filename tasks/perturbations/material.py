"""What a perturbation is given besides the cases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tasks.operations import Engine
from tasks.schemas import Context, QAPair


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """What a perturbation may look at besides the cases."""

    pairs: Mapping[str, QAPair]  # by qa_pair_id
    contexts: Mapping[str, Context]  # by context_id
    filing_ids: Mapping[str, str]  # context_id -> filing_id
    company_names: Mapping[str, str]  # context_id -> company, where the filing names one
    engine: Engine
    seed: int
    ocr_table: str | None = None  # file of a character table; None is the project's own
    ocr_max_error: float = 0.10
