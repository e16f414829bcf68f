"""Options that suites' metrics and reports read, which SQL gets by `getvariable`."""

from __future__ import annotations

from typing import Any

from tasks.lake.lake import Lake


def lake_parameters(lake: Lake, release: str | None = None) -> dict[str, Any]:
    """Return these options as the lake's scores used them; SQL has the defaults of others.

    Args:
        release: whose scores; the last release by name if not given.
    """
    found: dict[str, Any] = {}
    for commit in lake.commits(release):
        if commit.step.name.endswith(".score"):
            found |= commit.identity["parameters"]
    return found
