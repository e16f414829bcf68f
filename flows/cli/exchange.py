"""Commands that carry something out of a lake, or into it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from cyclopts import App

from flows.cli.options import DEFAULTS, Settings, for_suite
from flows.cli.run import start
from flows.cli.suite_of_lake import suite_of
from tasks.core.errors import RunFailed
from tasks.pipeline.settings import WrongSettings
from tasks.suites.registry import SUITES


def _exporting(suite: str) -> Callable[..., None]:
    def export_published(
        target: Path, /, *, lake: str = DEFAULTS.lake, release: str = DEFAULTS.release
    ) -> None:
        """Write the suite's cases in the layout of its authors; `--dataset` reads it.

        Args:
            target: file to write.
            lake: folder of the lake, or s3://bucket/prefix.
            release: release to take the cases from.
        """
        from flows.cli.exports import export_published as write

        for line in write(lake, release, suite, target):
            print(line, file=sys.stderr)

    return export_published


def export_hugging_face(
    folder: Path, /, *, release: tuple[str, ...] = (), lake: str = DEFAULTS.lake
) -> None:
    """A data set for the Hugging Face hub: Parquet for each benchmark, a split a release, and a card (README.md).

    Args:
        folder: where the files go; `datasets.load_dataset` opens it.
        release: release to publish, repeatable; every frozen one that has cases when not given.
        lake: folder of the lake, or s3://bucket/prefix.
    """
    from tasks.lake.lake import Lake
    from tasks.results.publish.folder import publish

    published = publish(Lake(lake), release, folder)
    for split in published:
        cases = ", ".join(f"{suite.n_cases:,} cases of {suite.suite}" for suite in split.suites)
        print(f"split {split.split}: {split.n_filings:,} filings, {cases}", file=sys.stderr)
    first = published[0].suites[0].suite
    print(f'Open it with datasets.load_dataset("{folder}", "{first}").', file=sys.stderr)


def export_openai_batch(folder: Path, /, settings: Settings = DEFAULTS) -> None:
    """Go on with a run up to the next calls to a model, and write them as OpenAI batch files instead of sending them.

    Args:
        folder: where the files go: JSON lines, one call each; its custom_id is the request's id.
    """
    from tasks.inference.batch_files import AwaitingBatch

    if settings.fresh:
        raise WrongSettings(
            "--fresh would write what was answered yesterday again and again; leave it out"
        )
    try:
        start("benchmark", settings, batches=folder)
    except AwaitingBatch as written:
        print(written, file=sys.stderr)
    else:
        print("nothing to write: the run is complete", file=sys.stderr)


def import_openai_batch(files: list[Path], /, *, lake: str = DEFAULTS.lake) -> None:
    """Replies of a provider's batch API or of `vllm run-batch`, into the response cache.

    Args:
        files: output and error files, as they were downloaded.
        lake: lake (a folder or s3://bucket/prefix) that the calls were exported from.
    """
    from tasks.inference.batch_files import import_batch
    from tasks.inference.cache.response_cache import kept_cache

    cache = kept_cache(lake)
    if cache is None:
        raise RunFailed(f"nothing was ever exported from the lake {lake}: it has no response cache")
    for file in files:
        done = import_batch(cache, file)
        failed = "".join(
            f", {n:,} failed ({kind}), to be asked again" for kind, n in done.failed.items()
        )
        print(
            f"{file}: {done.n_kept:,} answers kept, {done.n_before:,} were there before{failed}",
            file=sys.stderr,
        )


def import_answers(old: str, /, *, lake: str = DEFAULTS.lake) -> None:
    """Answers of models that a lake of tenkbench's first edition has, so that nobody pays for them twice.

    Args:
        old: the first edition's lake (a folder or s3://bucket/prefix); it is only read.
        lake: lake that takes them (a folder or s3://bucket/prefix).
    """
    from tasks.inference.cache.first_edition import import_answers as take
    from tasks.inference.cache.response_cache import cache_of
    from tasks.lake.objects import open_objects

    n_copied, n_before = take(open_objects(old), cache_of(lake))
    print(f"{old}: {n_copied:,} answers copied, {n_before:,} were there before", file=sys.stderr)


def export_audit(
    file: Path,
    /,
    *,
    n: int = 100,
    seed: int = DEFAULTS.seed,
    judge: str | None = None,
    lake: str = DEFAULTS.lake,
    release: str = DEFAULTS.release,
    suite: str | None = None,
) -> None:
    """Draw answers for people to rate, and write them as CSV: neither model nor the judge's rating is in it.

    Args:
        file: CSV file to write.
        n: how many answers, from all perturbations, models and verdicts alike.
        seed: seed of the draw.
        judge: whose verdicts are audited; may be left out where the release has one judge only.
        lake: folder of the lake, or s3://bucket/prefix.
        release: release to draw from.
        suite: benchmark to draw from; the release's only one by default.
    """
    from flows.cli.audits import export_audit as write

    for line in write(lake, release, suite or suite_of(lake, release), judge, n, seed, file):
        print(line, file=sys.stderr)


def import_audits(files: list[Path], /, *, lake: str = DEFAULTS.lake) -> None:
    """Take in what people have rated; `reports.audit_agreement` compares it with the judges.

    Args:
        files: filled-in CSV files, of any number of auditors; rows without a rating are left for later.
        lake: lake (a folder or s3://bucket/prefix) that they were exported from.
    """
    from flows.cli.audits import import_audits as take

    for line in take(lake, files):
        print(line, file=sys.stderr)


def rooms(suite: str) -> tuple[App, ...]:
    """Make `export`, `import` and `audit`, with the options of one suite where they run it."""
    export = App(name="export", help="Write a published layout from the lake.")
    for name in SUITES:
        export.command(
            _exporting(name),
            name=name,
            help=f"The published layout of {name}, which --dataset reads.",
        )
    export.command(export_hugging_face, name="hf")
    export.command(for_suite(export_openai_batch, suite), name="openai-batch")
    import_ = App(name="import", help="Take in what was answered elsewhere.")
    import_.command(import_openai_batch, name="openai-batch")
    import_.command(import_answers, name="answers")
    audit = App(name="audit", help="Have people rate what a judge has rated.")
    audit.command(export_audit, name="export")
    audit.command(import_audits, name="import")
    return export, import_, audit
