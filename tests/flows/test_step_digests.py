"""Rows that change fail a test until the step's version is raised."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tasks.core.rows import AttackVerdict, Judgement, Reject, Request, Response
from tasks.pipeline.settings import RunSettings
from tasks.suites.judge import UNREADABLE
from tasks.suites.registry import SUITES, load_suite
from tests import step_digests
from tests.flows.rows import rows_of
from tests.step_digests import differences, read_recorded, run_suite, runs_of, steps_of

RUNS = [(suite, run) for suite in SUITES for run in runs_of(suite)]


@pytest.fixture(scope="module")
def samples() -> Iterator[Path]:
    with step_digests.ingested() as lake:
        yield lake


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with step_digests.players() as url:
        yield url


@pytest.fixture(scope="module")
def made(samples: Path, url: str) -> dict[tuple[str, str], RunSettings]:
    """Make each run when the first test asks for it."""

    class Runs(dict[tuple[str, str], RunSettings]):
        def __missing__(self, key: tuple[str, str]) -> RunSettings:
            suite, run = key
            if run == "dataset":
                assert self[suite, "extractive"]
            self[key] = run_suite(suite, run, samples, url)
            return self[key]

    return Runs()


@pytest.mark.parametrize(("suite", "run"), RUNS)
def test_rows_are_the_recorded_ones_of_each_step_and_version(
    suite: str, run: str, made: dict[tuple[str, str], RunSettings]
) -> None:
    recorded = read_recorded().get(suite, {}).get(run, {})
    found = differences(suite, run, recorded, steps_of(made[suite, run]))
    assert [each.said for each in found] == []


def test_every_step_of_every_suite_is_recorded() -> None:
    recorded = read_recorded()
    assert {(suite, run) for suite, runs in recorded.items() for run in runs} == set(RUNS)
    for suite, run in RUNS:
        steps = recorded[suite][run].keys()
        declared = load_suite(suite)
        if run == "dataset":
            assert steps == {"ingest", f"{suite}.build.dataset"}
            continue
        built = {f"{suite}.build.{step.name}" for step in declared.build}
        assert {"ingest", f"{suite}.infer.prefixes", f"{suite}.score", *built} <= steps
        verbs = {step.split(".")[1] for step in steps - {"ingest"}} - {"ingest"}
        tried = {"rejudge", "attack"} if suite == "failsafeqa" else set()
        if suite == "refusalbench" and run != "extractive":  # where a model judges
            tried = {"rejudge"}
        assert verbs == {"build", "infer", "judge", "score", *tried}
        without_rows = {step for step in steps if not recorded[suite][run][step].tables}
        assert without_rows <= {"longcontext.build.single"}  # off but in `extractive`


def test_messy_replies_reach_what_refuses_them(made: dict[tuple[str, str], RunSettings]) -> None:
    """Else the digests would not guard the parsers."""
    failsafeqa, faith = made["failsafeqa", "messy"], made["faith", "messy"]
    reasons = {(row.stage, row.reason) for row in rows_of(failsafeqa, Reject)}
    assert ("qa_pairs", "the rating reply could not be used") in reasons
    for judged in (
        rows_of(failsafeqa, Judgement),
        rows_of(failsafeqa, AttackVerdict),
        rows_of(faith, Judgement),
    ):
        unscored = [
            row
            for row in judged
            if row.unscored_reason is not None or getattr(row, "label", None) == UNREADABLE
        ]
        assert 0 < len(unscored) < len(judged) / 2
    assert len({row.rating for row in rows_of(failsafeqa, Judgement)} - {None}) >= 5
    assert {row.label for row in rows_of(faith, Judgement)} == {"correct", "wrong", UNREADABLE}
    for run in (failsafeqa, faith):
        assert any(row.repairs for row in rows_of(run, Request))
        assert {row.finish_reason for row in rows_of(run, Response)} == {"stop", "length"}
