"""Suite and release of a command that names none."""

from __future__ import annotations

import sys

from flows.cli.options import DEFAULTS
from tasks.pipeline.settings import WrongSettings


def release_of(lake: str, release: str | None) -> str:
    """Return the named release, or else the lake's only one.

    Raises:
        WrongSettings: none is named, and the lake has several.
    """
    from tasks.lake.lake import Lake

    if release is not None:
        return release
    releases = Lake(lake).as_of_now().releases()
    if len(releases) > 1:
        raise WrongSettings(
            f"The lake '{lake}' has more than one release. Choose with --release: "
            f"{', '.join(releases)}"
        )
    return (releases or [DEFAULTS.release])[0]


def suite_of(lake: str, release: str | None) -> str:
    """Return the only suite in the lake or release, else the default, and say so."""
    from tasks.lake.lake import Lake
    from tasks.suites.registry import SUITES

    begun = {
        commit.step.name.partition(".")[0] for commit in Lake(lake).as_of_now().commits(release)
    }
    names = [name for name in SUITES if name in begun]
    suite = DEFAULTS.suite if DEFAULTS.suite in names else (names or [DEFAULTS.suite])[0]
    if others := [f"--suite {name}" for name in names if name != suite]:
        print(f"Suite {suite}. The lake also holds others: {', '.join(others)}.", file=sys.stderr)
    return suite
