"""Commands that start Prefect, put our deployments on it, and repair a lake."""

from __future__ import annotations

import sys
from pathlib import Path

from flows.cli.options import DEFAULTS, LakeUrl


def up(
    *,
    lake: str | None = None,
    contact: str | None = None,
    port: int = 4200,
    folder: Path = Path(".prefect-server"),
) -> None:
    """Run Prefect's server, workers and our deployments on this machine until Ctrl-C.

    Everything listens on loopback only.

    Args:
        lake: Lake of the deployments [default: as deployed, else ./lake].
        contact: Company and e-mail address that scheduled downloads send to EDGAR [default: as
            deployed].
        port: Port of Prefect's API and UI; reports use the next one.
        folder: Folder for the server's database and all logs.
    """
    from deployments.local import up as bring_up

    bring_up(lake, contact, folder, port)


def repair(*, lake: LakeUrl = DEFAULTS.lake) -> None:
    """Remove damaged steps, so that the next run makes just those again.

    This reads every part and commit.
    """
    from tasks.lake.lake import Lake

    place = Lake(lake)
    damaged = place.damaged()
    for step, why in damaged:
        place.take_back(step)
        print(f"removed {step.name} of release {step.release}: {why}", file=sys.stderr)
    if not damaged:
        print(f"Nothing is damaged in {place.url}.", file=sys.stderr)
        return
    releases = ", ".join(sorted({step.release for step, _ in damaged}))
    print(
        f"Run the command or deployment that made the release ({releases}) again: it makes only "
        "these steps.",
        file=sys.stderr,
    )


def deploy(
    *, lake: str | None = None, contact: str | None = None, alert_url: str | None = None
) -> None:
    """Put our deployments on the server that PREFECT_API_URL names.

    They come with work pools, limits and automations. Run it again after each upgrade.

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
        print(line, file=sys.stderr)
