"""Settings of a run: command-line options and flow parameters."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from shlex import quote
from typing import Any, Literal

from tasks.core.errors import WrongSettings

# What the form of a deployment checks, too: setting -> the smallest and the largest value.
BOUNDS: dict[str, tuple[float, float | None]] = {
    "limit": (1, None),
    "sample": (1, None),
    "workers": (1, None),
    "judge_repeats": (0, 1),
    "budget": (0, None),
    "patience": (0, None),
}
NEVER_EMPTY = (
    "filings",
    "companies",
    "sectors",
    "contact",
    "dataset",
    "lake",
    "models_file",
    "prompts",
)
PATHS = ("lake", "filings", "dataset", "models_file", "prompts")
RELEASE_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]*"
_KINDS = {
    "judge_repeats": "a share of the cases from 0 to 1",
    "budget": "an amount of US dollars",
    "patience": "a number of seconds",
}

# Their tables come with the installation, so nothing is downloaded.
Encoding = Literal["cl100k_base", "o200k_base"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSettings:
    """One suite on one release of one lake.

    A step's identity holds every setting that changes a row. It leaves out lake, contact,
    edgar_url, workers, budget, patience, fresh, retry_failed and force.

    Args:
        lake: Folder, made if missing, or s3://bucket/prefix in an existing bucket.
        release: Name of the release; it is frozen once made, unless it is `dev` or ends in -dev.
        suite: Benchmark to run; see `tenkbench suites`.
        filings: 10-K file or folder, or edgar:1998,2018Q1 [default: the packaged samples].
        companies: EDGAR companies: tickers or CIKs, comma-separated, a file of them, or sp500.
        forms: Form types to take from EDGAR, comma-separated.
        sample: Number of EDGAR filings to draw, by seed and accession number.
        sectors: Mix of the sample by sector or SIC code, such as finance=0.4,7370-7379=0.6.
        contact: Company and e-mail address to send to EDGAR; the SEC requires both.
        edgar_url: Base URL of EDGAR or of a mirror.
        new_only: Reject filings that another frozen release of the lake already has.
        dataset: The suite's published file, instead of filings.
        model: Model under test, repeatable; see `tenkbench models`.
        judge: Model, rule or JUDGE=MODEL to judge all answers, repeatable [default: the suite's].
        judge_repeats: Share of cases to rate twice; second verdicts are compared, not counted.
        attacks: Try each judge by answers that are made to deceive it.
        limit: Maximum number of filings, or of records in a published file.
        seed: Seed of every random draw.
        encoding: Encoding of tiktoken for counting tokens.
        roles: Models that the suite asks while it is built, by role, such as generator.
        options: The suite's own settings; see `tenkbench run --suite NAME --help`.
        models_file: TOML file of your own models, laid out like `tasks/models/models.toml`.
        prompts: Folder of your own prompts, laid out like SUITE/NAME.txt; the rest stays packaged.
        budget: US dollars to spend on this run's calls; it stops before it exceeds them.
        patience: Seconds to wait for a server [default: 60 if it is down, 300 if it limits calls].
        fresh: Ask models again instead of using answers in the response cache.
        retry_failed: Ask failed calls again, even in finished steps.
        workers: Number of processes [default: one per core].
        force: Rewrite finished steps, even in a frozen release.
    """

    lake: str = "lake"
    release: str = "dev"
    suite: str = "failsafeqa"
    filings: str | None = None
    companies: str | None = None
    forms: str = (
        "10-K,10-K405"  # not 10-KSB (other Items), 10-KT (other period), /A (often one Item)
    )
    sample: int | None = None
    sectors: str | None = None
    contact: str | None = None
    edgar_url: str = "https://www.sec.gov"
    new_only: bool = False
    dataset: str | None = None
    model: tuple[str, ...] = ("extractive",)
    judge: tuple[str, ...] = ()
    judge_repeats: float = 0.0
    attacks: bool = False
    limit: int | None = None
    seed: int = 17
    encoding: Encoding = "cl100k_base"
    roles: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    models_file: str | None = None
    prompts: str | None = None
    budget: float | None = None
    patience: float | None = None
    fresh: bool = False
    retry_failed: bool = False
    workers: int | None = None
    force: bool = False

    def __post_init__(self) -> None:
        """Reject settings that cannot work.

        Raises:
            WrongSettings: the message names the setting.
        """
        for name, (least, most) in BOUNDS.items():
            value = getattr(self, name)
            is_within = value is None or (
                least <= value < math.inf and (most is None or value <= most)
            )
            if not is_within:
                kind = _KINDS.get(name, f"at least {least}")
                raise WrongSettings(f"{flag(name)} must be {kind}, not {value}")
        for name in NEVER_EMPTY:
            if getattr(self, name) == "":
                raise WrongSettings(f"{flag(name)} is empty. Give it a value or leave it out.")
        if self.sectors is not None and self.sample is None:
            raise WrongSettings(
                "--sectors needs --sample, the number of filings to divide among the sectors."
            )
        if self.filings is not None and self.dataset is not None:
            raise WrongSettings(
                "--filings and --dataset exclude each other. A dataset has its own contexts."
            )
        if self.new_only and self.dataset is not None:
            raise WrongSettings(
                "--new-only and --dataset exclude each other. All rows of a dataset are used."
            )
        if not self.model:
            raise WrongSettings("name at least one model")
        if not re.fullmatch(RELEASE_NAME, self.release):
            raise WrongSettings(
                f"Wrong release name {self.release!r}. Use letters, digits and . _ - only."
            )


def flag(name: str) -> str:
    """Spell a setting as a command line option."""
    return f"--{name.replace('_', '-')}"


def place_options(**place: str) -> str:
    """Spell lake, release and suite as options of a proposed command, without defaults."""
    defaults = RunSettings()
    said = {name: value for name, value in place.items() if value != getattr(defaults, name)}
    return "".join(f" --{name} {quote(value)}" for name, value in said.items())


@dataclass(frozen=True, slots=True, kw_only=True)
class RefreshSettings(RunSettings):
    __doc__ = RunSettings.__doc__  # the help texts of the options and of the form

    release: str = "quarter"  # stands for the quarter's own name; `dev` is a valid request
