"""The plan of a run: its steps, in order, and what each step's rows depend on.

A step's identity holds its parameters, the fingerprints of the steps that it reads, the
hashes of the prompts that it sends and of the code and data that it runs. So the whole plan
can be compared with the lake before anything heavy is imported.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from tasks.edgar.files import find_files
from tasks.ids import sha256_hex
from tasks.ledger import Recorded
from tasks.models import find_model
from tasks.samples import sample_folder
from tasks.settings import RunSettings, WrongSettings
from tasks.store import (
    Commit,
    Identity,
    Lake,
    LakeError,
    Part,
    ReleaseConflict,
    Step,
    differences,
    fingerprint,
    may_change,
)
from tasks.suites import Suite, load_suite


class MissingInput(LakeError):
    """A verb was asked for before the verb whose tables it reads."""


@dataclass(frozen=True, slots=True)
class Planned:
    """A step as this run would make it."""

    step: Step
    identity: Identity
    inputs: tuple[Commit, ...]

    @property
    def fingerprint(self) -> str:
        return fingerprint(self.identity)

    def finished(self, lake: Lake) -> Commit:
        """The commit of a step that is finished.

        Raises:
            MissingInput: it is not, or another run has taken it back.
        """
        return committed(lake, self.step.release, self.step.name)

    def write(self, lake: Lake, table: str, rows: Iterable[Any], shard: int = 0, **keys: str) -> Part:
        """Write one part of the step."""
        return lake.write(self.step, self.identity, table, rows, shard, **keys)

    def commit(self, lake: Lake, parts: Sequence[Part]) -> Commit:
        """Make the parts what readers see."""
        return lake.commit(self.step, self.identity, parts, self.inputs)


def committed(lake: Lake, release: str, name: str) -> Commit:
    """A finished step's commit.

    Raises:
        MissingInput: the step has not been run in this release.
    """
    commit = lake.commit_of(Step(release, name))
    if commit is None:
        verb = next(
            part for part in name.split(".") if part in ("ingest", "build", "infer", "judge", "score")
        )
        raise MissingInput(f"release {release} has no {name} yet; run `tenkbench {verb}` first")
    return commit


def is_finished(lake: Lake, planned: Planned, run: RunSettings) -> bool:
    """Whether the lake already holds the step as planned.

    Raises:
        ReleaseConflict: it holds the step made differently, and the release is frozen.
    """
    commit = lake.commit_of(planned.step)
    if commit is None:
        return False
    if commit.fingerprint == planned.fingerprint:
        return not run.force
    if not may_change(planned.step.release) and not run.force:
        changed = "\n".join(f"  {line}" for line in differences(commit.identity, planned.identity))
        raise ReleaseConflict(
            f"release {planned.step.release} is frozen: its {planned.step.name} was made with other settings\n"
            f"{changed}\n"
            "use another --release (`dev` and names that end in -dev may change), the settings it was made with, "
            "or --force to rewrite it"
        )
    return False


# --- the steps, in order -----------------------------------------------------------------


def found_files(run: RunSettings) -> list[tuple[str, Path]]:
    """(source_uri, path) of the filings that the run reads: sorted, at most `limit`.

    Raises:
        LakeError: there is no such file or folder, or nothing in it looks like a filing.
    """
    root = sample_folder() if run.filings is None else Path(run.filings)
    if not root.exists():
        raise LakeError(f"no file or folder {run.filings}")
    paths = find_files(root)
    if not paths:
        raise LakeError(f"no .htm, .html or .txt file (nor .gz of one) in {run.filings}")
    below = root if root.is_dir() else root.parent
    return [(path.relative_to(below).as_posix(), path) for path in paths[: run.limit]]


def plan_ingest(lake: Lake, run: RunSettings) -> Planned:
    """Files -> filings, documents, filing_tables."""
    if run.dataset is not None:
        path = Path(run.dataset)
        if not path.is_file():
            raise LakeError(f"no dataset file {run.dataset}")
        source: Identity = {"dataset": _file_digest(path)}
        rooms: tuple[str, ...] = ("datasets",)
    else:
        found = found_files(run)
        digests = [[uri, _file_digest(path)] for uri, path in found]
        source = {"filings": {"n_files": len(found), "digest": _digest(digests)}}
        rooms = ("edgar",)
    parameters = {"encoding": run.encoding, "limit": run.limit}
    return _planned(lake, run, "ingest", rooms=rooms, parameters=parameters, source=source)


def plan_contexts(lake: Lake, run: RunSettings) -> Planned:
    """Documents -> contexts."""
    parameters = {"context_tokens": run.context_tokens, "encoding": run.encoding, "start": run.start}
    return _planned(
        lake, run, _build(run, "contexts"), reads=("ingest",), rooms=("contexts",), parameters=parameters
    )


def plan_qa_pairs(lake: Lake, run: RunSettings) -> Planned:
    """Contexts -> accepted pairs with citations."""
    parameters = {
        "generator": run.generator,
        "citer": run.citer,
        "citation_format": run.citation_format,
        "pairs": run.pairs,
        "seed": run.seed,
        "examples": _option_digest("examples", run.examples),
    }
    return _planned(
        lake,
        run,
        _build(run, "qa_pairs"),
        reads=("ingest", _build(run, "contexts")),
        rooms=("questions", "citations", "engines"),
        parameters=parameters,
    )


def plan_dataset(lake: Lake, run: RunSettings) -> Planned:
    """A published file -> contexts, pairs and cases in one step."""
    parameters = {"encoding": run.encoding, "limit": run.limit}
    return _planned(
        lake, run, _build(run, "dataset"), reads=("ingest",), rooms=("datasets",), parameters=parameters
    )


def plan_cases(lake: Lake, run: RunSettings, perturbation: str) -> Planned:
    """Pairs -> the cases of one perturbation; `baseline` is the pairs themselves."""
    pairs = _build(run, "qa_pairs")
    if perturbation == "baseline":
        return _planned(
            lake, run, _build(run, "cases.baseline"), reads=(pairs,), rooms=("perturbations",), parameters={}
        )
    parameters: dict[str, Any] = {"seed": run.seed, "generator": run.generator}
    if perturbation == "ocr":
        table = _option_digest("ocr-table", run.ocr_table)
        parameters = {"seed": run.seed, "ocr_max_error": run.ocr_max_error, "ocr_table": table}
    return _planned(
        lake,
        run,
        _build(run, f"cases.{perturbation}"),
        reads=("ingest", _build(run, "contexts"), pairs, _build(run, "cases.baseline")),
        rooms=("perturbations", "engines"),
        parameters=parameters,
    )


def build_plans(run: RunSettings, suite: Suite) -> list[Callable[[Lake, RunSettings], Planned]]:
    """The build verb's steps in order."""
    if run.dataset is not None:
        return [plan_dataset]

    def cases_of(perturbation: str) -> Callable[[Lake, RunSettings], Planned]:
        return lambda lake, run: plan_cases(lake, run, perturbation)

    return [plan_contexts, plan_qa_pairs, *(cases_of(name) for name in ("baseline", *suite.perturbations))]


def build_step_names(run: RunSettings, suite: Suite) -> list[str]:
    """The build verb's step names, in order."""
    if run.dataset is not None:
        return [_build(run, "dataset")]
    cases = [f"cases.{name}" for name in ("baseline", *suite.perturbations)]
    return [_build(run, name) for name in ("contexts", "qa_pairs", *cases)]


def plan_prefixes(lake: Lake, run: RunSettings) -> Planned:
    """Contexts -> the prompt heads that all models' requests share."""
    suite = load_suite(run.suite)
    return _planned(
        lake,
        run,
        f"{run.suite}.infer.prefixes",
        reads=tuple(build_step_names(run, suite)),
        rooms=("answers",),
        parameters={"operation": suite.answer.name},
    )


def plan_responses(lake: Lake, run: RunSettings, model: str) -> Planned:
    """Cases -> one model's answers."""
    suite = load_suite(run.suite)
    sampling = suite.answer.sampling
    parameters = {
        "model": model,
        "engine": find_model(model).engine,
        "temperature": sampling.temperature,
        "max_tokens": sampling.max_tokens,
    }
    return _planned(
        lake,
        run,
        f"{run.suite}.infer.{model}",
        reads=(*build_step_names(run, suite), f"{run.suite}.infer.prefixes"),
        rooms=("answers", "engines"),
        parameters=parameters,
    )


def plan_judgements(lake: Lake, run: RunSettings, model: str) -> Planned:
    """One model's answers -> one judge's judgements."""
    suite = load_suite(run.suite)
    return _planned(
        lake,
        run,
        f"{run.suite}.judge.{run.judge}.{model}",
        reads=(*build_step_names(run, suite), f"{run.suite}.infer.{model}"),
        rooms=("judges", "engines"),
        parameters={"judge": run.judge, "model": model},
    )


def plan_metrics(lake: Lake, run: RunSettings) -> Planned:
    """Judgements of every model and judge in the release -> metrics."""
    judged = [
        commit.step.name
        for commit in lake.commits(run.release)
        if commit.step.name.startswith(f"{run.suite}.judge.")
    ]
    if not judged:
        raise MissingInput(
            f"release {run.release} has no judgements of {run.suite} yet; run `tenkbench judge` first"
        )
    planned = _planned(
        lake, run, f"{run.suite}.score", reads=tuple(judged), rooms=(), parameters={"beta": run.beta}
    )
    planned.identity["sql"] = _digest(_hashes(files("sql")))
    return planned


def all_plans(run: RunSettings) -> list[Callable[[Lake, RunSettings], Planned]]:
    """Every step of a run, in order; a plan may be asked for once the steps before are finished."""
    suite = load_suite(run.suite)

    def responses_of(model: str) -> Callable[[Lake, RunSettings], Planned]:
        return lambda lake, run: plan_responses(lake, run, model)

    def judgements_of(model: str) -> Callable[[Lake, RunSettings], Planned]:
        return lambda lake, run: plan_judgements(lake, run, model)

    return [
        plan_ingest,
        *build_plans(run, suite),
        plan_prefixes,
        *(responses_of(model) for model in run.model),
        *(judgements_of(model) for model in run.model),
        plan_metrics,
    ]


def has_nothing_to_do(lake: Lake, run: RunSettings) -> bool:
    """Whether every step of the run is already in the lake as planned.

    Raises:
        ReleaseConflict: a step of a frozen release would come out differently.
    """
    return all(is_finished(lake, plan(lake, run), run) for plan in all_plans(run))


def stale_commits(lake: Lake, run: RunSettings) -> list[Commit]:
    """Commits of the release that were made from what is no longer there.

    In a release that may change, an earlier run's answers can be about cases that have
    been replaced since; they are not about this release any more.
    """
    current = {commit.step.name: commit for commit in lake.commits(run.release)}
    wanted = set(build_step_names(run, load_suite(run.suite)))
    found: list[Commit] = []
    while stale := [
        name
        for name, commit in current.items()
        if (name.startswith(f"{run.suite}.build.") and name not in wanted)
        or any(
            read not in current or current[read].fingerprint != expected
            for read, expected in commit.identity["inputs"].items()
        )
    ]:
        found += [current.pop(name) for name in stale]
    return found


# --- what steps share ---


def write_calls(
    lake: Lake, planned: Planned, run: RunSettings, engine: Recorded, shard: int = 0, **keys: str
) -> list[Part]:
    """The prefixes, requests and responses of every operation that an engine was asked."""
    parts = []
    for name, record in engine.operations.items():
        for table, rows in record.rows(shard):
            parts.append(
                planned.write(
                    lake, table, rows, shard, suite=run.suite, operation=name, model=engine.model, **keys
                )
            )
    return parts


# --- identities --------------------------------------------------------------------------


def _build(run: RunSettings, name: str) -> str:
    return f"{run.suite}.build.{name}"


def _planned(
    lake: Lake,
    run: RunSettings,
    name: str,
    *,
    rooms: Sequence[str],
    parameters: dict[str, Any],
    reads: Sequence[str] = (),
    source: Identity | None = None,
) -> Planned:
    inputs = [committed(lake, run.release, read) for read in reads]
    identity: Identity = {
        "parameters": parameters,
        "inputs": {commit.step.name: commit.fingerprint for commit in inputs},
        "prompts": {
            name: digest for room in rooms for name, digest in _hashes(files("tasks.prompts") / room)
        },
        "code": {f"tasks/{room}": _code(room) for room in (*rooms, "text")},
    }
    return Planned(Step(run.release, name), identity | (source or {}), tuple(inputs))


@cache
def _code(room: str) -> str:
    return _digest(_hashes(files("tasks") / room))


def _hashes(folder: Traversable) -> list[tuple[str, str]]:
    return list(_walk(folder, folder.name)) if folder.is_dir() else []


def _walk(folder: Traversable, name: str) -> Iterator[tuple[str, str]]:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            if entry.name != "__pycache__":
                yield from _walk(entry, f"{name}/{entry.name}")
        else:
            yield f"{name}/{entry.name}", hashlib.sha256(entry.read_bytes()).hexdigest()[:12]


def _digest(value: Any) -> str:
    return sha256_hex(repr(value))[:12]


def _option_digest(option: str, file: str | None) -> str | None:
    if file is None:
        return None
    if not Path(file).is_file():
        raise WrongSettings(f"--{option}: no file {file}")
    return _file_digest(Path(file))


def _file_digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:16]
