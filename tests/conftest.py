"""Where the shared test data lies, and the rule for tests that need it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

SHARED = Path(os.environ.get("TENKBENCH_SHARED", Path(__file__).parents[2] / "shared"))


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real filings and oracles; tests that need it are skipped where it is missing.

    It stands beside the checkout on the project's machines and in CI.
    """
    if not SHARED.is_dir():
        pytest.skip(f"needs the shared test data; no folder {SHARED.name} beside the checkout")
    return SHARED
