"""Commands that bring Prefect up, and our deployments onto it."""

from __future__ import annotations

import sys
from pathlib import Path

from flows.cli.options import DEFAULTS


def up(
    *,
    lake: str = DEFAULTS.lake,
    contact: str | None = None,
    port: int = 4200,
    folder: Path = Path(".prefect-server"),
) -> None:
    """Prefect's server, workers and our deployments on this machine, until Ctrl-C; all on loopback.

    Args:
        lake: lake of the deployments.
        contact: company and e-mail address, by which scheduled downloads from EDGAR name themselves.
        port: port of Prefect's API and UI; reports are on the next one.
        folder: where the server keeps its database, and all logs.
    """
    from deployments.local import up as bring_up

    bring_up(lake, contact, folder, port)


def deploy(*, lake: str = DEFAULTS.lake, contact: str | None = None) -> None:
    """Put work pools, limits, deployments and automations on the server that PREFECT_API_URL names; again after each upgrade.

    Args:
        lake: lake of the deployments: a folder that every worker sees, or s3://bucket/prefix.
        contact: company and e-mail address, by which scheduled downloads from EDGAR name themselves.
    """
    from deployments.deploy import deploy as bring

    for line in bring(lake, contact):
        print(line, file=sys.stderr)
