"""Weight by room: lines, regular expressions and fields of the suites' contract never grow."""

from __future__ import annotations

import dataclasses
import inspect
import subprocess
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tasks.suites import page, suite

ROOT = Path(__file__).parents[1]
FILE = "tests/budgets.toml"
BUDGETS = tomllib.loads((ROOT / FILE).read_text(encoding="utf-8"))
LINES: Mapping[str, int] = BUDGETS["lines"]
TOTALS = ("python", "sql", "tests", "data of tests")
PYTHON = ("flows", "tasks", "deployments", "infra")


def lines_of(folder: str, *suffixes: str) -> list[str]:
    """Return the lines of all files below a folder that end so, but for the budgets' own."""
    files = {file for suffix in suffixes for file in (ROOT / folder).rglob(f"*{suffix}")}
    texts = (file.read_text(encoding="utf-8") for file in files - {ROOT / FILE})
    return [line for text in texts for line in text.splitlines()]


def n_contract_fields() -> int:
    """Count the fields of the dataclasses that a suite is made of."""
    return sum(
        len(dataclasses.fields(value))
        for module in (suite, page)
        for value in vars(module).values()
        if inspect.isclass(value)
        and value.__module__ == module.__name__
        and dataclasses.is_dataclass(value)
    )


def measure() -> dict[str, Any]:
    """Measure what `tests/budgets.toml` holds."""
    rooms = {room: len(lines_of(room, ".py")) for room in LINES if (ROOT / room).is_dir()}
    python = [line for folder in PYTHON for line in lines_of(folder, ".py")]
    totals = {
        "python": len(python),
        "sql": len(lines_of("sql", ".sql")),
        "tests": len(lines_of("tests", ".py")),
        "data of tests": len(lines_of("tests", ".toml", ".json", ".jsonl", ".ambr")),
    }
    return {
        "lines": rooms | totals,
        "patterns": {"python": sum(line.count("re.compile(") for line in python)},
        "contract": {"fields": n_contract_fields()},
    }


def flattened(budgets: Mapping[str, Mapping[str, int]]) -> dict[tuple[str, str], int]:
    return {(kind, room): n for kind, rooms in budgets.items() for room, n in rooms.items()}


def test_no_room_is_above_its_budget() -> None:
    """A room may be a tenth above it if others are below: the totals hold."""
    budgets = flattened(BUDGETS)
    above = {room: n for room, n in flattened(measure()).items() if n > budgets[room]}
    assert {room: n for room, n in above.items() if n > budgets[room] * slack_of(*room)} == {}


def slack_of(kind: str, room: str) -> float:
    return 1.1 if kind == "lines" and (ROOT / room).is_dir() and room not in TOTALS else 1.0


def test_every_room_has_a_budget() -> None:
    rooms = [*(ROOT / "tasks").iterdir(), *(ROOT / "tasks/suites").iterdir(), ROOT / "flows"]
    with_code = {
        room.relative_to(ROOT).as_posix()
        for room in rooms
        if room.is_dir() and room.name != "suites" and list(room.glob("*.py"))
    }
    assert with_code <= set(LINES)


def test_a_commit_only_lowers_a_budget() -> None:
    before = budgets_of("HEAD")
    if before == BUDGETS:
        before = budgets_of("HEAD^")
    budgets = flattened(BUDGETS)
    assert {r: n for r, n in flattened(before).items() if budgets.get(r, 0) > n} == {}


def budgets_of(commit: str) -> dict[str, Any]:
    """Read the budgets that a commit holds; skip if there is none."""
    shown = subprocess.run(
        ["git", "show", f"{commit}:{FILE}"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if shown.returncode:
        pytest.skip(f"git has no {FILE} of {commit}")
    return tomllib.loads(shown.stdout)
