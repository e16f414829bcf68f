"""The plan of a run: its steps, in order, and what each step's rows depend on.

The whole plan can be compared with the lake before anything heavy is imported.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, permutations, takewhile
from typing import Any

from tasks.core.fingerprints import file_hash
from tasks.core.ids import stable_rng
from tasks.filings.edgar.query import is_edgar
from tasks.inference.images.chromium import find_chromium
from tasks.inference.operation import recorded
from tasks.lake.lake import Commit, Lake, LakeStep
from tasks.models.catalogue import Shown, check_reachable, name_of
from tasks.models.windows import LEAST_ANSWER
from tasks.pipeline.preflight import check_models
from tasks.pipeline.resolved import NamedJudge, ResolvedRun, check_names_differ, resolve
from tasks.pipeline.settings import RunSettings, WrongSettings, place_options
from tasks.pipeline.sources import (
    check_choosing,
    check_source,
    edgar_access,
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
from tasks.pipeline.steps import MissingInput, PlannedStep, finished
from tasks.scoring import COUNTED
from tasks.suites.registry import load_suite
from tasks.suites.suite import Rating, Step
from tasks.warehouse.judged_models import judged_models, stated
from tasks.warehouse.sql_files import checks_of

# Versions of the steps that all suites share. Raise one if its step gives other rows.
INFER_VERSION = 3
METRICS_VERSION = 13

# The models of one judgement: one, or the two compared, in the order shown.
Models = tuple[str, ...]

# --- build -----------------------------------------------------------------------------------


def plan_source(run: ResolvedRun, name: str) -> PlannedStep:
    """Plan to read a suite's own source from the file that an option names."""
    return planned_step(
        run,
        build_name(run, f"ingest.{name}"),
        version=run.suite.sources[name].version,
        parameters={},
        source={"source": file_hash(run.sources[name])},
    )


def plan_build(run: ResolvedRun, step: Step) -> PlannedStep:
    """Plan one step of the suite's build, or the reading of its published file.

    Raises:
        MissingInput: an input step is missing, or other files were ingested than the run names.
    """
    check_source(run)
    operations = [operation for asks in step.asks.values() for operation in asks]
    return planned_step(
        run,
        build_name(run, step.name),
        version=step.version,
        packages=step.packages,
        prompts=prompt_files(operations, step.files),
        parameters=options_of(run, step.options) | roles_of(run, tuple(step.asks)),
        reads=[
            *(build_name(run, name) for name in step.reads if _is_read(run, name)),
            *_built_by_another(run, step),
        ],
        source=source_of(run) if run.settings.dataset is not None else None,
    )


def _is_read(run: ResolvedRun, name: str) -> bool:
    """Whether a step of this suite is read: not a source that neither run nor release names."""
    kind, _, source = name.partition(".")
    if kind != "ingest" or not source:
        return kind != "suite"
    step = LakeStep(run.settings.release, build_name(run, name))
    return source in run.sources or run.lake.commit_of(step) is not None


def _base_of(run: ResolvedRun, step: Step) -> Any:
    """Name the other suite whose rows a step reads; None if it reads none."""
    options = [name.removeprefix("suite.") for name in step.reads if name.startswith("suite.")]
    return run.option(options[0]) if options else None  # no step reads two suites


def _built_by_another(run: ResolvedRun, step: Step) -> list[str]:
    """List the finished build steps of the other suite whose rows a step reads."""
    name = _base_of(run, step)
    if name is None:
        return []
    release, start = run.settings.release, f"{load_suite(name).name}.build."
    steps = [commit.step.name for commit in run.lake.commits(release)]
    built = sorted(step for step in steps if step.startswith(start))
    if not built:
        filings = {} if run.settings.filings is None else {"filings": run.settings.filings}
        place = place_options(lake=run.lake.url, release=release, suite=name, **filings)
        raise MissingInput(
            f"release {release!r} has no rows of the suite {name!r}, which {step.name} reads. "
            f"Run that suite on the same filings first:\n  tenkbench run{place}"
        )
    if built == [f"{start}dataset"]:
        raise MissingInput(
            f"release {release!r} was read from the published file of {name!r}, and {step.name} "
            f"cuts passages from filings. Name a --release in which {name} was built from filings."
        )
    return built


def build_name(run: ResolvedRun, step: str) -> str:
    """Return a step's name in the lake; filings are ingested for all suites."""
    if step == "ingest":
        return step
    is_source = step.startswith("ingest.")
    return f"{run.suite.name}.{step}" if is_source else f"{run.suite.name}.build.{step}"


def built_steps(run: ResolvedRun) -> list[str]:
    """List the steps that made a release's cases, in order."""
    if is_of_dataset(run):
        return [build_name(run, "dataset")]
    return [build_name(run, step.name) for step in run.suite.build]


# --- infer -----------------------------------------------------------------------------------


def plan_prefixes(run: ResolvedRun, shown: Shown) -> PlannedStep:
    """Plan the prompt prefixes that requests of all models share that are shown the same."""
    operations = run.answers_to(shown)
    return planned_step(
        run,
        prefixes_step(run, shown),
        version=INFER_VERSION,
        prompts=prompt_files(operations),
        reads=built_steps(run),
        parameters={
            "operations": [operation.name for operation in operations],
            **_options_of_answers(run, shown),
        },
    )


def prefixes_step(run: ResolvedRun, shown: Shown) -> str:
    """Name the step of these prefixes; a frozen release of text takes a model of images later."""
    return f"{run.suite.name}.infer.prefixes{'.images' if shown == 'images' else ''}"


def _options_of_answers(run: ResolvedRun, shown: Shown) -> dict[str, Any]:
    """Return the options that say how text is shown; images are the same by any of them."""
    return options_of(run, run.suite.asked_by) if shown == "text" else {}


def plan_responses(run: ResolvedRun, model: str) -> PlannedStep:
    """Plan one model's answers to the release's cases."""
    row = run.row(model)
    operations = run.answers_to(row.shown)
    parameters = {
        "model": named_model(run, model),
        "sampling": {operation.name: recorded(operation.sampling) for operation in operations},
        **_options_of_answers(run, row.shown),
    }
    if run.cuts and row.window is not None and any(operation.cuts for operation in operations):
        window = {"window": row.window, "token_ratio": row.token_ratio}
        parameters["cut_to"] = {**window, "least_answer": LEAST_ANSWER}
    return planned_step(
        run,
        answers_step(run, model),
        version=INFER_VERSION,
        prompts=prompt_files(operations),
        reads=(*built_steps(run), prefixes_step(run, row.shown)),
        parameters=parameters,
    )


def answers_step(run: ResolvedRun, model: str) -> str:
    """Return the name of the step that holds one model's answers."""
    return f"{run.suite.name}.infer.{name_of(model)}"


# --- judge -----------------------------------------------------------------------------------


def occasions(run: ResolvedRun, judge: NamedJudge) -> tuple[int, ...]:
    """List a judge's rounds: 0 covers all answers; 1, of a model if wanted, repeats a share."""
    return (0, 1) if run.settings.judge_repeats and judge.model is not None else (0,)


def is_judged_on(occasion: int, run: RunSettings, case_id: str) -> bool:
    """Whether this occasion rates a case's answers, those of all models alike.

    A larger share includes the cases of a smaller one, so no verdict is wasted.
    """
    drawn = stable_rng(run.seed, "judged again", case_id).random()
    return not occasion or drawn < run.judge_repeats


def judged_together(run: ResolvedRun, judge: NamedJudge) -> list[Models]:
    """List what a judge gets: each model's answers, or two models' answers in both orders.

    The run's models are compared with each other and with those that the release has already.

    Raises:
        WrongSettings: the judge compares two models, and there are none that it compares, or the
            one that ratings start from is not among them.
    """
    models = {name_of(model): model for model in run.models}
    compares = judge.judge.compares
    if compares is None:
        return [(model,) for model in models.values()]
    named = models | {name: name for name in _answered_before(run) if name not in models}
    pairs = [
        (one, other)
        for one, other in permutations(named, 2)
        if (one in models or other in models) and compares(one, other, run.options)
    ]
    ratings = (metric for metric in run.suite.metrics.values() if isinstance(metric, Rating))
    options = {rating.anchor for rating in ratings} & {*judge.judge.options}
    anchors = [run.option(option) for option in sorted(options)]
    if not pairs or not {*chain(*pairs)}.issuperset(anchors):
        rated = f' It rates them against "{anchors[0]}".' if anchors else ""
        raise WrongSettings(
            f'"{judge.name}" compares the answers of two models, and this run and its release have '
            f"no such two.{rated} Name more with --model."
        )
    return [(named[one], named[other]) for one, other in pairs]


def _answered_before(run: ResolvedRun) -> list[str]:
    """List the models whose answers the release has."""
    release, start = run.settings.release, f"{run.suite.name}.infer."
    stale = {commit.step for commit in stale_commits(run.lake, release)}
    return [
        commit.step.name.removeprefix(start)
        for commit in run.lake.commits(release)
        if commit.step not in stale
        and commit.step.name.startswith(start)
        and commit.n_rows("responses")
    ]


def plan_judgements(
    run: ResolvedRun, judge: NamedJudge, models: Models, occasion: int = 0
) -> PlannedStep:
    """Plan one judge's judgements of one model's answers, or of two models' in this order."""
    settings = run.settings
    reads = (*built_steps(run), *(answers_step(run, model) for model in models))
    about = f"{judge.name}.{'.vs.'.join(map(name_of, models))}"
    step = f"{run.suite.name}.judge.{about}"
    parameters: dict[str, Any] = {
        "judge": judge_of(run, judge),
        "model": name_of(models[0]),
        **({"other_model": name_of(models[1])} if len(models) > 1 else {}),
        **options_of(run, judge.judge.options),
    }
    if occasion:  # the repeats
        reads = (*reads, step)
        step = f"{run.suite.name}.rejudge.{about}"
        parameters |= {"judge_repeats": settings.judge_repeats, "seed": settings.seed}
    return planned_step(
        run,
        step,
        version=judge.judge.version,
        prompts=prompt_files(judge.judge.asks, ()),
        reads=reads,
        parameters=parameters,
    )


def plan_attack_verdicts(run: ResolvedRun, judge: NamedJudge) -> PlannedStep:
    """Plan one judge's verdicts on the suite's attack set."""
    return planned_step(
        run,
        f"{run.suite.name}.attack.{judge.name}",
        version=judge.judge.version,
        prompts=prompt_files(judge.judge.asks, ()),
        parameters={"judge": judge_of(run, judge)},
    )


# --- score -----------------------------------------------------------------------------------


def plan_metrics(run: ResolvedRun) -> PlannedStep:
    """Plan to compute metrics from all judgements of the release.

    Repeats, attacks and audits count because scoring checks all tables. Audits are not inputs: an
    import may replace them at any time without making metrics stale.
    """
    settings, suite = run.settings, run.suite.name
    commits = {commit.step.name: commit for commit in run.lake.commits(settings.release)}

    def of(*parts: str) -> list[str]:
        return [name for part in parts for name in commits if name.startswith(f"{suite}.{part}.")]

    if not of("judge"):
        place = place_options(lake=run.lake.url, release=settings.release, suite=suite)
        raise MissingInput(
            f"release {settings.release} has no judgements of {suite} yet. Run this first:\n"
            f"  tenkbench judge{place}"
        )
    return planned_step(
        run,
        f"{suite}.score",
        reads=of("judge", "rejudge", "attack"),
        version=METRICS_VERSION,
        packages=("numpy", "scipy"),
        parameters=run.parameters,
        code={
            "sql": sql_hash(*COUNTED),
            "sql/checks": sql_hash(*(file.relation for file in checks_of(suite))),
        },
        source={
            **stated(judged_models(commits.values(), suite), settings.models_file),
            "audits": {name: commits[name].content for name in of("audit")},
        },
        grows=True,
    )


# --- the whole run ---------------------------------------------------------------------------


def all_plans(lake: Lake, settings: RunSettings) -> Iterator[PlannedStep]:
    """Plan every step of a run, in order; take each once the steps before it are finished.

    Raises:
        As `check_options` and `check_models`, even if an option would not change these steps.
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
    """Whether every step of the run is already in the lake as planned; raises as `all_plans`.

    Raises:
        ReleaseConflict: a step of a frozen release would change.
    """
    return all(planned.finished() for planned in all_plans(lake, run))


def is_built(lake: Lake, run: RunSettings) -> bool:
    """Whether the cases of the release are already in the lake as planned; see the above."""
    made = takewhile(lambda planned: ".infer." not in planned.step.name, all_plans(lake, run))
    return all(planned.finished() for planned in made)


def stale_commits(lake: Lake, release: str) -> list[Commit]:
    """List commits of a release whose inputs, as recorded, have been replaced or removed since.

    For example, answers to cases that were rebuilt later.
    """
    current = {commit.step.name: commit for commit in lake.commits(release)}
    stale: list[Commit] = []
    while True:
        contents = {name: commit.content for name, commit in current.items()}
        names = [
            name
            for name, commit in current.items()
            if not commit.identity["inputs"].items() <= contents.items()
        ]
        if not names:
            return stale
        stale += [current.pop(name) for name in names]


# --- checks before a start -------------------------------------------------------------------


def check_options(run: RunSettings) -> ResolvedRun:
    """Resolve a run; refuse options that are invalid or without effect, whatever the lake holds.

    Raises:
        UnknownSuite, WrongSettings, TableError: something named does not exist or is unreadable.
    """
    resolved = resolve(run)
    _check_combined(resolved)
    return resolved


def _check_combined(run: ResolvedRun) -> None:
    settings = run.settings
    check_choosing(settings)
    check_names_differ("models", [*dict.fromkeys(settings.model)])
    check_names_differ("judges", [judge.name for judge in run.judges])
    compares = [judge.name for judge in run.judges if judge.judge.unit != "answer"]
    if settings.judge_repeats and (compares or not run.suite.model_judges):
        why = (
            f'"{compares[0]}" compares two answers, and repeated comparisons are not evaluated'
            if compares
            else f"rules judge {run.suite.name}, and they always give the same verdict"
        )
        raise WrongSettings(f"{why}. Leave out --judge-repeats.")


def check_runs(runs: Sequence[ResolvedRun], *, builds: bool = True) -> None:
    """Check the runs of several suites, built one after another; see `check_run`."""
    for place, run in enumerate(runs):
        check_run(run, builds=builds, earlier=[other.suite.name for other in runs[:place]])


def check_run(run: ResolvedRun, *, builds: bool = True, earlier: Sequence[str] = ()) -> None:
    """Refuse at once what would otherwise fail hours later, and make the lake.

    Args:
        builds: whether the suite is built, so the models of its roles are asked.
        earlier: the suites that are built before it.

    Raises:
        UnknownModel, WrongSettings, DoesNotFit, UnreachableModel: see `check_options`,
            `check_models` and `check_reachable`.
        MissingInput: a step reads another suite's rows, and the release has none.
        NoChromium: there are images to draw, and nothing that draws them.
        LakeError: the lake is not writable, or there are no files to read.
    """
    settings = run.settings
    _check_combined(run)
    for judge in run.judges:
        judged_together(run, judge)
    checked = run if builds else replace(run, roles=dict.fromkeys(run.roles, ()))
    for need in check_models(checked):
        check_reachable(need.model)
    if builds and settings.dataset is None:
        for step in run.build:
            if _base_of(run, step) not in earlier:
                _built_by_another(run, step)
    if "images" in run.shown and finished(partial(plan_prefixes, run, "images")) is None:
        find_chromium()
    if is_edgar(settings.filings) and (settings.force or "filings" not in source_of(run)):
        edgar_access(settings).checked_contact()
    run.lake.make()
