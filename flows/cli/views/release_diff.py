"""Terminal output of `tenkbench diff`: contents, making and scores of two releases."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from flows.cli.views.console import print_json, print_prose, print_table
from tasks.lake.lake import Commit, Lake, LakeError
from tasks.pipeline.settings import place_options
from tasks.results.compare.changes import ASKED, Change, row_counts, score_changes
from tasks.results.compare.identities import MadeDifferently, made_differently
from tasks.results.opened import check_current, check_there
from tasks.suites.registry import load_suite
from tasks.text.shares import probability, share, signed_share
from tasks.warehouse.connection import open_warehouse
from tasks.warehouse.judged_models import lake_models
from tasks.warehouse.releases import lake_parameters

_BASES = {"all": "each release on its own filings", "shared": "questions that both releases ask"}
_MEANING = (
    "More than noise: p is at most 0.05 after Holm's correction for the models of a metric. "
    "Brackets hold 95 % intervals, resampled by filing, not by question. On each release's own "
    "filings, a change for the worse has two possible causes: the model has seen the earlier "
    "filings (contamination), or the later ones are harder. Models that cannot have seen either "
    "tell the two apart."
)


def show_diff(place: str, releases: tuple[str, str], suite: str, *, as_json: bool) -> None:
    """Show the difference; JSON has every kind of row, step and slice, the tables their sums.

    Raises:
        LakeError: the lake has no such release, or steps of one are outdated.
        UnknownSuite: no suite has this name.
    """
    lake, (release, other_release) = Lake(place).as_of_now(), releases
    before, after = (_commits(lake, name, suite) for name in releases)
    changes = made_differently(before, after)
    parameters = lake_parameters(lake, other_release)
    with open_warehouse(
        lake.files(releases),
        parameters=parameters,
        models=[model for name in releases for model in lake_models(lake, name)],
        query=ASKED,
    ) as warehouse:
        counts = row_counts(warehouse, *releases, suite)
        scores = score_changes(warehouse, *releases, load_suite(suite), parameters)
    if as_json:
        print_json(
            {
                **{"lake": place, "release": release, "other_release": other_release},
                "suite": suite,
                "rows": counts,
                "made_differently": [asdict(change) for change in changes],
                "scores": scores,
            }
        )
        return
    print_prose(f"{release} → {other_release}, suite {suite}")
    _print_counts(releases, [row for row in counts if row["kind"] is None])
    _print_making(changes)
    _print_scores(releases, scores)
    print_prose("--json has every kind of row, every step and every slice.")
    query = (
        f"from reports.release_rows where release = '{release}' and other_release = "
        f"'{other_release}' and change != 'same'"
    )
    where = place_options(lake=place)
    print_prose(f'The rows behind the counts: tenkbench sql{where} "{query}"')


def _commits(lake: Lake, release: str, suite: str) -> list[Commit]:
    """Return the steps of a suite in a release, and its ingest."""
    load_suite(suite)
    check_there(lake, release)
    steps = ("ingest", f"{suite}.")
    commits = [commit for commit in lake.commits(release) if commit.step.name.startswith(steps)]
    if not commits:
        raise LakeError(
            f"Release '{release}' in '{lake.url}' has nothing of suite '{suite}'. Name another "
            "with --suite."
        )
    check_current(lake, release, suite)
    return commits


# --- tables ------------------------------------------------------------------------------


def _print_counts(releases: tuple[str, str], counts: Sequence[Mapping[str, Any]]) -> None:
    columns = ("", *releases, "same", "changed", "gone", "new")
    names = ("table", "n_before", "n_after", "n_same", "n_changed", "n_gone", "n_new")
    print_table(columns, [tuple(row[name] for name in names) for row in counts])


def _print_making(changes: Sequence[MadeDifferently]) -> None:
    if not changes:
        print_prose("Both have the same input, parameters, models, prompts, code and packages.")
    rows = [
        (
            "what was read" if change.kind == "filings" else change.kind,
            change.name,
            "nothing" if change.before is None else str(change.before),
            "nothing" if change.after is None else str(change.after),
            f"{len(change.steps)} steps" if change.steps else "",
        )
        for change in changes
        # a hash of a text or program says nothing more than that it changed
        if change.kind not in ("prompts", "code")
    ]
    if rows:
        print_table(("", "made differently", "before", "after", "in"), rows)
    if n_hidden := len(changes) - len(rows):
        print_prose(f"Besides, {n_hidden:,} prompts and code files changed.")


def _print_scores(releases: tuple[str, str], scores: Sequence[Change]) -> None:
    if not scores:
        print_prose(
            "No scores to compare: no model's answers are rated by the same judge in both. "
            "`tenkbench run --release NAME` rates what a release lacks."
        )
        return
    shown = [score for score in scores if score["slice_by"] == "overall"]
    for judge in dict.fromkeys(score["judge"] for score in shown):
        for basis, meaning in _BASES.items():
            of_basis = [score for score in shown if score["basis"] == basis]
            rows = [_score_row(score) for score in of_basis if score["judge"] == judge]
            if rows:
                columns = ["model", "metric", *releases]
                columns += ["change", "of", "lost", "gained", "more than noise?"]
                print_table(columns, rows, f"Scores, rated by {judge}: {meaning}")
    tested = [score for score in shown if score["p_holm"] is not None]
    n_moved = sum(bool(score["is_more_than_noise"]) for score in tested)
    untested = f"{len(shown) - len(tested):,} have too few filings to tell"
    print_prose(
        f"Of {len(shown):,} scores {n_moved:,} moved by more than noise; {untested}.", _MEANING
    )


def _score_row(score: Change) -> tuple[object, ...]:
    return (
        score["model"],
        score["metric"],
        _with_interval(score["value"], score["low"], score["high"]),
        _with_interval(score["other_value"], score["other_low"], score["other_high"]),
        _with_interval(score["change"], score["change_low"], score["change_high"], signed_share),
        *(_count_units(score), score["n_lost"], score["n_gained"]),
        _verdict(score),
    )


def _count_units(score: Change) -> str:
    """Say how many units a change rests on: of both releases where they differ."""
    n, other_n = score["n"], score["other_n"]
    return f"{n:,}" if n == other_n else f"{n:,}, {other_n:,}"


def _with_interval(
    value: float, low: float | None, high: float | None, write: Callable[[float], str] = share
) -> str:
    interval = "" if low is None or high is None else f" ({write(low)} to {write(high)})"
    return f"{write(value)}{interval}"


def _verdict(score: Change) -> str:
    if score["p_holm"] is None:
        return "too few filings"
    return f"{'yes' if score['is_more_than_noise'] else 'no'}, P {probability(score['p_holm'])}"
