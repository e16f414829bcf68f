"""Commands on releases, Prefect, a lake's repair, and endpoints."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from flows.cli.options import DEFAULTS, AsJson, LakeUrl, OneSuite, Settings, suite_of
from flows.cli.presets import Preset
from flows.cli.run import start
from flows.cli.views.console import print_json, print_note
from tasks.pipeline.settings import WrongSettings


def up(
    *,
    lake: str | None = None,
    contact: str | None = None,
    alert_url: str | None = None,
    port: int = 4200,
    folder: Path = Path(".prefect-server"),
) -> None:
    """Run Prefect's server, workers and our deployments on this machine until Ctrl-C.

    Everything listens on loopback only.

    Args:
        lake: Lake of the deployments [default: as deployed, else ./lake].
        contact: Company and e-mail address that scheduled downloads send to EDGAR [default: as
            deployed].
        alert_url: Where to send alerts [default: as deployed]; see `deploy`.
        port: Port of Prefect's API and UI; reports use the next one.
        folder: Folder for the server's database and all logs.
    """
    from deployments.local import up as bring_up

    bring_up(lake, contact, alert_url, folder, port)


def repair(*, lake: LakeUrl = DEFAULTS.lake) -> None:
    """Remove damaged steps, so that the next run makes just those again.

    This reads every part and commit.
    """
    from tasks.lake.lake import Lake

    place = Lake(lake)
    damaged = place.damaged()
    for step, why in damaged:
        place.take_back(step)
        print_note(f"removed {step.name} of release {step.release}: {why}")
    if not damaged:
        print_note(f"Nothing is damaged in {place.url}.")
        return
    releases = ", ".join(sorted({step.release for step, _ in damaged}))
    print_note(
        f"Run the command or deployment that made the release ({releases}) again: it makes only "
        "these steps."
    )


def deploy(
    *, lake: str | None = None, contact: str | None = None, alert_url: str | None = None
) -> None:
    """Put our deployments on the server that PREFECT_API_URL names.

    They come with work pools and automations. Run it again after each upgrade.

    Args:
        lake: Lake of the deployments: a folder that every worker sees, or s3://bucket/prefix
            [default: as deployed, else ./lake].
        contact: Company and e-mail address that scheduled downloads send to EDGAR [default: as
            deployed].
        alert_url: Where to send alerts: an Apprise URL, for a webhook, mail or Slack [default: as
            deployed].
    """
    from deployments.deploy import deploy as bring

    for line in bring(lake, contact, alert_url):
        print_note(line)


def probe(
    model: str,
    /,
    *,
    suite: str = DEFAULTS.suite,
    models_file: str | None = None,
    json: AsJson = False,
) -> None:
    """Try an endpoint with about thirty calls, and print its row for a models file.

    Args:
        model: NAME@http://host:port/v1, or a model of the catalogue.
        suite: Suite whose questions, parsers and judge it is tried with.
        models_file: TOML file with models of your own.
    """
    from tasks.inference.engines.failures import GaveUp
    from tasks.models.catalogue import find_model
    from tasks.results.probe import probe as probed

    shown = probed(find_model(model, models_file), suite)
    if json:
        print_json({**asdict(shown), "model": shown.model.name, "row": shown.row})
        return
    facts = {
        "window": f"{shown.window:,} tokens" if shown.window else "not stated by the server",
        "JSON schema": "obeyed" if shown.follows_schema else "ignored or refused",
        "cached tokens": "reported" if shown.reports_cached else "not reported",
        "token counts": "as expected" if shown.token_ratio else "not reported, or far from ours",
        "longest answer": f"takes about {shown.answer_s:.0f} s",
    }
    if shown.n_left_out:
        facts["slow"] = (
            f"{shown.n_left_out:,} questions and judgements were left out, to end within minutes. "
            "A run waits as long as tokens come"
        )
    for row in shown.obedience:
        problem = f"; for example: {row.problem}" if row.problem else ""
        facts[row.operation] = f"{row.readable} of {row.asked} replies readable{problem}"
    for name, fact in facts.items():
        print(f"{name:<24} {fact}")
    print(f"\n{shown.row}")
    print_note(
        "\nPut these lines in a file, then:",
        f"    tenkbench run --model {shown.model.name} --models-file FILE",
    )
    if shown.obedience and not any(row.readable for row in shown.obedience):
        raise GaveUp(f"{shown.model.name}: none of its replies could be read; see above for why")


def refresh(
    quarter: str | None = None, /, settings: Settings = DEFAULTS, *, preset: Preset = None
) -> None:
    """Build and freeze a release of a quarter's new filings on EDGAR.

    A filing is new if no frozen release has it; for trials, use `trial-dev` or another lake.

    Args:
        quarter: Quarter and name of the release, such as 2026Q3; the last complete one if omitted.
    """
    from tasks.filings.edgar.index import quarter_before
    from tasks.lake.lake import Lake
    from tasks.pipeline.plan import is_built
    from tasks.pipeline.resolved import each_suite
    from tasks.pipeline.sources import reasons_left_out
    from tasks.results.compare.quarters import refreshed

    today = datetime.now(UTC).date()
    quarter = quarter or quarter_before(today)
    run = refreshed(settings, quarter, today)
    lake = Lake(run.lake)
    if all(is_built(lake, one) for one in each_suite(run)):
        print_note(f"Nothing to do: release {run.release} in {lake.url} is already built.")
    else:
        start("refresh", run, quarter=quarter)
    for reason, n in reasons_left_out(lake, run.release).most_common():
        print_note(f"Left out {n:,}: {reason}")


def diff(
    release: str,
    other_release: str,
    /,
    *,
    suite: OneSuite = None,
    lake: LakeUrl = DEFAULTS.lake,
    json: AsJson = False,
) -> None:
    """Compare two releases: filings, cases, how they were made, and scores.

    Each change of a score is tested against noise. JSON has every kind of row, step and slice.

    Args:
        release: Earlier release.
        other_release: Later release.
    """
    from flows.cli.views.release_diff import show_diff

    if release == other_release:
        raise WrongSettings(f"Cannot compare release '{release}' with itself. Name two releases.")
    suite = suite or suite_of(lake, other_release)
    show_diff(lake, (release, other_release), suite, as_json=json)
