"""Terminal output of `tenkbench diff`: contents, making and scores of two releases."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from rich.text import Text

from flows.cli.views.console import console, print_json, print_rows
from tasks.lake.lake import Commit, Lake, LakeError, Step
from tasks.pipeline.plan import stale_commits
from tasks.results.compare.changes import (
    ASKED,
    ChangedRow,
    RowCounts,
    ScoreChange,
    changed_rows,
    row_counts,
    score_changes,
)
from tasks.results.compare.identities import (
    KINDS,
    Kind,
    MadeDifferently,
    NamedModel,
    made_differently,
    models_of_both,
    n_compared,
)
from tasks.suites.registry import load_suite
from tasks.text.shares import share, signed_share
from tasks.text.visible import visible
from tasks.warehouse.connection import open_warehouse
from tasks.warehouse.training_cutoffs import lake_cutoffs

if TYPE_CHECKING:
    import duckdb

_HEADING = "bold"
_TABLE_NAMES = {"qa_pairs": "question-answer pairs"}
_KIND_NAMES: dict[Kind, str] = {
    "filings": "what was read",
    "parameters": "parameters",
    "prompts": "prompts",
    "code": "code",
    "packages": "packages",
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
        scores = score_changes(warehouse, place.release, place.other_release, place.suite)
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
    n_of_kind = {kind: n_compared(before, after, kind) for kind in KINDS}
    _show_making(changes, models, n_of_kind, is_whole=is_whole)
    _show_scores(place, scores, _unscored(place, compared), is_whole=is_whole)
    if not is_whole:
        _say(
            "--table filings (or cases, ...) lists the rows behind a count; "
            "--all shows every kind and slice."
        )


def show_table(place: Place, table: str, limit: int | None, *, as_json: bool) -> None:
    """Show at most `limit` rows of a table that differ.

    Raises:
        LakeError: the lake has no such release.
        UnknownSuite: no suite has this name.
    """
    compared = _compared(place)
    with _opened(place, compared) as warehouse:
        rows = changed_rows(
            warehouse, place.release, place.other_release, place.suite, table, limit
        )
        counts = row_counts(warehouse, place.release, place.other_release, place.suite)
    n_rows = sum(
        row.n_changed + row.n_gone + row.n_new
        for row in counts
        if row.table == table and row.kind is None
    )
    if as_json:
        print_json([asdict(row) for row in rows])
        return
    _say(
        f"{place.release} → {place.other_release}: {_named(table)} that differ",
        is_heading=True,
    )
    _show_left_out(compared)
    print_rows(["change", "kind", "id", "what"], [_row_cells(row) for row in rows], as_json=False)
    if n_rows > len(rows):
        _say(f"{n_rows - len(rows):,} more; --all lists them.")


def _row_cells(row: ChangedRow) -> tuple[str, str, str, str]:
    before, after = row.before or "", row.after or ""
    said = f"{before} → {after}" if row.change == "changed" and before != after else after or before
    return row.change, row.kind, row.row_id, said


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
            there = lake.releases()
            mend = (
                f"Choose one of: {', '.join(there)}"
                if there
                else f"Make one:\n    tenkbench run --lake {lake.url}"
            )
            raise LakeError(f"No release '{release}' in '{lake.url}'. {mend}")
        stale = {commit.step for commit in stale_commits(lake, release)}
        left_out += [commit.step for commit in commits if commit.step in stale]
        found.append([commit for commit in commits if commit.step not in stale])
    return _Compared(lake, found[0], found[1], left_out)


@contextmanager
def _opened(place: Place, compared: _Compared) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open the warehouse of both releases, with the later one's weights."""
    lake = compared.lake
    releases = (place.release, place.other_release)
    scored = lake.commit_of(Step(place.other_release, f"{place.suite}.score"))
    with open_warehouse(
        lake.files(releases, without=compared.left_out),
        parameters={} if scored is None else scored.identity["parameters"],
        cutoffs=[cutoff for release in releases for cutoff in lake_cutoffs(lake, release)],
        asked=ASKED,
    ) as connection:
        yield connection


def _unscored(place: Place, compared: _Compared) -> list[str]:
    """Describe releases without judgements of their current contents."""
    judged = f"{place.suite}.judge."
    was_judged = {step.release for step in compared.left_out if step.name.startswith(judged)}
    return [
        f"{release} has not been judged{' since it was rebuilt' if release in was_judged else ''}"
        for release, commits in (
            (place.release, compared.before),
            (place.other_release, compared.after),
        )
        if not any(commit.step.name.startswith(judged) for commit in commits)
    ]


def _show_left_out(compared: _Compared) -> None:
    for release, steps in groupby(compared.left_out, key=lambda step: step.release):
        names = ", ".join(step.name for step in steps)
        _say(f"Left out of {release}, because their inputs have been made again since: {names}")


# --- what the releases hold --------------------------------------------------------------


def _show_counts(place: Place, counts: Sequence[RowCounts]) -> None:
    columns = ["", place.release, place.other_release, "same", "changed", "gone", "new"]
    rows = [
        (
            _named(row.table) if row.kind is None else f"  {row.kind}",
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
    n_shared = sum(
        row.n_same + row.n_changed for row in counts if row.table == "filings" and row.kind is None
    )
    if not n_shared:
        _say("The releases share no filings, so their questions differ.")


def _named(table: str) -> str:
    return _TABLE_NAMES.get(table, table)


# --- how they were made ------------------------------------------------------------------


def _show_making(
    changes: Sequence[MadeDifferently],
    models: Sequence[NamedModel],
    n_of_kind: Mapping[Kind, int],
    *,
    is_whole: bool,
) -> None:
    _say("")
    _say("How they were made", is_heading=True)
    for kind in KINDS:
        of_kind = [change for change in changes if change.kind == kind]
        names = list(dict.fromkeys(change.name for change in of_kind))
        if not names:
            if n_of_kind[kind]:
                _say(f"  {_KIND_NAMES[kind]}: the same")
            continue
        _say(f"  {_KIND_NAMES[kind]}: {len(names)} of {n_of_kind[kind]} changed")
        for name, found in groupby(of_kind, key=lambda change: change.name):
            told = list(found)
            steps = sorted({step for change in told for step in change.steps})
            values = "; ".join(
                dict.fromkeys(
                    f"{_shown(change.before)} → {_shown(change.after)}" for change in told
                )
            )
            # a hash of a text or program says nothing more than that it changed
            is_hash = kind in ("prompts", "code") or name.endswith("digest")
            told_values = f": {values}" if is_whole or not is_hash else ""
            _say(f"    {name}{told_values}{_where(steps, is_whole)}")
    for change in ("changed", "new", "gone", "same"):
        found_models = [
            f"{model.name} ({model.role})" for model in models if model.change == change
        ]
        if found_models:
            said = (
                "in both"
                if change == "same"
                else "in both, made differently"
                if change == "changed"
                else change
            )
            _say(f"  models {said}: {', '.join(found_models)}")


def _where(steps: Sequence[str], is_whole: bool) -> str:
    if is_whole or len(steps) <= 2:
        return f"  (in {', '.join(steps)})"
    return f"  (in {len(steps)} steps)"


def _shown(value: object) -> str:
    return "nothing" if value is None else str(value)


# --- scores ------------------------------------------------------------------------------


def _show_scores(
    place: Place, scores: Sequence[ScoreChange], unscored: Sequence[str], *, is_whole: bool
) -> None:
    _say("")
    if not scores:
        why = " and ".join(unscored) if unscored else "no model was rated by the same judge in both"
        _say(f"No scores to compare: {why}.")
        return
    shown = [score for score in scores if is_whole or score.slice == "overall"]
    for judge in dict.fromkeys(score.judge for score in shown):
        for basis in ("all", "shared"):
            found = [score for score in shown if (score.judge, score.basis) == (judge, basis)]
            if not found:
                continue
            if basis == "all":
                _say(f"Scores, rated by {judge}: each release on its own filings", is_heading=True)
            else:
                _say(f"Scores, rated by {judge}: questions that both releases ask", is_heading=True)
            print_rows(*_score_table(place, found, basis, with_slice=is_whole), as_json=False)
    said = _conclusion(shown)
    if any(None not in (score.change_low, score.change_high) for score in shown):
        said += " Brackets hold 95 % intervals, resampled by filing, not by question."
    _say(said)


def _conclusion(scores: Sequence[ScoreChange]) -> str:
    told = [score for score in scores if score.p_holm is not None]
    n_sure = sum(bool(score.is_more_than_noise) for score in told)
    n_untold = len(scores) - len(told)
    said = []
    if told:
        said.append(
            f"{n_sure} of {len(told)} changes are more than noise: p is at most 0.05 after Holm's "
            "correction for the models of a metric."
        )
    if n_untold:
        changes = f"{n_untold} {'other changes' if told else 'changes'}"
        said.append(f"For {changes} there are too few filings to tell a change from noise.")
    return " ".join(said)


def _score_table(
    place: Place, scores: Sequence[ScoreChange], basis: str, *, with_slice: bool
) -> tuple[list[str], list[tuple[str | int, ...]]]:
    columns = [
        "model",
        "metric",
        *(["slice"] if with_slice else []),
        place.release,
        place.other_release,
    ]
    columns += [
        "change",
        *(["of", "lost", "gained"] if basis == "shared" else []),
        "more than noise?",
    ]
    rows: list[tuple[str | int, ...]] = []
    for score in scores:
        counted = (score.n, score.n_lost, score.n_gained)
        rows.append(
            (
                score.model,
                score.metric,
                *([score.slice] if with_slice else []),
                _value(score.value, score.ci_low, score.ci_high),
                _value(score.other_value, score.other_ci_low, score.other_ci_high),
                _value(score.change, score.change_low, score.change_high, signed_share),
                *(
                    ["-" if count is None else count for count in counted]
                    if basis == "shared"
                    else []
                ),
                _verdict(score),
            )
        )
    return columns, rows


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
    p = "p < 0.001" if score.p_holm < 0.001 else f"p {score.p_holm:.3f}"
    return f"{'yes' if score.is_more_than_noise else 'no'}, {p}"


def _say(line: str, *, is_heading: bool = False) -> None:
    console().print(Text(visible(line), style=_HEADING if is_heading else ""), soft_wrap=True)
