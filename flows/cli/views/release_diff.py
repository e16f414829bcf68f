"""Terminal output of `tenkbench diff`: contents, making and scores of two releases."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from shlex import quote
from typing import TYPE_CHECKING

from rich.text import Text

from flows.cli.views.console import console, print_json, print_rows
from tasks.lake.lake import Commit, Lake, LakeError, Step
from tasks.pipeline.parameters import lake_parameters
from tasks.pipeline.plan import stale_commits
from tasks.results.compare.changes import (
    ASKED,
    RowCounts,
    ScoreChange,
    row_counts,
    score_changes,
)
from tasks.results.compare.identities import (
    MadeDifferently,
    NamedModel,
    made_differently,
    models_of_both,
)
from tasks.results.opened import check_there
from tasks.suites.registry import load_suite
from tasks.text.shares import probability, share, signed_share
from tasks.text.visible import visible
from tasks.warehouse.connection import open_warehouse
from tasks.warehouse.judged_models import lake_models

if TYPE_CHECKING:
    import duckdb

_HEADING = "bold"
_KIND_NAMES = {"filings": "what was read"}
_CHANGES = {
    "changed": "in both, made differently",
    "new": "new",
    "gone": "gone",
    "same": "in both",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Two releases of a suite in a lake."""

    lake: str
    release: str
    other_release: str
    suite: str


def show_diff(place: Place, *, is_whole: bool, as_json: bool) -> None:
    """Show the difference; `is_whole` adds every kind of row, step and slice.

    Raises:
        LakeError: the lake has no such release.
        UnknownSuite: no suite has this name.
    """
    compared = _compared(place)
    before, after = compared.before, compared.after
    changes = made_differently(before, after)
    models = models_of_both(before, after)
    with _opened(place, compared) as warehouse:
        counts = row_counts(warehouse, place.release, place.other_release, place.suite)
        scores = score_changes(
            warehouse,
            place.release,
            place.other_release,
            load_suite(place.suite),
            lake_parameters(Lake(place.lake), place.other_release),
        )
    if as_json:
        print_json(
            {
                **asdict(place),
                "rows": [asdict(row) for row in counts],
                "made_differently": [asdict(change) for change in changes],
                "models": [asdict(model) for model in models],
                "scores": [asdict(score) for score in scores],
                "left_out": [asdict(step) for step in compared.left_out],
            }
        )
        return
    _say(f"{place.release} → {place.other_release}, suite {place.suite}", is_heading=True)
    _show_left_out(compared)
    _show_counts(place, [row for row in counts if is_whole or row.kind is None])
    _show_making(changes, models, is_whole=is_whole)
    _show_scores(place, scores, is_whole=is_whole)
    if not is_whole:
        _say("--all shows every kind of row, every step and every slice.")
    query = (
        f"from reports.release_rows where release = '{place.release}' and other_release = "
        f"'{place.other_release}' and change != 'same'"
    )
    _say(f'The rows behind the counts: tenkbench sql --lake {quote(place.lake)} "{query}"')


# --- what is compared --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Compared:
    """Steps of two releases, without those made from outdated inputs."""

    lake: Lake
    before: list[Commit]
    after: list[Commit]
    left_out: list[Step]


def _compared(place: Place) -> _Compared:
    load_suite(place.suite)
    lake = Lake(place.lake).as_of_now()
    left_out: list[Step] = []
    found = []
    for release in (place.release, place.other_release):
        commits = [
            commit
            for commit in lake.commits(release)
            if commit.step.name == "ingest" or commit.step.name.startswith(f"{place.suite}.")
        ]
        if not commits:
            check_there(lake, release)
            raise LakeError(
                f"Release '{release}' in '{lake.url}' has nothing of suite '{place.suite}'. Name "
                "another with --suite."
            )
        stale = {commit.step for commit in stale_commits(lake, release)}
        left_out += [commit.step for commit in commits if commit.step in stale]
        found.append([commit for commit in commits if commit.step not in stale])
    return _Compared(lake, found[0], found[1], left_out)


def _opened(place: Place, compared: _Compared) -> duckdb.DuckDBPyConnection:
    """Open the warehouse of both releases, with the later one's options."""
    lake, releases = compared.lake, (place.release, place.other_release)
    return open_warehouse(
        lake.files(releases, without=compared.left_out),
        parameters=lake_parameters(lake, place.other_release),
        models=[model for release in releases for model in lake_models(lake, release)],
        asked=ASKED,
    )


def _show_left_out(compared: _Compared) -> None:
    for release, steps in groupby(compared.left_out, key=lambda step: step.release):
        names = ", ".join(step.name for step in steps)
        _say(f"Left out of {release}, because their inputs have been made again since: {names}")


# --- what the releases hold --------------------------------------------------------------


def _show_counts(place: Place, counts: Sequence[RowCounts]) -> None:
    columns = ["", place.release, place.other_release, "same", "changed", "gone", "new"]
    rows = [
        (
            row.table if row.kind is None else f"  {row.kind}",
            row.n_before,
            row.n_after,
            row.n_same,
            row.n_changed,
            row.n_gone,
            row.n_new,
        )
        for row in counts
    ]
    print_rows(columns, rows, as_json=False)


# --- how they were made ------------------------------------------------------------------


def _show_making(
    changes: Sequence[MadeDifferently], models: Sequence[NamedModel], *, is_whole: bool
) -> None:
    _say("")
    _say("How they were made", is_heading=True)
    if not changes:
        _say("  from the same input, parameters, prompts, code and packages")
    for kind, of_kind in groupby(changes, key=lambda change: change.kind):
        _say(f"  {_KIND_NAMES.get(kind, kind)}")
        for name, found in groupby(of_kind, key=lambda change: change.name):
            told = list(found)
            steps = sorted({step for change in told for step in change.steps})
            values = dict.fromkeys(
                f"{_shown(change.before)} → {_shown(change.after)}" for change in told
            )
            # a hash of a text or program says nothing more than that it changed
            is_hash = kind in ("prompts", "code") or name.endswith("digest")
            shown = f": {'; '.join(values)}" if is_whole or not is_hash else ""
            _say(f"    {name}{shown}{_where(steps, is_whole)}")
    for change, said in _CHANGES.items():
        names = [f"{model.name} ({model.role})" for model in models if model.change == change]
        if names:
            _say(f"  models {said}: {', '.join(names)}")


def _where(steps: Sequence[str], is_whole: bool) -> str:
    if is_whole or len(steps) <= 2:
        return f"  (in {', '.join(steps)})"
    return f"  (in {len(steps)} steps)"


def _shown(value: object) -> str:
    return "nothing" if value is None else str(value)


# --- scores ------------------------------------------------------------------------------


def _show_scores(place: Place, scores: Sequence[ScoreChange], *, is_whole: bool) -> None:
    _say("")
    if not scores:
        _say(
            "No scores to compare: no model's answers are rated by the same judge in both. "
            "`tenkbench run --release NAME` rates what a release lacks."
        )
        return
    shown = [score for score in scores if is_whole or score.slice == "overall"]
    whose = {
        "all": "each release on its own filings",
        "shared": "questions that both releases ask",
    }
    for judge in dict.fromkeys(score.judge for score in shown):
        for basis, said in whose.items():
            found = [score for score in shown if (score.judge, score.basis) == (judge, basis)]
            if found:
                _say(f"Scores, rated by {judge}: {said}", is_heading=True)
                print_rows(*_score_table(place, found, basis, with_slice=is_whole), as_json=False)
    _say(
        "More than noise: p is at most 0.05 after Holm's correction for the models of a metric. "
        "Brackets hold 95 % intervals, resampled by filing, not by question."
    )
    if any(
        score.basis == "shared"
        and score.change_low is not None
        and not score.change
        and not score.n_lost
        and not score.n_gained
        for score in shown
    ):
        _say(
            "If two releases agree on every filing, the interval says how far apart they may be on "
            "others."
        )
    if any(score.basis == "all" for score in shown):
        _say(
            "If the later release has fresh filings, a change for the worse on each release's own "
            "filings has two possible causes: the model has seen the earlier ones (contamination), "
            "or the fresh ones are harder. Models that cannot have seen either tell the two "
            "apart."
        )


def _score_table(
    place: Place, scores: Sequence[ScoreChange], basis: str, *, with_slice: bool
) -> tuple[list[str], list[tuple[str | int | None, ...]]]:
    rows: list[dict[str, str | int | None]] = []
    for score in scores:
        row: dict[str, str | int | None] = {"model": score.model, "metric": score.metric}
        if with_slice:
            row["slice"] = score.slice
        row[place.release] = _value(score.value, score.low, score.high)
        row[place.other_release] = _value(score.other_value, score.other_low, score.other_high)
        row["change"] = _value(score.change, score.change_low, score.change_high, signed_share)
        if basis == "shared":
            row |= {"of": score.n, "lost": score.n_lost, "gained": score.n_gained}
        row["more than noise?"] = _verdict(score)
        rows.append(row)
    return list(rows[0]), [tuple(row.values()) for row in rows]


def _value(
    value: float, low: float | None, high: float | None, said: Callable[[float], str] = share
) -> str:
    return (
        said(value)
        if low is None or high is None
        else f"{said(value)} ({said(low)} to {said(high)})"
    )


def _verdict(score: ScoreChange) -> str:
    if score.p_holm is None:
        return "too few filings"
    return f"{'yes' if score.is_more_than_noise else 'no'}, P {probability(score.p_holm)}"


def _say(line: str, *, is_heading: bool = False) -> None:
    console().print(Text(visible(line), style=_HEADING if is_heading else ""), soft_wrap=True)
