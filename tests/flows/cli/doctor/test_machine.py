"""What is said of this machine."""

from __future__ import annotations

import time
from email.utils import formatdate
from importlib import metadata

import pytest

from flows.cli.doctor.machine import clock, packages
from tests.servers.answering import answering, silent


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
    assert finding.mend == "uv pip install -r requirements.lock"


@pytest.mark.parametrize(
    ("off_s", "outcome", "says"),
    [
        (0, "ok", "agrees with"),
        (3600, "not ok", " s behind "),
        (-3600, "not ok", " s ahead of "),
    ],
)
def test_the_clock_is_held_to_a_servers(off_s: int, outcome: str, says: str) -> None:
    with answering({}, date=formatdate(time.time() + off_s, usegmt=True)) as running:
        (finding,) = clock([running.url])
    assert finding.outcome == outcome
    assert says in finding.found


def test_a_clock_is_not_checked_where_nobody_tells_the_time() -> None:
    with silent() as address:
        (finding,) = clock([f"http://{address}"])
    assert finding.outcome == "not checked"
