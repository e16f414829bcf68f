"""What is said of this machine."""

from __future__ import annotations

from importlib import metadata

import pytest

from flows.cli.doctor.machine import packages


def test_this_installation_is_within_its_bounds() -> None:
    (finding,) = packages()
    assert finding.outcome == "ok"
    assert "within bounds" in finding.found


def test_a_package_out_of_its_bounds_is_named_with_them(monkeypatch: pytest.MonkeyPatch) -> None:
    real = metadata.version
    monkeypatch.setattr(
        metadata, "version", lambda name: "0.200.0" if name == "fastapi" else real(name)
    )
    (finding,) = packages()
    assert finding.outcome == "not ok"
    assert finding.found == "fastapi 0.200.0 is not <0.151,>=0.139"
    assert finding.fix == "uv pip install -r requirements.lock"
