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
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from tasks.core.ids import canonical_json, sha256_hex
from tasks.core.tables import table_of
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
MEASURED = {
    "responses": {
        "n_cached",
        "latency_ms",
        "first_token_ms",
        "attempts",
        "engine_version",
        "cost_usd",
    }
}

# Options of a run, where the defaults would leave much of a suite out.
_OPTIONS: dict[tuple[str, str], dict[str, Any]] = {
    ("failsafeqa", "extractive"): {"pairs": 2},
    ("failsafeqa", "clean"): {"pairs": 2},
    ("failsafeqa", "messy"): {
        "pairs": 4,
        "context_tokens": 6_000,
        "seed": 2,
    },
    ("longcontext", "extractive"): {"lengths": (4_000, 5_000), "queries": 2, "records": (2,)},
    ("longcontext", "clean"): {
        "lengths": (4_000,),
        "queries": 1,
        "records": (2,),
        "placements": ("prepend", "append", "both", "best_practices"),
    },
    ("longcontext", "messy"): {
        "lengths": (4_000,),
        "queries": 2,
        "records": (3,),
        "placements": ("append",),
    },
    ("refusalbench", "extractive"): {"base_questions": 4, "per_stratum": 3},
    ("refusalbench", "clean"): {
        "base_questions": 2,
        "per_stratum": 1,
        "per_generator": 24,
        "answer_prompts": ("plain", "confidence"),
    },
    ("refusalbench", "messy"): {"base_questions": 2, "settings": ("single",)},
    ("tablequest", "extractive"): {"baseline": "extractive"},
    ("tablequest", "clean"): {"contexts": 2},
    ("tablequest", "messy"): {"contexts": 2},
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
    if run == "extractive":
        given["model"] = ("extractive", "extractive-bold")
    else:
        given["model"] = (f"{run}@{url}",)
        given |= {role.name: _named(run, url, role.models[0]) for role in declared.roles}
    if (suite, run) == ("longcontext", "clean"):
        given["articles"] = str(_news_file(lake))  # without sentiments: the panel labels them
    if suite == "tablequest":
        model = f"{run}@{url}"
        judges = () if run == "extractive" else (f"accuracy={model}", f"critique={model}")
        given["judge"] = ("reference", *judges)
    elif declared.model_judges:
        given |= {"judge_repeats": 0.5, "attacks": True} | (
            {} if run == "extractive" else {"judge": (f"{run}@{url}",)}
        )
    return settings_of(**given, **_OPTIONS.get((suite, run), {}))


def _published_file(suite: str, lake: Path) -> Path:
    """Return the file that a suite exports, or one that is written by hand."""
    by_hand = Path(__file__).with_name("published") / f"{suite}.jsonl"
    return by_hand if by_hand.exists() else lake.with_name(f"{suite}.jsonl")


def _news_file(lake: Path) -> Path:
    file = lake.with_name("news.csv")
    rows = (
        (article.title, article.mentions[0].company, article.published) for article in newsroom(300)
    )
    with file.open("w", encoding="utf-8", newline="") as opened:
        csv.writer(opened).writerows([("title", "company", "date"), *rows])
    return file


def _named(run: str, url: str, n: int) -> tuple[str, ...]:
    return tuple(f"{run}-{number}@{url}" if n > 1 else f"{run}@{url}" for number in range(1, n + 1))


def run_suite(suite: str, run: str, ingested: Path, url: str) -> RunSettings:
    """Run a suite in a copy of the lake that holds the samples; `dataset` after `extractive`."""
    from flows.benchmark import benchmark
    from flows.build import build
    from flows.cli.exports import export_published
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
    tables = {part.table for part in commit.parts}
    rest = {
        name: value
        for name, value in commit.identity.items()
        if name not in ("version", "inputs", "packages")
    }
    return Made(
        version=commit.identity["version"],
        settings=sha256_hex(canonical_json(rest))[:16],
        tables={table: digest(lake.read(commit, row_types()[table])) for table in sorted(tables)},
        reads=tuple(commit.identity["inputs"]),
    )


def digest(rows: Sequence[Any]) -> str:
    """Hash rows whatever their order: 16 hexadecimal digits of a SHA-256."""
    lines = sorted(canonical_json(_record(row)) for row in rows)
    return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _record(row: Any) -> dict[str, Any]:
    measured = MEASURED.get(table_of(type(row)).name, set())
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

    def __str__(self) -> str:
        return self.said


def differences(suite: str, run: str, recorded: Steps, made: Steps) -> list[Difference]:
    """Compare a run's steps with the recorded ones; those to blame first."""
    changed = {step for step, now in made.items() if recorded.get(step) != now}
    found = []
    for step in sorted({*recorded, *made}):
        before, now = recorded.get(step), made.get(step)
        if before == now:
            continue
        place = f'{suite}, run "{run}", step "{step}"'
        if before is None or now is None:
            why = "it is recorded no more" if before is None else "it is not made any more"
            why = "it is new" if before is None else why
        elif before.version != now.version:
            why = f"its version is {now.version}, and {before.version} is recorded"
        elif before.settings != now.settings:
            why = "its parameters, prompts or files changed"
        elif upstream := sorted(changed & set(now.reads)):
            why = f"so did {upstream[0]}, which it reads"
        else:
            tables = ", ".join(
                table
                for table in sorted({*before.tables, *now.tables})
                if before.tables.get(table) != now.tables.get(table)
            )
            said = (
                f"{place}: rows of {tables} changed, but the step's version is still "
                f"{now.version}. Raise it, then run `{COMMAND}` to record the new digests."
            )
            found.append(Difference(step, said, True))
            continue
        found.append(
            Difference(step, f"{place} changed: {why}. Run `{COMMAND}` to record it.", False)
        )
    return sorted(found, key=lambda each: not each.is_unversioned)


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
    content = {
        suite: {
            run: {step: _written(made) for step, made in steps.items()}
            for run, steps in runs.items()
        }
        for suite, runs in recorded.items()
    }
    FILE.write_text(json.dumps(content, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def _written(made: Made) -> dict[str, Any]:
    return {"version": made.version, "settings": made.settings, "tables": dict(made.tables)}


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the rows anew, and record their digests or say what differs."""
    parser = argparse.ArgumentParser(
        prog=COMMAND, description="record the digests of every step's rows"
    )
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
    print(*found, sep="\n")
    if any(each.is_unversioned for each in found):
        print("nothing was recorded")
        return 1
    write_recorded(recorded)
    return 0


if __name__ == "__main__":
    sys.exit(main())
