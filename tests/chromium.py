"""The Chromium of tests: Debian's package."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

CHROMIUM = Path("/usr/bin/chromium")


def installed_chromium() -> Path:
    """The program; without it a test is skipped, but in CI it must be there."""
    if not CHROMIUM.exists():
        if os.environ.get("CI"):
            pytest.fail(f"CI has no {CHROMIUM}; .ci/run installs Debian's package chromium")
        pytest.skip(f"needs {CHROMIUM}, Debian's package chromium")
    return CHROMIUM
