"""The imports of `tests/forked.py`'s fork server.

Without Prefect, as in a command whose run no server shows.
"""

from __future__ import annotations

from importlib import import_module

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
