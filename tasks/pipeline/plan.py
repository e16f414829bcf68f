"""The plan of a run: its steps, in order, and what each step's rows depend on.

The whole plan can be compared with the lake before anything heavy is imported.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace
from itertools import permutations, takewhile
from pathlib import Path
from typing import Any

from tasks.core.fingerprints import digest, file_hash
from tasks.core.ids import stable_rng
from tasks.filings.edgar.manifest import kept_choice
from tasks.filings.edgar.query import is_edgar
from tasks.filings.reader.files import find_files
from tasks.filings.samples import sample_folder
from tasks.lake.lake import Commit, Identity, Lake, LakeError, Step, differences
from tasks.models.catalogue import name_of
from tasks.pipeline.edgar import check_choosing, edgar_access, edgar_query
from tasks.pipeline.incremental import earlier_releases
from tasks.pipeline.preflight import check_dataset, check_models, check_reach
from tasks.pipeline.resolved import ResolvedRun, dataset_step, resolve
from tasks.pipeline.settings import RunSettings, WrongSettings
from tasks.pipeline.step_identity import (
    named_judge,
    named_model,
    options_of,
    planned_step,
    prompt_files,
    roles_of,
    sql_hash,
)
from tasks.pipeline.steps import MissingInput, Planned, committed, is_finished
from tasks.suites.suite import Step as SuiteStep
from tasks.warehouse.sql_files import sql_files
from tasks.warehouse.training_cutoffs import judged_models, stated

# Versions of the steps that all suites share. Raise one if its step gives other rows.
READER_VERSION = 1
INFER_VERSION = 1
METRICS_VERSION = 1


def found_files(run: RunSettings) -> list[tuple[str, Path]]:
    """List (source_uri, path) of the run's filings, sorted, at most `limit`.

    Raises:
        LakeError: the file or folder is missing, or nothing in it looks like a filing.
    """
    root = sample_folder() if run.filings is None else Path(run.filings)
    if not root.exists():
        raise LakeError(
            f"no file or folder '{run.filings}': give --filings a path that exists, or leave it "
            "out for the packaged samples"
        )
    paths = find_files(root)
    if not paths:
        raise LakeError(f"no .htm, .html or .txt file (or .gz of one) in {run.filings}")
    below = root if root.is_dir() else root.parent
    return [(path.relative_to(below).as_posix(), path) for path in paths[: run.limit]]


def plan_ingest(lake: Lake, resolved: ResolvedRun) -> Planned:
    """Plan to read files into filings, documents and filing_tables.

    A run that names no files continues with those that the release was read from.

    Raises:
        MissingInput: the run names no files, but they would have to be read again.
        WrongSettings: a setting chooses among EDGAR's filings, but the run names none of them.
    """
    run = resolved.settings
    check_choosing(run)
    kept = _kept_source(lake, run)
    is_dataset = "dataset" in kept if kept else run.dataset is not None
    planned = planned_step(
        lake,
        run,
        "ingest",
        version=dataset_step(resolved).version if is_dataset else READER_VERSION,
        suite=run.suite if is_dataset else None,
        parameters={"encoding": run.encoding},
        source=(kept or _source(lake, run)) | earlier_releases(lake, run),
    )
    ingested = lake.commit_of(planned.step)
    why = [] if ingested is None or not kept else differences(ingested.identity, planned.identity)
    if kept and run.limit is not None:
        why.append("--limit sets how many files are read")
    if kept and run.force:
        why.append("--force repeats finished steps")
    if why:
        raise MissingInput(
            f"the files of release {run.release} would have to be read again "
            f"({'; '.join(why)}). Name them with {'--dataset' if is_dataset else '--filings'}, "
            "or use another --release to read the packaged samples."
        )
    return planned


def _kept_source(lake: Lake, run: RunSettings) -> Identity:
    """Return what the release was read from; {} if the run names files or it read the samples."""
    ingested = lake.commit_of(Step(run.release, "ingest"))
    if (
        run.filings is not None
        or run.dataset is not None
        or ingested is None
        or is_of_samples(lake, run)
    ):
        return {}
    return {
        key: ingested.identity[key]
        for key in ("edgar", "filings", "dataset")
        if key in ingested.identity
    }


def _source(lake: Lake, run: RunSettings) -> Identity:
    """Identify what is read by content, and by file names, which are in rows."""
    if run.dataset is not None:
        path = Path(run.dataset)
        if not path.is_file():
            why = " (it is a folder)" if path.is_dir() else ""
            raise LakeError(f"no dataset file {run.dataset}{why}")
        return {"dataset": {"name": path.name, "digest": file_hash(path), "limit": run.limit}}
    if is_edgar(run.filings):
        return _edgar_source(lake, run)
    found = found_files(run)
    digests = [(uri, file_hash(path)) for uri, path in found]
    return {"filings": {"n_files": len(found), "digest": digest(digests)}}


def _edgar_source(lake: Lake, run: RunSettings) -> Identity:
    """Return the query to EDGAR and, once the lake has all of them, its filings."""
    query = edgar_query(run)
    source: Identity = {"edgar": query.identity}
    choice = kept_choice(lake.objects, run.release, query, earlier_releases(lake, run))
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
    """Refuse to build if the run names other files than were ingested.

    Raises:
        MissingInput: the release was ingested from other files.
    """
    if run.filings is None and run.dataset is None:
        return
    ingested = committed(lake, run.release, "ingest").identity
    if any(ingested.get(key) != value for key, value in _source(lake, run).items()):
        raise MissingInput(
            f"release {run.release} was not ingested from {run.filings or run.dataset}. "
            "Leave that option out, or ingest these files first:\n  tenkbench ingest"
        )


def plan_source(lake: Lake, run: ResolvedRun, name: str) -> Planned:
    """Plan to read a suite's own source from the file that an option names."""
    file = run.sources[name]
    return planned_step(
        lake,
        run.settings,
        build_name(run, f"ingest.{name}"),
        version=run.suite.sources[name].version,
        suite=run.suite.name,
        parameters={},
        source={"source": file_hash(file)},
    )


def plan_build(lake: Lake, run: ResolvedRun, step: SuiteStep) -> Planned:
    """Plan one step of the suite's build, or the reading of its published file.

    Raises:
        MissingInput: an input step is missing, or other files were ingested than the run names.
    """
    settings = run.settings
    _check_source(lake, settings)
    operations = [each for asked in step.asks.values() for each in asked]
    unread = {f"ingest.{name}" for name in unread_sources(lake, run)}
    return planned_step(
        lake,
        settings,
        build_name(run, step.name),
        version=step.version,
        packages=step.packages,
        prompts=prompt_files(operations, step.files),
        suite=settings.suite,
        parameters=options_of(run, step.options) | roles_of(run, tuple(step.asks)),
        reads=[build_name(run, name) for name in step.reads if name not in unread],
        source=_source(lake, settings) if settings.dataset is not None else None,
    )


def unread_sources(lake: Lake, run: ResolvedRun) -> list[str]:
    """List the suite's sources that neither the run names nor the release holds."""
    release = run.settings.release
    return [
        name
        for name in run.suite.sources
        if name not in run.sources
        and lake.commit_of(Step(release, build_name(run, f"ingest.{name}"))) is None
    ]


def build_name(run: ResolvedRun, step: str) -> str:
    """Return a step's name in the lake; filings are ingested for all suites."""
    if step == "ingest":
        return step
    is_source = step.startswith("ingest.")
    return f"{run.suite.name}.{step}" if is_source else f"{run.suite.name}.build.{step}"


def built_steps(lake: Lake, run: ResolvedRun) -> list[str]:
    """List the steps that made a release's cases, in order."""
    if _is_dataset(lake, run.settings):
        return [build_name(run, "dataset")]
    return [build_name(run, step.name) for step in run.suite.build]


def plan_prefixes(lake: Lake, run: ResolvedRun) -> Planned:
    """Plan the prompt prefixes that all models' requests share."""
    return planned_step(
        lake,
        run.settings,
        f"{run.suite.name}.infer.prefixes",
        version=INFER_VERSION,
        prompts=prompt_files(run.suite.answers),
        suite=run.suite.name,
        reads=built_steps(lake, run),
        parameters={"operations": [operation.name for operation in run.suite.answers]},
    )


def plan_responses(lake: Lake, run: ResolvedRun, model: str) -> Planned:
    """Plan one model's answers to the release's cases."""
    return planned_step(
        lake,
        run.settings,
        answers_step(run.settings, model),
        version=INFER_VERSION,
        prompts=prompt_files(run.suite.answers),
        suite=run.suite.name,
        reads=(*built_steps(lake, run), f"{run.suite.name}.infer.prefixes"),
        parameters={
            "model": named_model(run.settings, model),
            "sampling": {each.name: asdict(each.sampling) for each in run.suite.answers},
        },
    )


def answers_step(run: RunSettings, model: str) -> str:
    """Return the name of the step that holds one model's answers."""
    return f"{run.suite}.infer.{name_of(model)}"


def occasions(run: ResolvedRun, judge: str) -> tuple[int, ...]:
    """List a judge's rounds: 0 covers all answers; 1, if asked for, repeats a share.

    Only models judge again: a rule always says the same.
    """
    return (0, 1) if run.settings.judge_repeats and not run.judge(judge).is_rule else (0,)


def is_judged_on(occasion: int, run: RunSettings, case_id: str) -> bool:
    """Whether this occasion rates a case's answers, those of all models alike.

    A larger share includes the cases of a smaller one, so no verdict is wasted.
    """
    return (
        not occasion or stable_rng(run.seed, "judged again", case_id).random() < run.judge_repeats
    )


def judged_together(lake: Lake, run: ResolvedRun, name: str) -> list[tuple[str, ...]]:
    """List what a judge gets: each model's answers, or two models' answers in both orders.

    The run's models are compared with each other and with those that the release has already.

    Raises:
        WrongSettings: the judge compares two models, and there is only one.
    """
    models = [*dict.fromkeys(run.settings.model)]
    if run.judge(name).unit == "answer":
        return [(model,) for model in models]
    names = {name_of(model) for model in models}
    stale = {commit.step.name for commit in stale_commits(lake, run.settings.release)}
    answered = f"{run.suite.name}.infer."
    for commit in lake.commits(run.settings.release):
        other = commit.step.name.removeprefix(answered)
        is_model = commit.step.name.startswith(answered) and commit.n_rows("responses")
        if is_model and other not in names and commit.step.name not in stale:
            models.append(other)
    if len(models) < 2:
        raise WrongSettings(
            f'"{name_of(name)}" compares the answers of two models. Name a second --model.'
        )
    return [pair for pair in permutations(models, 2) if not names.isdisjoint(map(name_of, pair))]


def plan_judgements(
    lake: Lake, run: ResolvedRun, name: str, models: tuple[str, ...], occasion: int = 0
) -> Planned:
    """Plan one judge's judgements of one model's answers, or of two models' in this order.

    On occasion 1, plan the repeats.
    """
    settings, suite = run.settings, run.suite.name
    judge = run.judge(name)
    reads = (*built_steps(lake, run), *(answers_step(settings, model) for model in models))
    about = f"{name_of(name)}.{'.vs.'.join(map(name_of, models))}"
    step = f"{suite}.judge.{about}"
    parameters: dict[str, Any] = {
        "judge": named_judge(settings, run.suite, name),
        "model": name_of(models[0]),
        **({"other_model": name_of(models[1])} if len(models) > 1 else {}),
        **options_of(run, judge.options),
    }
    if occasion:
        reads = (*reads, step)
        step = f"{suite}.rejudge.{about}"
        parameters |= {"judge_repeats": settings.judge_repeats, "seed": settings.seed}
    return planned_step(
        lake,
        settings,
        step,
        version=judge.version,
        prompts=prompt_files(judge.asks, judge.files),
        suite=suite,
        reads=reads,
        parameters=parameters,
    )


def plan_attack_verdicts(lake: Lake, run: ResolvedRun, name: str) -> Planned:
    """Plan one judge's verdicts on the suite's attack set."""
    judge = run.judge(name)
    return planned_step(
        lake,
        run.settings,
        f"{run.suite.name}.attack.{name_of(name)}",
        version=judge.version,
        prompts=prompt_files(judge.asks, judge.files),
        suite=run.suite.name,
        parameters={"judge": named_judge(run.settings, run.suite, name)},
    )


def plan_metrics(lake: Lake, run: ResolvedRun) -> Planned:
    """Plan to compute metrics from all judgements of the release.

    Repeats, attacks and audits change no metric, but they count because scoring checks all tables.
    Audits are not inputs: an import may replace them at any time without making metrics stale.
    """
    settings, suite = run.settings, run.suite.name
    commits = {commit.step.name: commit for commit in lake.commits(settings.release)}
    judged = [name for name in commits if name.startswith(f"{suite}.judge.")]
    on_trial = [
        name for name in commits if name.startswith((f"{suite}.rejudge.", f"{suite}.attack."))
    ]
    if not judged:
        raise MissingInput(
            f"release {settings.release} has no judgements of {suite} yet. Run this first:\n"
            "  tenkbench judge"
        )
    audits = {
        name: commit.content
        for name, commit in commits.items()
        if name.startswith(f"{suite}.audit.")
    }
    planned = planned_step(
        lake,
        settings,
        f"{suite}.score",
        reads=(*judged, *on_trial),
        version=METRICS_VERSION,
        suite=suite,
        parameters=run.parameters,
        code={
            "sql": sql_hash(f"{suite}.metrics"),
            "sql/checks": sql_hash(*(file.relation for file in sql_files() if file.is_check)),
        },
        source={
            "cutoffs": stated(judged_models(commits.values(), suite), settings.models_file),
            "audits": audits,
        },
    )
    return replace(planned, grows=True)


def all_plans(lake: Lake, settings: RunSettings) -> Iterator[Planned]:
    """Plan every step of a run, in order; take each once the steps before it are finished.

    Raises the errors of `check_options` and `check_models`, even if an invalid option would not
    change these steps.
    """
    run = check_options(settings)
    check_models(run)
    yield plan_ingest(lake, run)
    for name in run.sources:
        yield plan_source(lake, run, name)
    for step in run.build:
        yield plan_build(lake, run, step)
    yield plan_prefixes(lake, run)
    for model in settings.model:
        yield plan_responses(lake, run, model)
    for judge in run.judges:
        for occasion in occasions(run, judge):
            for models in judged_together(lake, run, judge):
                yield plan_judgements(lake, run, judge, models, occasion)
        if run.judge(judge).attacks is not None:
            yield plan_attack_verdicts(lake, run, judge)
    yield plan_metrics(lake, run)


def has_nothing_to_do(lake: Lake, run: RunSettings) -> bool:
    """Whether every step of the run is already in the lake as planned.

    Raises:
        ReleaseConflict: a step of a frozen release would change.
        As `all_plans`: an option is invalid, whatever the lake holds.
    """
    return all(is_finished(lake, planned, run) for planned in all_plans(lake, run))


def is_built(lake: Lake, run: RunSettings) -> bool:
    """Whether the cases of the release are already in the lake as planned.

    Raises:
        ReleaseConflict: a step of a frozen release would change.
        As `all_plans`: an option is invalid, whatever the lake holds.
    """
    made = takewhile(lambda planned: ".infer." not in planned.step.name, all_plans(lake, run))
    return all(is_finished(lake, planned, run) for planned in made)


def stale_commits(lake: Lake, release: str) -> list[Commit]:
    """List commits of a release whose inputs have been replaced or removed since.

    For example, answers to cases that were rebuilt later. Only the inputs that each commit
    records count, never the options of the current run.
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


def check_options(run: RunSettings) -> ResolvedRun:
    """Resolve a run; refuse options that are invalid or without effect, whatever the lake holds.

    Raises:
        UnknownSuite, WrongSettings, TableError: something named does not exist or is unreadable.
    """
    resolved = resolve(run)
    check_choosing(run)
    if run.judge_repeats and resolved.suite.model_judge is None:
        raise WrongSettings(
            f"rules judge {run.suite}, and they always give the same verdict. "
            "Leave out --judge-repeats."
        )
    for kind, named in (("models", run.model), ("judges", run.judge)):
        names = [name_of(model) for model in dict.fromkeys(named)]
        if repeated := [name for name in names if names.count(name) > 1]:
            raise WrongSettings(
                f'two {kind} are named "{repeated[0]}", so tables could not tell them apart. '
                "Rename one in --models-file."
            )
    compares = [name for name in resolved.judges if resolved.judge(name).unit != "answer"]
    if run.judge_repeats and compares:
        raise WrongSettings(
            f'"{name_of(compares[0])}" compares two answers, and repeated comparisons are not '
            "evaluated. Leave out --judge-repeats."
        )
    return resolved


def check_settings(
    run: RunSettings, *, writes_batches: bool = False, builds: bool = True
) -> ResolvedRun:
    """Resolve a run; refuse at once what would otherwise fail hours later.

    Args:
        writes_batches: whether calls are written to files, so no model must be reachable.
        builds: whether the suite is built, so the models of its roles are asked.

    Raises:
        UnknownSuite, WrongSettings, TableError: see `check_options`.
        DatasetError: the published file has no suite's layout.
        UnknownModel, DoesNotFit: see `check_models`.
        UnreachableModel: see `check_reach`.
        LakeError: the lake is not writable, or there are no files to read.
    """
    resolved = check_options(run)
    for judge in resolved.judges:
        judged_together(Lake(run.lake), resolved, judge)
    check_dataset(resolved)
    if not builds:
        resolved = replace(resolved, roles=dict.fromkeys(resolved.roles, ()))
    check_models(resolved)
    if not writes_batches:
        check_reach(resolved)
    if is_edgar(run.filings) and (run.force or "filings" not in _source(Lake(run.lake), run)):
        edgar_access(run).checked_contact()
    Lake(run.lake).make()
    return resolved
