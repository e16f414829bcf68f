"""What a run is asked to do: the command line's options and the flows' parameters."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSettings:
    """One suite on one release of one lake.

    What changes a row is in a step's identity; `lake`, `workers` and `force` only say where
    and how fast, and never are.
    """

    lake: str = "lake"
    release: str = "dev"
    suite: str = "failsafeqa"
    filings: str | None = None  # file or folder; None is the packaged samples
    dataset: str | None = None  # the suite's published file, in place of filings
    models: tuple[str, ...] = ("extractive",)
    generator: str = "extractive"  # writes dialogues, rates, rewrites, perturbs, checks
    citer: str = "extractive"  # finds citations
    judge: str = "extractive"
    limit: int | None = None  # filings
    pairs: int = 4  # accepted pairs per filing, at most
    seed: int = 17
    context_tokens: int = 25_000
    encoding: str = "cl100k_base"
    start: str = "filing"  # or the Item at which contexts start
    citation_format: str = "longcite"  # or json, for generators that were not trained on LongCite's
    examples: str | None = None  # file of few-shot dialogue turns; None is the project's own
    ocr_table: str | None = None  # file of character confusions; None is the project's own
    ocr_max_error: float = 0.10
    beta: float = 0.5  # of LLM Compliance
    workers: int | None = None  # processes; None is one per core
    force: bool = False  # rewrite finished steps, also of a frozen release
