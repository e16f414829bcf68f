"""The plan of a run: its steps, in order, and what each step's rows depend on.

The whole plan can be compared with the lake before anything heavy is imported.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import permutations, takewhile
from typing import Any

from tasks.core.fingerprints import file_hash
from tasks.core.ids import stable_rng
from tasks.filings.edgar.query import is_edgar
from tasks.inference.operation import recorded
from tasks.lake.lake import Commit, Lake, Step
from tasks.models.catalogue import Shown, find_model, name_of
from tasks.models.windows import LEAST_ANSWER
from tasks.pipeline.edgar import check_choosing, edgar_access
from tasks.pipeline.preflight import (
    check_chromium,
    check_dataset,
    check_models,
    check_reach,
)
from tasks.pipeline.resolved import NamedJudge, ResolvedRun, resolve
from tasks.pipeline.settings import RunSettings, WrongSettings, place_options
from tasks.pipeline.sources import (
    check_source,
    is_of_dataset,
    plan_ingest,
    source_of,
)
from tasks.pipeline.step_identity import (
    judge_of,
    named_model,
    options_of,
    planned_step,
    prompt_files,
    roles_of,
    sql_hash,
)
from tasks.pipeline.steps import MissingInput, Planned, finished, is_finished
from tasks.scoring import COUNTED
from tasks.suites.registry import load_suite
from tasks.suites.suite import Rating
from tasks.suites.suite import Step as SuiteStep
from tasks.warehouse.judged_models import judged_models, stated
from tasks.warehouse.sql_files import checks_of

# Versions of the steps that all suites share. Raise one if its step gives other rows.
INFER_VERSION = 3
METRICS_VERSION = 11


def plan_source(run: ResolvedRun, name: str) -> Planned:
    """Plan to read a suite's own source from the file that an option names."""
    file = run.sources[name]
    return planned_step(
        run,
        build_name(run, f"ingest.{name}"),
        version=run.suite.sources[name].version,
        suite=run.suite.name,
        parameters={},
        source={"source": file_hash(file)},
    )


def plan_build(run: ResolvedRun, step: SuiteStep) -> Planned:
    """Plan one step of the suite's build, or the reading of its published file.

    Raises:
        MissingInput: an input step is missing, or other files were ingested than the run names.
    """
    settings = run.settings
    check_source(run.lake, settings)
    operations = [each for asked in step.asks.values() for each in asked]
    unread = {f"ingest.{name}" for name in unread_sources(run)}.union(_other_suites(step))
    return planned_step(
        run,
        build_name(run, step.name),
        version=step.version,
        packages=step.packages,
        prompts=prompt_files(operations, step.files),
        suite=settings.suite,
        parameters=options_of(run, step.options) | roles_of(run, tuple(step.asks)),
        reads=[
            *(build_name(run, name) for name in step.reads if name not in unread),
            *_built_by_another(run, step),
        ],
        source=source_of(run.lake, settings) if settings.dataset is not None else None,
    )


def _other_suites(step: SuiteStep) -> list[str]:
    """List `suite.<option>` of what a step reads; no step reads two."""
    return [name for name in step.reads if name.startswith("suite.")]


def _built_by_another(run: ResolvedRun, step: SuiteStep) -> list[str]:
    """List the finished build steps of the other suite whose rows a step reads.

    Raises:
        MissingInput: the release has no rows of that suite, or those of its published file.
    """
    options = [name.removeprefix("suite.") for name in _other_suites(step)]
    name = run.option(options[0]) if options else None
    if name is None:
        return []
    release, start = run.settings.release, f"{load_suite(name).name}.build."
    found = [c.step.name for c in run.lake.commits(release) if c.step.name.startswith(start)]
    if not found:
        filings = {} if run.settings.filings is None else {"filings": run.settings.filings}
        place = place_options(lake=run.lake.url, release=release, suite=name, **filings)
        raise MissingInput(
            f"release {release!r} has no rows of the suite {name!r}, which {step.name} reads. "
            f"Run that suite on the same filings first:\n  tenkbench run{place}"
        )
    if found == [f"{start}dataset"]:
        raise MissingInput(
            f"release {release!r} was read from the published file of {name!r}, and {step.name} "
            f"cuts passages from filings. Name a --release in which {name} was built from filings."
        )
    return sorted(found)


def unread_sources(run: ResolvedRun) -> list[str]:
    """List the suite's sources that neither the run names nor the release holds."""
    release = run.settings.release
    return [
        name
        for name in run.suite.sources
        if name not in run.sources
        and run.lake.commit_of(Step(release, build_name(run, f"ingest.{name}"))) is None
    ]


def build_name(run: ResolvedRun, step: str) -> str:
    """Return a step's name in the lake; filings are ingested for all suites."""
    if step == "ingest":
        return step
    is_source = step.startswith("ingest.")
    return f"{run.suite.name}.{step}" if is_source else f"{run.suite.name}.build.{step}"


def built_steps(run: ResolvedRun) -> list[str]:
    """List the steps that made a release's cases, in order."""
    if is_of_dataset(run.lake, run.settings):
        return [build_name(run, "dataset")]
    return [build_name(run, step.name) for step in run.suite.build]


def plan_prefixes(run: ResolvedRun, shown: Shown) -> Planned:
    """Plan the prompt prefixes that requests of all models share that are shown the same.

    Images have a step of their own, so that a frozen release of text takes a model of images.
    """
    return planned_step(
        run,
        prefixes_step(run, shown),
        version=INFER_VERSION,
        prompts=prompt_files(run.answers(shown)),
        suite=run.suite.name,
        reads=built_steps(run),
        parameters={
            "operations": [operation.name for operation in run.answers(shown)],
            **_asked_by(run, shown),
        },
    )


def prefixes_step(run: ResolvedRun, shown: Shown) -> str:
    """Return the name of the step that holds the prefixes of prompts that show this."""
    return f"{run.suite.name}.infer.prefixes{'.images' if shown == 'images' else ''}"


def _asked_by(run: ResolvedRun, shown: Shown) -> dict[str, Any]:
    """Return the options that say how text is shown; images are the same by any of them."""
    return options_of(run, run.suite.asked_by) if shown == "text" else {}


def plan_responses(run: ResolvedRun, model: str) -> Planned:
    """Plan one model's answers to the release's cases."""
    shown = run.shown_to(model)
    return planned_step(
        run,
        answers_step(run.settings, model),
        version=INFER_VERSION,
        prompts=prompt_files(run.answers(shown)),
        suite=run.suite.name,
        reads=(*built_steps(run), prefixes_step(run, shown)),
        parameters={
            "model": named_model(run.settings, model),
            "sampling": {each.name: recorded(each.sampling) for each in run.answers(shown)},
            **_asked_by(run, shown),
            **_cut_to(run, model),
        },
    )


def _cut_to(run: ResolvedRun, model: str) -> dict[str, Any]:
    """Return the window that limits contexts; empty if the run cuts none."""
    row = find_model(model, run.settings.models_file)
    if not run.cuts or row.window is None or not any(each.cuts for each in run.answers(row.shown)):
        return {}
    window = {"window": row.window, "token_ratio": row.token_ratio}
    return {"cut_to": {**window, "least_answer": LEAST_ANSWER}}


def answers_step(run: RunSettings, model: str) -> str:
    """Return the name of the step that holds one model's answers."""
    return f"{run.suite}.infer.{name_of(model)}"


def occasions(run: ResolvedRun, judge: NamedJudge) -> tuple[int, ...]:
    """List a judge's rounds: 0 covers all answers; 1, if asked for, repeats a share.

    Only models judge again: a rule always says the same.
    """
    return (0, 1) if run.settings.judge_repeats and judge.model is not None else (0,)


def is_judged_on(occasion: int, run: RunSettings, case_id: str) -> bool:
    """Whether this occasion rates a case's answers, those of all models alike.

    A larger share includes the cases of a smaller one, so no verdict is wasted.
    """
    return (
        not occasion or stable_rng(run.seed, "judged again", case_id).random() < run.judge_repeats
    )


def judged_together(run: ResolvedRun, judge: NamedJudge) -> list[tuple[str, ...]]:
    """List what a judge gets: each model's answers, or two models' answers in both orders.

    The run's models are compared with each other and with those that the release has already.

    Raises:
        WrongSettings: the judge compares two models, and there are none that it compares, or the
            one that ratings start from is not among them.
    """
    models = [*dict.fromkeys(run.settings.model)]
    compares = judge.judge.compares
    if compares is None:
        return [(model,) for model in models]
    names = {name_of(model) for model in models}
    stale = {commit.step.name for commit in stale_commits(run.lake, run.settings.release)}
    answered = f"{run.suite.name}.infer."
    for commit in run.lake.commits(run.settings.release):
        other = commit.step.name.removeprefix(answered)
        is_model = commit.step.name.startswith(answered) and commit.n_rows("responses")
        if is_model and other not in names and commit.step.name not in stale:
            models.append(other)
    pairs = [
        (model, other)
        for model, other in permutations(models, 2)
        if not names.isdisjoint((name_of(model), name_of(other)))
        and compares(name_of(model), name_of(other), run.options)
    ]
    compared = {name_of(model) for pair in pairs for model in pair}
    ratings = (metric for metric in run.suite.metrics.values() if isinstance(metric, Rating))
    anchors = [
        run.option(option)
        for option in sorted({rating.anchor for rating in ratings} & {*judge.judge.options})
    ]
    if not pairs or not compared.issuperset(anchors):
        named = f' It rates them against "{anchors[0]}".' if anchors else ""
        raise WrongSettings(
            f'"{judge.name}" compares the answers of two models, and this run and its release have '
            f"no such two.{named} Name more with --model."
        )
    return [*pairs]


def plan_judgements(
    run: ResolvedRun, judge: NamedJudge, models: tuple[str, ...], occasion: int = 0
) -> Planned:
    """Plan one judge's judgements of one model's answers, or of two models' in this order.

    On occasion 1, plan the repeats.
    """
    settings, suite = run.settings, run.suite.name
    reads = (*built_steps(run), *(answers_step(settings, model) for model in models))
    about = f"{judge.name}.{'.vs.'.join(map(name_of, models))}"
    step = f"{suite}.judge.{about}"
    parameters: dict[str, Any] = {
        "judge": judge_of(settings, judge),
        "model": name_of(models[0]),
        **({"other_model": name_of(models[1])} if len(models) > 1 else {}),
        **options_of(run, judge.judge.options),
    }
    if occasion:
        reads = (*reads, step)
        step = f"{suite}.rejudge.{about}"
        parameters |= {"judge_repeats": settings.judge_repeats, "seed": settings.seed}
    planned = planned_step(
        run,
        step,
        version=judge.judge.version,
        prompts=prompt_files(judge.judge.asks, ()),
        suite=suite,
        reads=reads,
        parameters=parameters,
    )
    named = [each.name for each in run.judges]
    return replace(planned, made_by=replace(planned.made_by, judges=named))


def plan_attack_verdicts(run: ResolvedRun, judge: NamedJudge) -> Planned:
    """Plan one judge's verdicts on the suite's attack set."""
    return planned_step(
        run,
        f"{run.suite.name}.attack.{judge.name}",
        version=judge.judge.version,
        prompts=prompt_files(judge.judge.asks, ()),
        suite=run.suite.name,
        parameters={"judge": judge_of(run.settings, judge)},
    )


def plan_metrics(run: ResolvedRun) -> Planned:
    """Plan to compute metrics from all judgements of the release.

    Repeats, attacks and audits change no metric, but they count because scoring checks all tables.
    Audits are not inputs: an import may replace them at any time without making metrics stale.
    """
    settings, suite = run.settings, run.suite.name
    commits = {commit.step.name: commit for commit in run.lake.commits(settings.release)}
    judged = [name for name in commits if name.startswith(f"{suite}.judge.")]
    on_trial = [
        name for name in commits if name.startswith((f"{suite}.rejudge.", f"{suite}.attack."))
    ]
    if not judged:
        place = place_options(lake=run.lake.url, release=settings.release, suite=suite)
        raise MissingInput(
            f"release {settings.release} has no judgements of {suite} yet. Run this first:\n"
            f"  tenkbench judge{place}"
        )
    audits = {
        name: commit.content
        for name, commit in commits.items()
        if name.startswith(f"{suite}.audit.")
    }
    planned = planned_step(
        run,
        f"{suite}.score",
        reads=(*judged, *on_trial),
        version=METRICS_VERSION,
        packages=("numpy", "scipy"),
        suite=suite,
        parameters=run.parameters,
        code={
            "sql": sql_hash(*COUNTED),
            "sql/checks": sql_hash(*(file.relation for file in checks_of(suite))),
        },
        source={
            **stated(judged_models(commits.values(), suite), settings.models_file),
            "audits": audits,
        },
    )
    return replace(planned, grows=True)


def all_plans(lake: Lake, settings: RunSettings) -> Iterator[Planned]:
    """Plan every step of a run, in order; take each once the steps before it are finished.

    Raises the errors of `check_options` and `check_models`, even if an invalid option would not
    change these steps.
    """
    run = replace(check_options(settings), lake=lake)
    check_models(run)
    yield plan_ingest(run)
    for name in run.sources:
        yield plan_source(run, name)
    for step in run.build:
        yield plan_build(run, step)
    for shown in run.shown:
        yield plan_prefixes(run, shown)
    for model in settings.model:
        yield plan_responses(run, model)
    for judge in run.judges:
        for occasion in occasions(run, judge):
            for models in judged_together(run, judge):
                yield plan_judgements(run, judge, models, occasion)
        if settings.attacks and judge.judge.attacks is not None:
            yield plan_attack_verdicts(run, judge)
    yield plan_metrics(run)


def has_nothing_to_do(lake: Lake, run: RunSettings) -> bool:
    """Whether every step of the run is already in the lake as planned.

    Raises:
        ReleaseConflict: a step of a frozen release would change.
        As `all_plans`: an option is invalid, whatever the lake holds.
    """
    return all(is_finished(planned, run) for planned in all_plans(lake, run))


def is_built(lake: Lake, run: RunSettings) -> bool:
    """Whether the cases of the release are already in the lake as planned.

    Raises:
        ReleaseConflict: a step of a frozen release would change.
        As `all_plans`: an option is invalid, whatever the lake holds.
    """
    made = takewhile(lambda planned: ".infer." not in planned.step.name, all_plans(lake, run))
    return all(is_finished(planned, run) for planned in made)


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
    if run.judge_repeats and not resolved.suite.model_judges:
        raise WrongSettings(
            f"rules judge {run.suite}, and they always give the same verdict. "
            "Leave out --judge-repeats."
        )
    names_of = {
        "models": [name_of(model) for model in dict.fromkeys(run.model)],
        "judges": [judge.name for judge in resolved.judges],
    }
    for kind, names in names_of.items():
        if repeated := [name for name in names if names.count(name) > 1]:
            raise WrongSettings(
                f'two {kind} are named "{repeated[0]}", so tables could not tell them apart. '
                "Rename one in --models-file."
            )
    compares = [each.name for each in resolved.judges if each.judge.unit != "answer"]
    if run.judge_repeats and compares:
        raise WrongSettings(
            f'"{compares[0]}" compares two answers, and repeated comparisons are not '
            "evaluated. Leave out --judge-repeats."
        )
    return resolved


def check_settings(run: RunSettings, *, builds: bool = True) -> ResolvedRun:
    """Resolve a run; refuse at once what would otherwise fail hours later.

    Args:
        builds: whether the suite is built, so the models of its roles are asked.

    Raises:
        UnknownSuite, WrongSettings, TableError: see `check_options`.
        DatasetError: the published file has no suite's layout.
        UnknownModel, DoesNotFit: see `check_models`.
        UnreachableModel: see `check_reach`.
        MissingInput: a step reads another suite's rows, and the release has none.
        NoChromium: see `check_chromium`.
        LakeError: the lake is not writable, or there are no files to read.
    """
    resolved = check_options(run)
    for judge in resolved.judges:
        judged_together(resolved, judge)
    check_dataset(resolved)
    if not builds:
        resolved = replace(resolved, roles=dict.fromkeys(resolved.roles, ()))
    check_models(resolved)
    check_reach(resolved)
    if builds and run.dataset is None:
        for step in resolved.build:
            _built_by_another(resolved, step)
    prefixes = partial(plan_prefixes, resolved, "images")
    if "images" in resolved.shown and finished(run, prefixes) is None:
        check_chromium(resolved)
    if is_edgar(run.filings) and (run.force or "filings" not in source_of(resolved.lake, run)):
        edgar_access(run).checked_contact()
    resolved.lake.make()
    return resolved
