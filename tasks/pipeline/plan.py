"""The plan of a run: its steps, in order, and what each step's rows depend on.

So the whole plan can be compared with the lake before anything heavy is imported.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from typing import Any

from tasks.core.fingerprints import digest, file_hash
from tasks.core.ids import stable_rng
from tasks.core.settings import FILE_SETTINGS, RunSettings, WrongSettings
from tasks.filings.edgar.manifest import kept_choice
from tasks.filings.edgar.query import check_access, check_choosing, is_edgar, read_asked
from tasks.filings.reader.files import find_files
from tasks.filings.samples import sample_folder
from tasks.lake.lake import Commit, Identity, Lake, LakeError, Step, differences
from tasks.models.catalogue import name_of
from tasks.pipeline.incremental import earlier_releases
from tasks.pipeline.preflight import check_dataset, check_models, check_reach
from tasks.pipeline.step_identity import (
    named_judge,
    named_model,
    option_hash,
    planned_of_suite,
    planned_step,
    settings_of,
    sql_hash,
)
from tasks.pipeline.steps import MissingInput, Planned, committed, is_finished
from tasks.suites.registry import load_suite
from tasks.suites.suite import Suite, check_suite_settings
from tasks.warehouse.sql_files import sql_files
from tasks.warehouse.training_cutoffs import judged_models, stated

# Raised by whoever changes what rows the reading of filings gives.
READER_VERSION = 1


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
    """Files -> filings, documents, filing_tables.

    A run that names no files goes on with those that the release was read from.

    Raises:
        MissingInput: they would have to be read again, or only some of them, and no file is named.
        WrongSettings: a setting chooses among EDGAR's filings, and none of them are named.
    """
    check_choosing(run)
    kept = _kept_source(lake, run)
    is_dataset = "dataset" in kept if kept else run.dataset is not None
    planned = planned_step(
        lake,
        run,
        "ingest",
        version=load_suite(run.suite).steps["dataset"].version if is_dataset else READER_VERSION,
        suite=run.suite if is_dataset else None,
        parameters={"encoding": run.encoding},
        source=(kept or _source(lake, run)) | earlier_releases(lake, run),
    )
    ingested = lake.commit_of(planned.step)
    why = [] if ingested is None or not kept else differences(ingested.identity, planned.identity)
    if kept and run.limit is not None:
        why.append("--limit says how many files are read")
    if kept and run.force:
        why.append("--force makes finished steps again")
    if why:
        raise MissingInput(
            f"the files of release {run.release} would have to be read again ({'; '.join(why)}); name them with "
            f"{'--dataset' if is_dataset else '--filings'}, or another --release for the packaged samples"
        )
    return planned


def _kept_source(lake: Lake, run: RunSettings) -> Identity:
    """What the release was read from, where the run names no files and it was not read from the samples."""
    ingested = lake.commit_of(Step(run.release, "ingest"))
    if run.filings is not None or run.dataset is not None or ingested is None or is_of_samples(lake, run):
        return {}
    return {
        key: ingested.identity[key] for key in ("edgar", "filings", "dataset") if key in ingested.identity
    }


def _source(lake: Lake, run: RunSettings) -> Identity:
    """What is read, by content: the files' names are in rows, so they count too."""
    if run.dataset is not None:
        path = Path(run.dataset)
        if not path.is_file():
            there = ", but a folder" if path.is_dir() else ""
            raise LakeError(f"no dataset file {run.dataset}{there}")
        return {"dataset": {"name": path.name, "digest": file_hash(path), "limit": run.limit}}
    if is_edgar(run.filings):
        return _edgar_source(lake, run)
    found = found_files(run)
    digests = [(uri, file_hash(path)) for uri, path in found]
    return {"filings": {"n_files": len(found), "digest": digest(digests)}}


def _edgar_source(lake: Lake, run: RunSettings) -> Identity:
    """What is asked of EDGAR, and what came of it, once all of that is in the lake."""
    asked = read_asked(run)
    source: Identity = {"edgar": asked.identity}
    choice = kept_choice(lake.objects, run.release, asked, earlier_releases(lake, run))
    if choice is not None and choice.is_complete:
        source["filings"] = choice.identity
    return source


def is_of_samples(lake: Lake, run: RunSettings) -> bool:
    """Whether the release was ingested from the packaged samples."""
    ingested = lake.commit_of(Step(run.release, "ingest"))
    any_of_them = RunSettings(lake=run.lake, release=run.release)
    n_samples = len(found_files(any_of_them))
    return ingested is not None and any(
        _source(lake, replace(any_of_them, limit=limit)).items() <= ingested.identity.items()
        for limit in range(1, n_samples + 1)
    )


def _is_dataset(lake: Lake, run: RunSettings) -> bool:
    """Whether the release was ingested from a published file."""
    return "dataset" in committed(lake, run.release, "ingest").identity


def _check_source(lake: Lake, run: RunSettings) -> None:
    """Refuse to build from other files than were ingested, where files are named.

    Raises:
        MissingInput: the release holds other files.
    """
    if run.filings is None and run.dataset is None:
        return
    ingested = committed(lake, run.release, "ingest").identity
    if any(ingested.get(key) != value for key, value in _source(lake, run).items()):
        raise MissingInput(
            f"release {run.release} was ingested from other files than {run.filings or run.dataset}; "
            "run `tenkbench ingest` with them first, or leave them out"
        )


def plan_contexts(lake: Lake, run: RunSettings) -> Planned:
    """Documents -> contexts.

    Raises:
        MissingInput: other files were ingested than the run names.
    """
    _check_source(lake, run)
    return planned_of_suite(lake, run, "contexts", _build(run, "contexts"), reads=("ingest",))


def plan_qa_pairs(lake: Lake, run: RunSettings) -> Planned:
    """Contexts -> accepted pairs with citations."""
    return planned_of_suite(
        lake,
        run,
        "qa_pairs",
        _build(run, "qa_pairs"),
        reads=("ingest", _build(run, "contexts")),
    )


def plan_dataset(lake: Lake, run: RunSettings) -> Planned:
    """A published file -> contexts, pairs and cases in one step.

    Raises:
        MissingInput: the release was ingested from another file.
        WrongSettings: the file is not named; its rows are read again.
    """
    if run.dataset is None:
        raise WrongSettings(f"release {run.release} was ingested from a dataset; name it with --dataset")
    _check_source(lake, run)
    return planned_of_suite(
        lake,
        run,
        "dataset",
        _build(run, "dataset"),
        reads=("ingest",),
        source=_source(lake, run),
    )


def plan_cases(lake: Lake, run: RunSettings, variant: str) -> Planned:
    """Pairs -> the cases of one variant; `baseline` is the pairs themselves."""
    pairs = _build(run, "qa_pairs")
    if variant == "baseline":
        return planned_step(
            lake,
            run,
            _build(run, "cases.baseline"),
            version=1,
            suite=run.suite,
            reads=(pairs,),
            parameters={},
        )
    suite = load_suite(run.suite)
    own = f"cases.{variant}"
    return planned_of_suite(
        lake,
        run,
        own if own in suite.steps else "cases",
        _build(run, own),
        reads=("ingest", _build(run, "contexts"), pairs, _build(run, "cases.baseline")),
    )


def build_step_names(lake: Lake, run: RunSettings, suite: Suite) -> list[str]:
    """The steps that make a release's cases, in order: those of the road by which it was ingested."""
    if _is_dataset(lake, run):
        return [_build(run, "dataset")]
    cases = [f"cases.{name}" for name in ("baseline", *suite.perturbations)]
    return [_build(run, name) for name in ("contexts", "qa_pairs", *cases)]


def plan_prefixes(lake: Lake, run: RunSettings) -> Planned:
    """Contexts -> the prompt heads that all models' requests share."""
    suite = load_suite(run.suite)
    return planned_of_suite(
        lake,
        run,
        "answers",
        f"{run.suite}.infer.prefixes",
        reads=tuple(build_step_names(lake, run, suite)),
        parameters={"operation": suite.answer.name},
    )


def plan_responses(lake: Lake, run: RunSettings, model: str) -> Planned:
    """Cases -> one model's answers."""
    suite = load_suite(run.suite)
    sampling = suite.answer.sampling
    parameters = {
        "model": named_model(run, model),
        "temperature": sampling.temperature,
        "max_tokens": sampling.max_tokens,
    }
    return planned_of_suite(
        lake,
        run,
        "answers",
        answers_step(run, model),
        reads=(*build_step_names(lake, run, suite), f"{run.suite}.infer.prefixes"),
        parameters=parameters,
    )


def answers_step(run: RunSettings, model: str) -> str:
    """The name of the step that holds one model's answers."""
    return f"{run.suite}.infer.{name_of(model)}"


def occasions(run: RunSettings) -> tuple[int, ...]:
    """When each judge is asked: 0 for all answers, and 1, where a share is set, for a part of them once more."""
    return (0, 1) if run.judge_repeats else (0,)


def is_judged_on(occasion: int, run: RunSettings, case_id: str) -> bool:
    """Whether the answers to a case are rated on this occasion: all models' or none's.

    A larger share takes the cases of a smaller one and more, so that no verdict is asked for in vain.
    """
    return not occasion or stable_rng(run.seed, "judged again", case_id).random() < run.judge_repeats


def plan_judgements(lake: Lake, run: RunSettings, judge: str, model: str, occasion: int = 0) -> Planned:
    """One model's answers -> one judge's judgements; on occasion 1 its rejudgements."""
    suite = load_suite(run.suite)
    reads = (*build_step_names(lake, run, suite), answers_step(run, model))
    name = f"{run.suite}.judge.{name_of(judge)}.{name_of(model)}"
    parameters: dict[str, Any] = {"judge": named_judge(run, suite, judge), "model": name_of(model)}
    if occasion:
        reads = (*reads, name)
        name = f"{run.suite}.rejudge.{name_of(judge)}.{name_of(model)}"
        parameters |= settings_of(suite.steps["rejudgements"], run)
    return planned_of_suite(lake, run, "judgements", name, reads=reads, parameters=parameters)


def plan_attack_verdicts(lake: Lake, run: RunSettings, judge: str) -> Planned:
    """The suite's standing set of attacks -> one judge's verdicts."""
    parameters = {"judge": named_judge(run, load_suite(run.suite), judge)}
    return planned_of_suite(
        lake,
        run,
        "judgements",
        f"{run.suite}.attack.{name_of(judge)}",
        parameters=parameters,
    )


def plan_metrics(lake: Lake, run: RunSettings) -> Planned:
    """Judgements of every model and judge in the release -> metrics.

    What tries the judges and what people rated change no metric; they count, too, because scoring is what checks the
    release's tables. Ratings of people are no input: their import replaces them at any time, and takes nothing back.
    """
    commits = {commit.step.name: commit for commit in lake.commits(run.release)}
    judged = [name for name in commits if name.startswith(f"{run.suite}.judge.")]
    on_trial = [
        name for name in commits if name.startswith((f"{run.suite}.rejudge.", f"{run.suite}.attack."))
    ]
    if not judged:
        raise MissingInput(
            f"release {run.release} has no judgements of {run.suite} yet; run `tenkbench judge` first"
        )
    audits = {
        name: commit.content for name, commit in commits.items() if name.startswith(f"{run.suite}.audit.")
    }
    planned = planned_step(
        lake,
        run,
        f"{run.suite}.score",
        reads=(*judged, *on_trial),
        version=load_suite(run.suite).steps["metrics"].version,
        suite=run.suite,
        parameters=settings_of(load_suite(run.suite).steps["metrics"], run),
        code={
            "sql": sql_hash(f"metrics.{run.suite}"),
            "sql/checks": sql_hash(*(file.relation for file in sql_files(["checks"]))),
        },
        source={
            "cutoffs": stated(judged_models(commits.values(), run.suite), run.models_file),
            "audits": audits,
        },
    )
    return replace(planned, grows=True)


def all_plans(lake: Lake, run: RunSettings) -> Iterator[Planned]:
    """Every step of a run, in order; each may be asked for once the steps before are finished.

    Raises:
        As `check_options` and `check_models`: options that would not change these steps may still be wrong.
    """
    check_options(run)
    check_models(run)
    suite = load_suite(run.suite)
    yield plan_ingest(lake, run)
    if run.dataset is not None:
        yield plan_dataset(lake, run)
    else:
        yield plan_contexts(lake, run)
        yield plan_qa_pairs(lake, run)
        for variant in ("baseline", *suite.perturbations):
            yield plan_cases(lake, run, variant)
    yield plan_prefixes(lake, run)
    for model in run.model:
        yield plan_responses(lake, run, model)
    for judge in suite.judges(run):
        for occasion in occasions(run):
            for model in run.model:
                yield plan_judgements(lake, run, judge, model, occasion)
        if suite.attacks is not None:
            yield plan_attack_verdicts(lake, run, judge)
    yield plan_metrics(lake, run)


def has_nothing_to_do(lake: Lake, run: RunSettings) -> bool:
    """Whether every step of the run is already in the lake as planned.

    Raises:
        ReleaseConflict: a step of a frozen release would come out differently.
        As `all_plans`: an option is wrong, whatever the lake holds.
    """
    return all(is_finished(lake, planned, run) for planned in all_plans(lake, run))


def is_built(lake: Lake, run: RunSettings) -> bool:
    """Whether the cases of the release are already in the lake as planned.

    Raises:
        ReleaseConflict: a step of a frozen release would come out differently.
        As `all_plans`: an option is wrong, whatever the lake holds.
    """
    made = takewhile(
        lambda planned: planned.step.name == "ingest" or planned.step.name.startswith(f"{run.suite}.build."),
        all_plans(lake, run),
    )
    return all(is_finished(lake, planned, run) for planned in made)


def stale_commits(lake: Lake, release: str) -> list[Commit]:
    """Commits of a release that were made from what is no longer there.

    An earlier run's answers can be about cases that have been replaced since; they are not
    about this release any more. Judged by what each commit says that it read, never by the
    options of the run that asks.
    """
    current = {commit.step.name: commit for commit in lake.commits(release)}
    found: list[Commit] = []
    while stale := [
        name
        for name, commit in current.items()
        if any(
            read not in current or current[read].content != content
            for read, content in commit.identity["inputs"].items()
        )
    ]:
        found += [current.pop(name) for name in stale]
    return found


def check_options(run: RunSettings) -> None:
    """Refuse options that cannot be or that would change nothing, whatever the lake holds; no filing or model is looked at.

    Raises:
        UnknownSuite, WrongSettings, TableError: something named does not exist or cannot be read.
    """
    suite = load_suite(run.suite)
    for option in FILE_SETTINGS:
        option_hash(option.replace("_", "-"), getattr(run, option))
    check_suite_settings(suite, run)
    check_choosing(run)
    for kind, named in (("models", run.model), ("judges", run.judge), ("of the panel", run.panel)):
        names = [name_of(model) for model in dict.fromkeys(named)]
        if repeated := [name for name in names if names.count(name) > 1]:
            raise WrongSettings(
                f"two {kind} are named {repeated[0]}: tables could not tell them apart; give one another name"
            )


def check_settings(run: RunSettings, *, writes_batches: bool = False) -> None:
    """Refuse, before anything starts, what a run would otherwise trip over hours later.

    Args:
        writes_batches: whether calls are written to files, so that models need not be reached.

    Raises:
        UnknownSuite, WrongSettings, TableError: see `check_options`.
        DatasetError: the published file is not in the layout of any suite.
        UnknownModel, DoesNotFit: see `check_models`.
        UnreachableModel: see `check_reach`.
        LakeError: the lake cannot be written, or there are no files to read.
    """
    check_options(run)
    check_dataset(run)
    check_models(run)
    if not writes_batches:
        check_reach(run)
    if is_edgar(run.filings) and (run.force or "filings" not in _source(Lake(run.lake), run)):
        check_access(run)
    Lake(run.lake).make()


def _build(run: RunSettings, name: str) -> str:
    return f"{run.suite}.build.{name}"
