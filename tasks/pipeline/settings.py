"""Settings of a run: command-line options and flow parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from shlex import quote
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, ModelWrapValidatorHandler, ValidationError, model_validator
from pydantic.dataclasses import dataclass
from pydantic.fields import FieldInfo

from tasks.core.errors import WrongSettings

PATHS = ("lake", "filings", "dataset", "models_file", "prompts")
# What an error says of a value, in place of pydantic's words.
_REFUSED = {
    "string_too_short": "is empty. Give it a value or leave it out.",
    "too_short": "is empty. Name at least one.",
    "string_pattern_mismatch": "is no name of a release. Use letters, digits and . _ - only.",
}

# Their tables come with the installation, so nothing is downloaded.
Encoding = Literal["cl100k_base", "o200k_base"]
Text = Annotated[str, Field(min_length=1)]
Count = Annotated[int, Field(ge=1)]
Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0, le=1)]
ReleaseName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
Models = Annotated[tuple[str, ...], Field(min_length=1)]


@dataclass(
    frozen=True,
    kw_only=True,
    config=ConfigDict(
        extra="forbid", use_attribute_docstrings=True, field_title_generator=lambda name, _: name
    ),
)
class RunSettings:
    """One suite, or several, on one release of one lake.

    The command line, the form of a deployment and the checks come from these fields. A step's
    identity holds every setting that changes a row. It leaves out lake, contact, edgar_url,
    workers, budget, patience, fresh, retry_failed and force.
    """

    lake: Text = "lake"
    """Folder, made if missing, or s3://bucket/prefix in an existing bucket."""
    release: ReleaseName = "dev"
    """Name of the release; it is frozen once made, unless it is `dev` or ends in -dev."""
    suite: str = "failsafeqa"
    """Benchmark to run; several with commas between, or all; see `tenkbench suites`."""
    filings: Text | None = None
    """10-K file or folder, or edgar:1998,2018Q1 [default: the packaged samples]."""
    companies: Text | None = None
    """EDGAR companies: tickers or CIKs, comma-separated, a file of them, or sp500."""
    # not 10-KSB (other Items), 10-KT (other period), /A (often one Item)
    forms: str = "10-K,10-K405"
    """Form types to take from EDGAR, comma-separated."""
    sample: Count | None = None
    """Number of EDGAR filings to draw, by seed and accession number."""
    contact: Text | None = None
    """Company and e-mail address to send to EDGAR; the SEC requires both."""
    edgar_url: str = "https://www.sec.gov"
    """Base URL of EDGAR or of a mirror."""
    new_only: bool = False
    """Reject filings that another frozen release of the lake already has."""
    dataset: Text | None = None
    """The suite's published file, instead of filings."""
    model: Models = ("extractive",)
    """Model under test, repeatable; see `tenkbench models`."""
    judge: tuple[str, ...] = ()
    """Model, rule or JUDGE=MODEL to judge all answers, repeatable [default: the suite's]."""
    judge_repeats: Share = 0.0
    """Share of cases to rate twice; second verdicts are compared, not counted."""
    attacks: bool = False
    """Try each judge by answers that are made to deceive it."""
    limit: Count | None = None
    """Maximum number of filings, or of records in a published file."""
    seed: int = 17
    """Seed of every random draw."""
    encoding: Encoding = "cl100k_base"
    """Encoding of tiktoken for counting tokens."""
    roles: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Models that the suite asks while it is built, by role, such as generator."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """The suite's own settings; see `tenkbench run --suite NAME --help`."""
    models_file: Text | None = None
    """TOML file of your own models, laid out like `tasks/models/models.toml`."""
    prompts: Text | None = None
    """Folder of your own prompts, laid out like SUITE/NAME.txt; the rest stays packaged."""
    budget: Amount | None = None
    """US dollars to spend on this run's calls; it stops before it exceeds them."""
    patience: Amount | None = None
    """Seconds to wait for a server [default: 5 until its first answer, then 60; 300 if it limits
    calls]."""
    fresh: bool = False
    """Ask models again instead of using answers in the response cache."""
    retry_failed: bool = False
    """Ask failed calls again, even in finished steps."""
    workers: Count | None = None
    """Number of processes [default: one per core]."""
    force: bool = False
    """Rewrite finished steps, even in a frozen release."""

    @model_validator(mode="wrap")
    @classmethod
    def _name_options(cls, values: Any, check: ModelWrapValidatorHandler[Any]) -> Any:
        """Say which option is invalid."""
        try:
            return check(values)
        except ValidationError as wrong:
            raise WrongSettings("; ".join(map(describe_error, wrong.errors()))) from wrong

    @model_validator(mode="after")
    def _exclude_each_other(self) -> RunSettings:
        if self.filings is not None and self.dataset is not None:
            raise WrongSettings(
                "--filings and --dataset exclude each other. A dataset has its own contexts."
            )
        if self.new_only and self.dataset is not None:
            raise WrongSettings(
                "--new-only and --dataset exclude each other. All rows of a dataset are used."
            )
        return self


# Settings of every suite, by name.
SHARED: Mapping[str, FieldInfo] = RunSettings.__pydantic_fields__  # type: ignore[attr-defined]


def describe_error(error: Any) -> str:
    """Describe an error of pydantic in terms of command line options."""
    message = str(error["msg"]).removeprefix("Value error, ")
    if not error["loc"]:  # of several fields together
        return message
    option, value = flag(str(error["loc"][0])), error["input"]
    if error["type"] in _REFUSED:
        shown = f" {value}" if value else ""
        return f"{option}{shown} {_REFUSED[error['type']]}"
    if message.startswith("Input should be "):
        return f"{option} must be {message.removeprefix('Input should be ')}, not {value}"
    shown = " ".join(map(str, value)) if isinstance(value, list | tuple) else value
    return f"{option} {shown}: {message[:1].lower()}{message[1:]}"


def flag(name: str) -> str:
    """Spell a setting as a command line option."""
    return f"--{name.replace('_', '-')}"


def place_options(**place: str | None) -> str:
    """Spell lake, release and suite as options of a proposed command, without defaults."""
    defaults = RunSettings()
    stated = {name: value for name, value in place.items() if value != getattr(defaults, name)}
    return "".join(f" {flag(name)} {quote(value or '')}" for name, value in stated.items())
