"""A release of TableQuest on the packaged samples, played by scripted models and judges."""

from __future__ import annotations

from pathlib import Path

from flows.benchmark import benchmark
from tasks.pipeline.resolved import settings_of
from tests.servers.serving import serving
from tests.without_prefect import flows_as_functions

FAILED = "pairwise=first"  # the judge that always prefers the answer shown first
SOUND = "pairwise=sound"


def played(folder: Path) -> str:
    """Run TableQuest with two models, a sound judge and one that judges the order."""
    lake = str(folder / "lake")
    with serving(reply_rule="tests.servers.table_judges:reply") as server, flows_as_functions():
        url = server.url
        benchmark(
            settings_of(
                suite="tablequest",
                lake=lake,
                workers=1,
                hard=True,
                context_tokens=1_000,
                baseline="base",
                compare="all",
                model=(f"base@{url}", f"clean@{url}", f"messy@{url}"),
                judge=("reference", f"{SOUND}@{url}", f"{FAILED}@{url}", f"critique=sound@{url}"),
            )
        )
    return lake
