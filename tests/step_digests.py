"""Digests of the rows that each step makes of the packaged samples.

`python -m tests.step_digests` makes the rows anew and records their digests in
`tests/step_digests.json`. It refuses if rows of a step changed for no recorded reason: raise
the step's version first. `--check` records nothing and says what differs.

Each suite runs with the weightless models (`extractive`) and with the scripted ones of
`tests/servers/players.py`, whose replies are well formed in `clean` and not in `messy`. The run
`dataset` reads the pairs of `extractive` back from the suite's published layout.
"""

from __future__ import annotations

import argparse
import csv
import dataclasses
import hashlib
import json
import shutil
import sys
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from tasks.core.ids import canonical_json, sha256_hex
from tasks.core.rows import Response
from tasks.lake.lake import Commit, Lake
from tasks.pipeline.resolved import settings_of
from tasks.pipeline.settings import RunSettings
from tasks.suites.registry import SUITES, load_suite, with_exports
from tasks.warehouse.raw_tables import row_types
from tests.newsroom import newsroom
from tests.servers.serving import serving
from tests.without_prefect import flows_as_functions

ROOT = Path(__file__).parents[1]
FILE = Path(__file__).with_suffix(".json")
RUNS = ("extractive", "clean", "messy", "dataset")
COMMAND = "python -m tests.step_digests"

# Columns that differ from run to run, or from release to release of tenkbench.
MEASURED = {"n_cached", "latency_ms", "first_token_ms", "attempts", "engine_version", "cost_usd"}

# Options of a run, where the defaults would leave much of a suite out.
_OPTIONS: dict[str, dict[str, Any]] = {
    "failsafeqa extractive": {"pairs": 2},
    "failsafeqa clean": {"pairs": 2},
    "failsafeqa messy": {"pairs": 4, "context_tokens": 6_000, "seed": 3},
    "longcontext extractive": {
        "lengths": (4_000, 5_000),
        "queries": 2,
        "records": (2,),
        "single": True,
    },
    "longcontext clean": {
        "lengths": (4_000,),
        "queries": 1,
        "records": (2,),
        "placements": ("prepend", "append", "both", "best_practices"),
    },
    "longcontext messy": {
        "lengths": (4_000,),
        "queries": 2,
        "records": (3,),
        "placements": ("append",),
    },
    "refusalbench extractive": {"base_questions": 4, "per_stratum": 3},
    "refusalbench clean": {
        "base_questions": 2,
        "per_stratum": 1,
        "per_generator": 24,
        "answer_prompts": ("plain", "confidence"),
    },
    "refusalbench messy": {"base_questions": 2, "settings": ("single",)},
    "tablequest extractive": {"baseline": "extractive"},
    "tablequest clean": {"contexts": 2},
    "tablequest messy": {"contexts": 2},
}


# --- the runs ------------------------------------------------------------------------------


@contextmanager
def ingested() -> Iterator[Path]:
    """Read the samples once: a lake to copy. Flows are functions while the block runs."""
    with tempfile.TemporaryDirectory() as folder, flows_as_functions():
        from flows.ingest import ingest

        lake = Path(folder, "lake")
        ingest(RunSettings(lake=str(lake), workers=1))
        yield lake


@contextmanager
def players() -> Iterator[str]:
    """Start the scripted models, and yield their address."""
    with serving(reply_rule="tests.servers.table_judges:reply", models=RUNS[1:3]) as server:
        yield server.url


def runs_of(suite: str) -> list[str]:
    """List a suite's runs; one without a published layout reads no data set."""
    return [run for run in RUNS if run != "dataset" or load_suite(suite).published is not None]


def settings(suite: str, run: str, lake: Path, url: str) -> RunSettings:
    """Make a run's settings; in `clean` and `messy` a scripted model plays every role."""
    declared = load_suite(suite)
    given: dict[str, Any] = {"suite": suite, "lake": str(lake), "workers": 1}
    if run == "dataset":
        return settings_of(**given, dataset=str(_published_file(suite, lake)))
    model = f"{run}@{url}"
    by_rules = run == "extractive"
    if by_rules:
        given["model"] = ("extractive", "extractive-bold")
    else:
        given["model"] = (model,)
        given |= {role.name: _named(run, url, role.models[0]) for role in declared.roles}
    if (suite, run) == ("longcontext", "clean"):
        given["articles"] = str(_news_file(lake))  # without sentiments: the panel labels them
    if suite == "tablequest":
        judges = () if by_rules else (f"accuracy={model}", f"critique={model}")
        given["judge"] = ("reference", *judges)
    elif declared.model_judges:
        given |= {"judge_repeats": 0.5, "attacks": True}
        given |= {} if by_rules else {"judge": (model,)}
    return settings_of(**given, **_OPTIONS.get(f"{suite} {run}", {}))


def _published_file(suite: str, lake: Path) -> Path:
    """Return the file that a suite exports, or one that is written by hand."""
    by_hand = Path(__file__).with_name("published") / f"{suite}.jsonl"
    return by_hand if by_hand.exists() else lake.with_name(f"{suite}.jsonl")


def _news_file(lake: Path) -> Path:
    file = lake.with_name("news.csv")
    rows = ((row.title, row.mentions[0].company, row.published) for row in newsroom(300))
    with file.open("w", encoding="utf-8", newline="") as opened:
        csv.writer(opened).writerows([("title", "company", "date"), *rows])
    return file


def _named(run: str, url: str, n: int) -> tuple[str, ...]:
    return tuple(f"{run}-{number}@{url}" if n > 1 else f"{run}@{url}" for number in range(1, n + 1))


def run_suite(suite: str, run: str, ingested: Path, url: str) -> RunSettings:
    """Run a suite in a copy of the lake that holds the samples; `dataset` after `extractive`."""
    from flows.benchmark import benchmark
    from flows.build import build
    from flows.cli.exchange import export_published
    from flows.ingest import ingest

    lake = ingested.with_name(f"{suite}-{run}")
    made = settings(suite, run, lake, url)
    if run == "dataset":
        if suite in with_exports():
            before = ingested.with_name(f"{suite}-extractive")
            export_published(str(before), made.release, suite, _published_file(suite, lake))
        ingest(made)
        build(made)
        return made
    shutil.copytree(ingested, lake)
    benchmark(made)
    return made


# --- digests -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Made:
    """What a step made.

    Attributes:
        settings: digest of its identity but for version, inputs and packages.
        tables: table -> digest of its rows.
        reads: names of the steps that it read; not recorded.
    """

    version: int
    settings: str
    tables: Mapping[str, str]
    reads: Sequence[str] = field(default=(), compare=False)


Steps = dict[str, Made]


def steps_of(run: RunSettings) -> Steps:
    """Digest every step of a run's lake, by name."""
    lake = Lake(run.lake)
    return {commit.step.name: _made(lake, commit) for commit in lake.commits(run.release)}


def _made(lake: Lake, commit: Commit) -> Made:
    tables = sorted({part.table for part in commit.parts})
    rest = {
        name: value
        for name, value in commit.identity.items()
        if name not in ("version", "inputs", "packages")
    }
    return Made(
        version=commit.identity["version"],
        settings=sha256_hex(canonical_json(rest))[:16],
        tables={table: digest(lake.read(commit, row_types()[table])) for table in tables},
        reads=tuple(commit.identity["inputs"]),
    )


def digest(rows: Sequence[Any]) -> str:
    """Hash rows whatever their order: 16 hexadecimal digits of a SHA-256."""
    lines = sorted(canonical_json(_record(row)) for row in rows)
    return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _record(row: Any) -> dict[str, Any]:
    measured = MEASURED if isinstance(row, Response) else set()
    columns = {each.name: getattr(row, each.name) for each in dataclasses.fields(row)}
    # without nulls, a column that only later rows fill changes no digest
    return {
        name: _plain(value)
        for name, value in columns.items()
        if name not in measured and value is not None
    }


def _plain(value: Any) -> Any:
    """Return a JSON value; floats lose their last digits, in which machines may differ."""
    if isinstance(value, float):
        return float(f"{value:.10g}")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    if dataclasses.is_dataclass(value):
        return {
            each.name: _plain(getattr(value, each.name))
            for each in dataclasses.fields(value)
            if each.default is dataclasses.MISSING or getattr(value, each.name) is not None
        }
    return value


# --- comparison ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Difference:
    """A step that differs from its record; `is_unversioned` if nothing recorded explains it."""

    step: str
    said: str
    is_unversioned: bool


def differences(suite: str, run: str, recorded: Steps, made: Steps) -> list[Difference]:
    """Compare a run's steps with the recorded ones; those to blame first."""
    changed = {step for step in {*recorded, *made} if recorded.get(step) != made.get(step)}
    found = []
    for step in sorted(changed):
        before, now = recorded.get(step), made.get(step)
        why = _reason(before, now, changed)
        said = f'{suite}, run "{run}", step "{step}" changed: {why}. Run `{COMMAND}` to record it.'
        if before is not None and now is not None and why == UNVERSIONED:
            every = sorted({*before.tables, *now.tables})
            tables = [name for name in every if before.tables.get(name) != now.tables.get(name)]
            said += f" Rows of {', '.join(tables)} changed: raise version {now.version} first."
        found.append(Difference(step, said, why == UNVERSIONED))
    return sorted(found, key=lambda each: not each.is_unversioned)


UNVERSIONED = "its rows did, but its version did not"


def _reason(before: Made | None, now: Made | None, changed: Collection[str]) -> str:
    """Say why a step differs from its record."""
    if before is None:
        return "it is new"
    if now is None:
        return "it is not made any more"
    if before.version != now.version:
        return f"its version is {now.version}, and {before.version} is recorded"
    if before.settings != now.settings:
        return "its parameters, prompts or files did"
    if upstream := sorted({*changed} & {*now.reads}):
        return f"so did {upstream[0]}, which it reads"
    return UNVERSIONED


# --- the file ------------------------------------------------------------------------------

Recorded = dict[str, dict[str, Steps]]  # suite -> run -> steps


def read_recorded() -> Recorded:
    """Read the recorded digests; none if there is no file."""
    if not FILE.exists():
        return {}
    content = json.loads(FILE.read_text(encoding="utf-8"))
    return {
        suite: {
            run: {step: Made(**made) for step, made in steps.items()} for run, steps in runs.items()
        }
        for suite, runs in content.items()
    }


def write_recorded(recorded: Recorded) -> None:
    """Write the digests."""

    def written(made: Made) -> dict[str, Any]:
        return {"version": made.version, "settings": made.settings, "tables": made.tables}

    content = json.dumps(recorded, indent=1, sort_keys=True, default=written)
    FILE.write_text(content + "\n", encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the rows anew, and record their digests or say what differs."""
    parser = argparse.ArgumentParser(prog=COMMAND, description=main.__doc__)
    parser.add_argument("--check", action="store_true", help="record nothing")
    parser.add_argument("--suite", action="append", choices=sorted(SUITES), help="only this suite")
    parser.add_argument("--run", action="append", choices=RUNS, help="only this run")
    options = parser.parse_args(arguments)
    recorded = read_recorded()
    found: list[Difference] = []
    with ingested() as lake, players() as url:
        for suite in options.suite or SUITES:
            of_suite = recorded.setdefault(suite, {})
            for run in options.run or runs_of(suite):
                made = steps_of(run_suite(suite, run, lake, url))
                found += differences(suite, run, of_suite.get(run, {}), made)
                of_suite[run] = made
    print(*(each.said for each in found), sep="\n")
    if options.check:
        return int(bool(found))
    if any(each.is_unversioned for each in found):
        print("nothing was recorded")
        return 1
    write_recorded(recorded)
    return 0


if __name__ == "__main__":
    sys.exit(main())
