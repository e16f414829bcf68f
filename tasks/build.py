"""Build: documents -> contexts -> qa_pairs -> cases, and rejects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from prefect import task
from prefect.cache_policies import NO_CACHE

from tasks.core.ids import stable_id
from tasks.core.rows import TABLES, Case, Context, QAPair, Reject
from tasks.core.settings import MODEL_SETTINGS, RunSettings
from tasks.inference.client import Client, open_client
from tasks.inference.context import RunContext
from tasks.inference.operation import Engine
from tasks.lake.lake import Commit, Lake, LakeError, Part
from tasks.pipeline.plan import plan_cases, plan_contexts, plan_dataset, plan_qa_pairs
from tasks.pipeline.steps import Planned, committed, is_finished, write_calls
from tasks.suites.build_inputs import Shown, documents_of, ingested
from tasks.suites.failsafeqa.perturbations.material import material_of
from tasks.suites.registry import load_suite
from tasks.text.verbs import verbs_and_objects

# Contexts whose pairs one task writes: what a crash can cost, and what stands in memory.
PAIR_SHARD = 64


class NothingBuilt(LakeError):
    """A step would leave nothing for the next one."""


@task(name="build contexts", cache_policy=NO_CACHE)
def build_contexts(run: RunSettings) -> Commit:
    """Documents -> the texts that a model may be shown.

    Raises:
        NothingBuilt: not one document gave a context.
    """
    lake = Lake(run.lake)
    planned = plan_contexts(lake, run)
    if is_finished(lake, planned, run):
        return planned.finished(lake)
    parts: list[Part] = []
    rejects: list[Reject] = []
    first_with: dict[str, str] = {}  # context_id -> document_id
    shard: list[Context] = []

    def write_shard() -> None:
        number = len(parts)
        parts.append(planned.write(lake, "contexts", shard, number, suite=run.suite, kind=shard[0].kind))
        shard.clear()

    suite, ingest = load_suite(run.suite), planned.input("ingest")
    for row in (row for some in ingested(lake, ingest, run) for row in suite.contexts(some)):
        if isinstance(row, Reject):
            rejects.append(row)
        elif row.context_id in first_with:
            rejects.append(_same_text(row, first_with[row.context_id]))
        else:
            first_with[row.context_id] = row.document_id
            shard.append(row)
            if len(shard) == PAIR_SHARD:
                write_shard()
    if not first_with:
        reasons = sorted({f"{reject.reason} ({reject.detail})" for reject in rejects})
        raise NothingBuilt("no document gave a context: " + "; ".join(reasons[:5]))
    if shard:
        write_shard()
    parts.append(planned.write(lake, "rejects", rejects, suite=run.suite, stage="contexts"))
    return planned.commit(lake, parts)


def pair_shards(run: RunSettings) -> list[int]:
    """The shards that `build_qa_pairs` has: how many contexts each holds. None when the step is finished."""
    lake = Lake(run.lake)
    if is_finished(lake, plan_qa_pairs(lake, run), run):
        return []
    contexts = committed(lake, run.release, f"{run.suite}.build.contexts")
    return [part.n_rows for part in contexts.parts_of("contexts")]


@task(name="build qa pairs", task_run_name="build qa pairs, shard {shard}", cache_policy=NO_CACHE)
def build_qa_pairs(run: RunSettings, context: RunContext, shard: int) -> list[Part]:
    """One shard of contexts -> accepted pairs with sanitised citations."""
    lake = Lake(run.lake)
    planned = plan_qa_pairs(lake, run)
    suite = load_suite(run.suite)
    ingest = planned.input("ingest")
    n_shards = len(pair_shards(run))
    part = f"shard {shard + 1} of {n_shards}" if n_shards > 1 else ""
    engines: dict[str, Client] = {}
    of_setting: dict[str, list[Engine]] = {}
    for setting in (name for name in MODEL_SETTINGS if name in suite.steps["qa_pairs"].settings):
        models = suite.models(run, setting)
        for model in models:
            if model not in engines:
                engines[model] = open_client(run, context, model, suite.operations, part)
        of_setting[setting] = [engines[model] for model in models]
    shown = Shown(
        contexts=lake.read_shard(planned.input(f"{run.suite}.build.contexts"), Context, shard),
        documents=lambda ids: documents_of(lake, ingest, ids),
        engines=of_setting,
        run=run,
    )
    rows: dict[str, list[Any]] = {table: [] for table in ("qa_pairs", *suite.tables, "rejects")}
    table_of = {TABLES[table]: table for table in rows}
    for row in suite.write(shown):
        rows[table_of[type(row)]].append(row)
    if suite.has_verbs:
        rows["qa_pairs"] = with_verbs(rows["qa_pairs"])
    parts = []
    for table, written in rows.items():
        stage = {"stage": "qa_pairs"} if table == "rejects" else {}
        parts.append(planned.write(lake, table, written, shard, suite=run.suite, **stage))
    for engine in engines.values():
        parts += write_calls(lake, planned, run, engine.model, engine.records, shard)
    return parts


@task(name="commit qa pairs", cache_policy=NO_CACHE)
def commit_qa_pairs(run: RunSettings, parts: list[Part]) -> Commit:
    """Make the shards' pairs what the next steps see.

    Raises:
        NothingBuilt: not one pair was accepted.
    """
    lake = Lake(run.lake)
    planned = plan_qa_pairs(lake, run)
    if not parts:
        return planned.finished(lake)
    if not any(part.n_rows for part in parts if part.table == "qa_pairs"):
        rejects = [part for part in parts if part.table == "rejects"]
        reasons = Counter(row.reason for part in rejects for row in lake.rows_of(part, Reject))
        counted = "".join(f"\n  {n:,} x {reason}" for reason, n in reasons.most_common())
        where = ", ".join(f"{lake.url}/{part.path}" for part in rejects)
        raise NothingBuilt(
            f"no question-answer pair was accepted, and nothing was committed:{counted}\neach with its detail stands for a "
            f"day in {where}"
        )
    return planned.commit(lake, parts)


@task(name="build cases", task_run_name="build cases, {variant}", cache_policy=NO_CACHE)
def build_cases(run: RunSettings, context: RunContext, variant: str) -> Commit:
    """Pairs -> the cases of one variant, the contexts that they need, and rejects."""
    lake = Lake(run.lake)
    planned = plan_cases(lake, run, variant)
    if is_finished(lake, planned, run):
        return planned.finished(lake)
    pairs = lake.read(planned.input(f"{run.suite}.build.qa_pairs"), QAPair)
    if variant == "baseline":
        cases = [baseline_case(pair, run.suite) for pair in pairs]
        return planned.commit(
            lake, [planned.write(lake, "cases", cases, suite=run.suite, variant="baseline")]
        )
    suite = load_suite(run.suite)
    engine = open_client(run, context, run.generator, suite.operations)
    contexts = planned.input(f"{run.suite}.build.contexts")
    material = material_of(lake, run, planned.input("ingest"), contexts, pairs, engine)
    baselines = lake.read(planned.input(f"{run.suite}.build.cases.baseline"), Case)
    rows = list(suite.perturbations[variant](baselines, material))
    parts = _write_built(lake, planned, run, variant, rows)
    parts += write_calls(lake, planned, run, engine.model, engine.records)
    return planned.commit(lake, parts)


@task(name="build dataset", cache_policy=NO_CACHE)
def build_dataset(run: RunSettings) -> Commit:
    """A published file -> its contexts, pairs and cases, as they are."""
    lake = Lake(run.lake)
    planned = plan_dataset(lake, run)
    if is_finished(lake, planned, run):
        return planned.finished(lake)
    assert run.dataset is not None
    suite = load_suite(run.suite)
    rows = suite.load_dataset(Path(run.dataset), run)
    if not rows.qa_pairs:
        reasons = sorted({reject.reason for reject in rows.rejects})
        raise NothingBuilt(f"no usable row in {run.dataset}: " + "; ".join(reasons))
    pairs = with_verbs(rows.qa_pairs) if suite.has_verbs else rows.qa_pairs
    parts = [
        planned.write(lake, "qa_pairs", pairs, suite=run.suite),
        planned.write(lake, "rejects", rows.rejects, suite=run.suite, stage="dataset"),
    ]
    parts += [planned.write(lake, table, getattr(rows, table), suite=run.suite) for table in suite.tables]
    for kind in dict.fromkeys(context.kind for context in rows.contexts):
        contexts = [context for context in rows.contexts if context.kind == kind]
        parts.append(planned.write(lake, "contexts", contexts, suite=run.suite, kind=kind))
    for name in ("baseline", *suite.perturbations):
        cases = [case for case in rows.cases if case.variant == name]
        parts.append(planned.write(lake, "cases", cases, suite=run.suite, variant=name))
    return planned.commit(lake, parts)


def baseline_case(pair: QAPair, suite: str) -> Case:
    """The case that asks a pair's query as it is."""
    return Case(
        case_id=stable_id("case", pair.qa_pair_id, suite, "baseline"),
        qa_pair_id=pair.qa_pair_id,
        suite=suite,
        variant="baseline",
        query=pair.query,
        context_id=pair.context_id,
        target=pair.answer,
        is_answerable=True,
        details="{}",
    )


def with_verbs(pairs: Sequence[QAPair]) -> list[QAPair]:
    """Pairs with the verb and object of their query's first sentence."""
    verbs = verbs_and_objects([pair.query for pair in pairs])
    return [
        replace(pair, query_verb=verb, query_object=noun, verb_method=method)
        for pair, (verb, noun, method) in zip(pairs, verbs, strict=True)
    ]


def _write_built(
    lake: Lake, planned: Planned, run: RunSettings, variant: str, rows: Iterable[Case | Context | Reject]
) -> list[Part]:
    rows = list(rows)
    parts = [
        planned.write(
            lake,
            "cases",
            [row for row in rows if isinstance(row, Case)],
            suite=run.suite,
            variant=variant,
        ),
        planned.write(
            lake,
            "rejects",
            [row for row in rows if isinstance(row, Reject)],
            suite=run.suite,
            stage=f"perturbations.{variant}",
        ),
    ]
    contexts = [row for row in rows if isinstance(row, Context)]
    if contexts:
        parts.append(planned.write(lake, "contexts", contexts, suite=run.suite, kind=variant))
    return parts


def _same_text(context: Context, first_document_id: str) -> Reject:
    return Reject(
        reject_id=stable_id("reject", "contexts", context.document_id),
        stage="contexts",
        parent_id=context.document_id,
        reason="the same text as another filing's context",
        detail=f"{first_document_id} has it too",
    )
