"""What a run is asked to do: the command line's options and the flows' parameters."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from tasks.core.errors import WrongSettings

# The encodings whose tables come with the installation: nothing is downloaded.
Encoding = Literal["cl100k_base", "o200k_base"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSettings:
    """One suite on one release of one lake.

    What changes a row is in a step's identity; lake, contact, edgar_url, workers, budget, fresh, retry_failed and force
    only say where, how fast and at what cost, and never are.

    Args:
        lake: folder of the lake, made when missing, or s3://bucket/prefix in a bucket that is there.
        release: name of the data set's edition; `dev` and names that end in -dev may change, others are frozen once made.
        suite: benchmark to run; `tenkbench suites` lists them.
        filings: file or folder of 10-K filings (.htm .html .txt, each also .gz), or `edgar:` and years, quarters or index files (edgar:1998,2018Q1), of which a release keeps what it found, also of a quarter that is not over, until --force; the packaged samples when not given.
        companies: of EDGAR's filings those of these companies: tickers and CIKs with commas between, or a file of them.
        forms: of EDGAR's filings those of these form types, with commas between.
        sample: draw this many of EDGAR's filings, by seed and accession number.
        sectors: shares of the sample by sector or SIC codes, such as `finance=0.4,7370-7379=0.2,manufacturing=0.4`; they come to 1.
        contact: company and e-mail address, which the SEC wants of who downloads from EDGAR; it allows an internet address ten requests a second, and we make eight over your runs on this machine and over all machines with the same S3 lake, but know of no others behind that address.
        edgar_url: where EDGAR is; a mirror of it does, too.
        new_only: leave out filings that another frozen release of the lake has already, of whatever name; they become rejects.
        dataset: the suite's published file, in place of filings.
        model: model under test, repeatable; `tenkbench models` lists them.
        judge: model that rates answers, or a rule of the suite's own, repeatable; each judges all answers, and metrics are reported per judge. The suite's own by default.
        judge_repeats: share of cases whose answers each judge rates a second time; its verdicts are compared, not counted.
        limit: read at most this many filings, or records of a published file.
        seed: seed of everything that is drawn.
        encoding: tiktoken encoding that counts them.
        roles: models that the suite asks while it is built, by role, such as generator.
        options: settings of the suite's own; `tenkbench run --suite NAME --help` lists them.
        models_file: TOML file with models of your own, laid out as the catalogue's `tasks/models/models.toml`.
        budget: US dollars that this run may spend on calls; it stops before it would spend more.
        fresh: ask again what the lake's response cache already has answers to; a killed run is gone on with by the same command.
        retry_failed: ask again the calls that failed, of finished steps too.
        workers: processes; one per core when not given.
        force: rewrite finished steps, also those of a frozen release.
    """

    lake: str = "lake"
    release: str = "dev"
    suite: str = "failsafeqa"
    filings: str | None = None
    companies: str | None = None
    forms: str = "10-K,10-K405"  # 10-KSB has other Items, 10-KT another length of the year, /A often one Item only
    sample: int | None = None
    sectors: str | None = None
    contact: str | None = None
    edgar_url: str = "https://www.sec.gov"
    new_only: bool = False
    dataset: str | None = None
    model: tuple[str, ...] = ("extractive",)
    judge: tuple[str, ...] = ()
    judge_repeats: float = 0.0
    limit: int | None = None
    seed: int = 17
    encoding: Encoding = "cl100k_base"
    roles: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    models_file: str | None = None
    budget: float | None = None
    fresh: bool = False
    retry_failed: bool = False
    workers: int | None = None
    force: bool = False

    def __post_init__(self) -> None:
        """Refuse what cannot work.

        Raises:
            WrongSettings: one sentence that names the setting.
        """
        for name in ("limit", "sample", "workers"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise WrongSettings(f"{name} must be at least 1, not {value}")
        if not 0 <= self.judge_repeats <= 1:
            raise WrongSettings(
                f"judge_repeats is a share of the cases, 0 to 1, not {self.judge_repeats}"
            )
        if self.budget is not None and not 0 <= self.budget < math.inf:
            raise WrongSettings(f"budget is an amount of US dollars, not {self.budget}")
        for name in (
            "filings",
            "companies",
            "sectors",
            "contact",
            "dataset",
            "lake",
            "models_file",
        ):
            if getattr(self, name) == "":
                raise WrongSettings(f"{name} is empty; leave it out or name a file or folder")
        if self.sectors is not None and self.sample is None:
            raise WrongSettings(
                "sectors are shares of a sample: say how many filings it has, with sample"
            )
        if self.filings is not None and self.dataset is not None:
            raise WrongSettings(
                "filings and dataset exclude each other: a dataset brings its own contexts"
            )
        if self.new_only and self.dataset is not None:
            raise WrongSettings(
                "new_only and dataset exclude each other: a dataset's rows are taken as they are"
            )
        if not self.model:
            raise WrongSettings("name at least one model")
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", self.release):
            raise WrongSettings(
                f"a release's name is letters, digits, dots, dashes and underscores, not {self.release!r}"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class RefreshSettings(RunSettings):
    __doc__ = RunSettings.__doc__  # what its options and form say of each field

    release: str = (
        "quarter"  # to be called after its quarter: `dev` is a name that may be asked for
    )
