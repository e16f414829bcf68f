"""Suite of a command that names none."""

from __future__ import annotations

from flows.cli.options import DEFAULTS


def suite_of(lake: str, release: str | None) -> str:
    """Return the only suite in the lake or release, else the default."""
    from tasks.lake.lake import Lake
    from tasks.suites.registry import SUITES

    begun = {
        commit.step.name.partition(".")[0] for commit in Lake(lake).as_of_now().commits(release)
    }
    found = [name for name in SUITES if name in begun]
    return found[0] if len(found) == 1 else DEFAULTS.suite
