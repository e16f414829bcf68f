"""No check of these tests sees how the machine that runs them is set up, or waits for long."""

from __future__ import annotations

import pytest

from tasks.core import http_probe


@pytest.fixture(autouse=True)
def _nothing_set_up(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (
        "PREFECT_API_URL",
        "PREFECT_API_KEY",
        "PREFECT_API_AUTH_STRING",
        "RAY_ADDRESS",
        "OPENAI_API_KEY",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(http_probe, "TIMEOUT_S", 1.5)
