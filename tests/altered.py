"""Settings of a run with some of them changed, by flat names as the command line has them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tasks.pipeline.resolved import settings_of
from tasks.pipeline.settings import RunSettings


def altered(run: RunSettings, **changed: Any) -> RunSettings:
    """Change settings of a run; a suite's options and roles among them."""
    made = settings_of(
        suite=changed.get("suite", run.suite), **{k: v for k, v in changed.items() if k != "suite"}
    )
    core = {
        name: getattr(made, name) for name in changed if name not in {*made.options, *made.roles}
    }
    return replace(
        run, options={**run.options, **made.options}, roles={**run.roles, **made.roles}, **core
    )
