"""The imports of `tests/forked.py`'s fork server.

No test imports this, because it puts a stand-in for Prefect in place.
"""

from __future__ import annotations

from importlib import import_module

from tests.without_prefect import STAND_IN

exec(STAND_IN)
for name in (
    "tasks.ingest",
    "tasks.build",
    "tasks.infer",
    "tasks.judge",
    "tasks.inference.engines.openai",
    "tasks.suites.failsafeqa",
    "tasks.suites.tablequest",
):
    import_module(name)
