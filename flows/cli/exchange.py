"""Commands that export from a lake or import into it."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import TypeVar

from cyclopts import App

from flows.cli.options import (
    DEFAULTS,
    LakeUrl,
    OneRelease,
    OneSuite,
    Settings,
    for_suite,
    place_of,
    release_of,
)
from flows.cli.run import start
from flows.cli.views.console import print_note
from tasks.pipeline.settings import place_options
from tasks.suites.registry import load_export, with_exports

Row = TypeVar("Row")


def export_published(lake: str, release: str, suite: str, target: Path) -> list[str]:
    """Write a suite's published file; return its counts and what was left out.

    Raises:
        LakeError: the release has no cases of the suite, or is not completely built.
    """
    from tasks.lake.lake import Lake, LakeError
    from tasks.results.opened import check_built

    opened = Lake(lake).as_of_now()
    steps = ("ingest", f"{suite}.build.")
    built = [commit for commit in opened.commits(release) if commit.step.name.startswith(steps)]
    if not any(commit.n_rows("qa_pairs") for commit in built):
        raise LakeError(
            f"Release '{release}' in '{opened.url}' has no cases of '{suite}'. Make them:\n"
            f"    tenkbench build{place_options(lake=lake, release=release, suite=suite)}"
        )
    check_built(opened, release, suite)
    if target.is_dir() or not target.parent.is_dir():
        raise LakeError(f"Cannot write '{target}'. Name a file in an existing folder.")

    def rows(row_type: type[Row], only: tuple[str, Collection[str]] | None = None, /) -> list[Row]:
        return [row for commit in built for row in opened.read(commit, row_type, only)]

    exported = load_export(suite)(target, rows)
    left_out = [f"Left out {reject.parent_id}: {reject.detail}" for reject in exported.left_out]
    return [
        f"{exported.n_rows:,} {exported.rows_are} in {target}, {len(left_out):,} pairs left out",
        *left_out,
    ]


def _exporting(suite: str) -> Callable[..., None]:
    def export(
        target: Path, /, *, lake: LakeUrl = DEFAULTS.lake, release: OneRelease = None
    ) -> None:
        """Write the suite's cases in its authors' layout, which `--dataset` reads.

        Args:
            target: File to write.
        """
        print_note(*export_published(lake, release_of(lake, release), suite, target))

    return export


def export_hugging_face(
    folder: Path, /, *, release: tuple[str, ...] = (), lake: LakeUrl = DEFAULTS.lake
) -> None:
    """Write a data set for the Hugging Face hub.

    It holds Parquet files for each benchmark, one split per release, and a card (README.md).

    Args:
        folder: Folder to write to; `datasets.load_dataset` opens it.
        release: Release to publish, repeatable; every frozen one with cases if omitted.
    """
    from tasks.lake.lake import Lake
    from tasks.results.publish.folder import publish

    published = publish(Lake(lake), release, folder)
    for split in published:
        cases = ", ".join(f"{suite.n_cases:,} cases of {suite.suite}" for suite in split.suites)
        print_note(f"split {split.split}: {split.n_filings:,} filings, {cases}")
    first = published[0].suites[0].suite
    print_note(f'Open it with datasets.load_dataset("{folder}", "{first}").')


def export_inspect(
    folder: Path,
    /,
    *,
    release: OneRelease = None,
    suite: str | None = None,
    judge: str | None = None,
    lake: LakeUrl = DEFAULTS.lake,
) -> None:
    """Write logs for `inspect view`, one per model and benchmark.

    Args:
        folder: New folder to write to.
        suite: The only benchmark to write; all if omitted.
        judge: The only judge whose verdicts to write [default: all, the report's first].
    """
    from tasks.lake.lake import Lake
    from tasks.models.catalogue import name_of
    from tasks.results.publish.inspect_export import export_inspect as write

    by = judge and name_of(judge)
    logs = write(Lake(lake), release_of(lake, release), folder, suite, by)
    print_note(
        f"{len(logs):,} logs. Open them:", f"    inspect view --log-dir {quote(f'{folder}/logs')}"
    )


def import_answers(files: list[Path], /, settings: Settings = DEFAULTS) -> None:
    """Import answers made elsewhere to a release's cases, to be judged and scored like any.

    A model's answers replace those imported before. Options must be those of the release.

    Args:
        files: CSV or JSON lines with case_id, model and text. The model needs a name that the
            catalogue does not have; it is NAME@imported in other commands.
    """
    from tasks.lake.lake import Lake
    from tasks.pipeline.imports import imported_as, judges_of_others, load_answers

    answers, n_cases = load_answers(settings, files)
    models = tuple(map(imported_as, answers))
    start("infer", replace(settings, model=models, fresh=False), answers=answers)
    for model, texts in answers.items():
        without = f", {n:,} cases have none" if (n := n_cases - len(texts)) else ""
        print_note(f"{model}: {len(texts):,} answers imported{without}")
    place = place_options(lake=settings.lake, release=settings.release, suite=settings.suite)
    judges = judges_of_others(Lake(settings.lake), settings, answers)
    place += place_options(models_file=settings.models_file, prompts=settings.prompts)
    options = [*(("model", model) for model in models), *(("judge", judge) for judge in judges)]
    named = "".join(f" --{name} {quote(value)}" for name, value in options)
    print_note(f"Next: tenkbench judge{place}{named}", f"      tenkbench score{place}")


def export_audit(
    file: Path,
    /,
    *,
    n: int = 100,
    seed: int = DEFAULTS.seed,
    judge: str | None = None,
    lake: LakeUrl = DEFAULTS.lake,
    release: OneRelease = None,
    suite: OneSuite = None,
) -> None:
    """Draw answers for people to rate and write them as CSV.

    The sheet names neither the model nor the judge's rating.

    Args:
        file: CSV file to write.
        n: Number of answers, drawn across all perturbations and verdicts.
        seed: Seed of the draw.
        judge: Judge to audit; optional if the release has only one.
    """
    from tasks.lake.lake import Lake
    from tasks.results.audit.answers import draw_answers

    release, suite = place_of(lake, release, suite)
    items = draw_answers(Lake(lake), file, release, suite, judge, n, seed)
    n_strata = len({item.stratum for item in items})
    print_note(
        f"{len(items):,} answers from {n_strata:,} strata are in {file}.",
        "Rate each from 1 to 6 by its rubric and enter your name in the column auditor. Then:",
        f"    tenkbench audit import {quote(str(file))}{place_options(lake=lake)}",
    )


def import_audits(files: list[Path], /, *, lake: str = DEFAULTS.lake) -> None:
    """Import people's ratings; the next `score` measures how far they agree.

    Args:
        files: CSV files filled in by any number of auditors; unrated rows can follow later.
        lake: Lake (a folder or s3://bucket/prefix) that they were exported from.
    """
    from tasks.lake.lake import Lake
    from tasks.results.audit.answers import RATINGS
    from tasks.results.audit.questions import AGREEMENT
    from tasks.results.audit.sheet import import_sheet, read_rows

    reports: set[str] = set()
    places: set[tuple[str, str]] = set()
    for file in files:
        is_of_questions = "agree" in read_rows(file)[0]
        rows, n_empty = import_sheet(Lake(lake), file, AGREEMENT if is_of_questions else RATINGS)
        reports.add("question_audits" if is_of_questions else "audit_agreement")
        print_note(f"{file}: {len(rows):,} ratings imported; {n_empty:,} rows not rated")
        places |= {*rows.values()}
    commands = [
        f"tenkbench score{place_options(lake=lake, release=release, suite=suite)}"
        for release, suite in sorted(places)
    ]
    at = place_options(lake=lake)
    commands += [f'tenkbench sql{at} "from reports.{name}"' for name in sorted(reports)]
    print_note("Next: " + "\n      ".join(commands))


def ask_questions(
    file: Path,
    /,
    *,
    n: int = 50,
    seed: int = DEFAULTS.seed,
    lake: LakeUrl = DEFAULTS.lake,
    release: OneRelease = None,
    suite: OneSuite = None,
) -> None:
    """Draw questions for people to answer before they see ours; writes FILE and a page beside it.

    Args:
        file: CSV file to write; a page with the contexts is written beside it as .html.
        n: Number of questions of each kind.
        seed: Seed of the draw.
    """
    from tasks.lake.lake import Lake
    from tasks.results.audit.questions import ask_people

    release, suite = place_of(lake, release, suite)
    n_drawn, page = ask_people(Lake(lake), file, (release, suite), n, seed)
    print_note(
        f"{n_drawn:,} questions are in {file}; {page} shows the text to answer them from.",
        "Write your answers, where you found them and your name. Then:",
        f"    tenkbench audit compare {quote(str(file))} SECOND.csv{place_options(lake=lake)}",
    )


def compare_answers(first: Path, second: Path, /, *, lake: LakeUrl = DEFAULTS.lake) -> None:
    """Store people's answers and show ours beside them, for people to say if they agree.

    Args:
        first: Sheet of `audit questions` with answers, which cannot be changed later.
        second: CSV file to write.
    """
    from tasks.lake.lake import Lake
    from tasks.results.audit.questions import compare

    n_answers, n_empty = compare(Lake(lake), first, second)
    print_note(
        f"{n_answers:,} answers are stored; {second} shows each beside ours.",
        f"{n_empty:,} rows have no answer yet.",
        "In the column agree enter yes or no; in kind, one of the values in kinds. Then:",
        f"    tenkbench audit import {quote(str(second))}{place_options(lake=lake)}",
    )


def rooms(suite: str) -> tuple[App, ...]:
    """Make `export`, `import` and `audit`, with one suite's options where needed."""
    export = App(name="export", help="Write cases as data sets.")
    for name in with_exports():
        export.command(
            _exporting(name),
            name=name,
            help=f"Write cases in the published layout of {name}, which --dataset reads.",
        )
    export.command(export_hugging_face, name="hf")
    export.command(export_inspect, name="inspect")
    import_ = App(name="import", help="Import answers from your own files.")
    import_.command(for_suite(import_answers, suite), name="answers")
    audit = App(name="audit", help="Have people check questions, and rate what a judge has rated.")
    audit.command(export_audit, name="export")
    audit.command(import_audits, name="import")
    audit.command(ask_questions, name="questions")
    audit.command(compare_answers, name="compare")
    return export, import_, audit
