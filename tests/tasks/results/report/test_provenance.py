"""What commits tell: whose ratings come first, and if metrics fit the judgements at hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tasks.core.errors import RunFailed, WrongUsage
from tasks.lake.lake import Commit, Lake, LakeStep
from tasks.results.report.measured import NothingMeasured
from tasks.results.report.provenance import provenance
from tests.invented_lake import RELEASE, SUITE, Invented, invent

FIRST, SECOND = "judge-72b", "a-contrary-judge"


@pytest.fixture(scope="module")
def commits(tmp_path_factory: pytest.TempPathFactory) -> list[Commit]:
    """Commits of a release with two judges; the second in the alphabet finished first."""
    folder = tmp_path_factory.mktemp("two judges") / "lake"
    lake = invent(folder, Invented(n_filings=1, pairs_per_filing=1, contrary_judge=SECOND))
    later = "9999-01-01T00:00:00+00:00"
    return changed(lake.commits(RELEASE), f".judge.{SECOND}.", committed_at=later)


def changed(commits: list[Commit], steps: str, **changes: Any) -> list[Commit]:
    """The commits, those of steps with this in their names changed."""
    return [
        replace(commit, **changes) if steps in commit.step.name else commit for commit in commits
    ]


def test_judges_of_the_newest_run_come_first(commits: list[Commit]) -> None:
    """Those that it named, in its order; of older records, the one that judged last."""
    assert provenance(commits, SUITE).judges == (SECOND, FIRST)

    def named(*judges: str) -> list[Commit]:
        made_by = replace(commits[0].made_by, judges=judges)
        return changed(commits, f".judge.{SECOND}.", made_by=made_by)

    assert provenance(named(SECOND), SUITE).judges == (SECOND, FIRST)
    assert provenance(named(FIRST, SECOND), SUITE).judges == (FIRST, SECOND)
    assert provenance(named("compares-pairs", SECOND), SUITE).judges == (SECOND, FIRST)
    # the same commits in another order, as a replay may list them
    assert provenance(commits[::-1], SUITE).judges == (SECOND, FIRST)


def test_a_judge_that_never_rated_is_an_error(commits: list[Commit]) -> None:
    with pytest.raises(WrongUsage, match="judge-72b, a-contrary-judge"):
        provenance(commits, SUITE, "nobody")


def test_a_suite_that_was_never_scored_is_an_error(lake: Lake) -> None:
    unscored = [
        commit for commit in lake.commits(RELEASE) if not commit.step.name.endswith(".score")
    ]
    with pytest.raises(NothingMeasured, match="failsafeqa"):
        provenance(unscored, SUITE)


def test_judgements_that_came_went_or_changed_since_the_metrics_are_refused(
    commits: list[Commit],
) -> None:
    name = f"{SUITE}.judge.{FIRST}.alpha-70b"
    judged = next(commit for commit in commits if commit.step.name == name)
    others = [commit for commit in commits if commit.step.name != name]
    late = replace(judged, step=LakeStep(RELEASE, f"{SUITE}.judge.late.alpha-70b"))
    for state in (others, [*others, replace(judged, parts=())], [*commits, late]):
        with pytest.raises(RunFailed, match="tenkbench score"):
            provenance(state, SUITE)


def test_answers_that_were_replaced_under_their_judgements_are_refused(
    commits: list[Commit],
) -> None:
    said = rf"scored: {SUITE}.judge.{SECOND}.beta-8b, {SUITE}.judge.{FIRST}"
    with pytest.raises(RunFailed, match=said):
        provenance(changed(commits, f"{SUITE}.infer.beta-8b", parts=()), SUITE)
