"""Results of `tenkbench sql` on a terminal: never wider than it, and no number cut."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from typing import Any

import pytest
from rich.cells import cell_len

from flows.cli.views.query_result import print_result

ROW = ("failsafeqa", 0.5, 1_234_567, "a long question about revenue " * 20, "日本" * 40, 98_765)
COLUMNS = ("suite", "value", "n_prompt_tokens_of_all_calls", "query", "company", "n")
OTHER = ("failsafeqa", 0.25, 7, "short", "x", 12)


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Print rows on a terminal of some width; return its lines."""

    def show(columns: Sequence[str], rows: Sequence[Sequence[Any]], width: int) -> list[str]:
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
        monkeypatch.setenv("COLUMNS", str(width))
        print_result(columns, rows, as_json=False, as_csv=False, vertical=False)
        return re.sub(r"\x1b\[\d*m", "", capsys.readouterr().out).splitlines()

    return show


@pytest.mark.parametrize("width", [40, 80, 120, 400])
def test_a_table_is_no_wider_than_the_terminal_and_a_row_is_a_line(shown: Any, width: int) -> None:
    lines = shown(COLUMNS, [ROW, OTHER] * 2, width)
    assert max(map(cell_len, lines)) <= width
    assert sum(line.startswith("│") for line in lines) == 4


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_a_number_is_whole_or_its_column_is_left_out_by_name(shown: Any, width: int) -> None:
    text = "\n".join(shown(COLUMNS, [ROW, OTHER] * 2, width))
    said = text.replace("\n", " ")
    for number, column in (("0.50", "value"), ("1,234,567", "n_prompt_tokens_of_all_calls")):
        assert number in text or column in said.partition("Too wide to show:")[2]


def test_more_columns_than_fit_leave_the_first(shown: Any) -> None:
    columns = [f"column_{n}" for n in range(60)]
    lines = shown(columns, [list(range(10**9, 10**9 + 60)), list(range(60))] * 2, 60)
    assert max(map(len, lines)) <= 60
    assert "1,000,000,000" in "\n".join(lines)
    assert "column_59" in "\n".join(lines)
