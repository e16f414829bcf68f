"""Results of `tenkbench sql` on a terminal: never wider than it, and no number cut."""

from __future__ import annotations

import re
import sys

import pytest
from rich.cells import cell_len

from flows.cli.views.query_result import print_result

ROW = ("failsafeqa", 0.5, 1_234_567, "a long question about revenue " * 20, "日本" * 40, 98_765)
COLUMNS = ("suite", "value", "n_prompt_tokens_of_all_calls", "query", "company", "n")
OTHER = ("failsafeqa", 0.25, 7, "short", "x", 12)


@pytest.mark.parametrize("width", [40, 60, 80, 120, 400])
def test_a_table_fits_the_terminal_and_its_numbers_are_whole_or_named_as_left_out(
    width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", str(width))
    print_result(COLUMNS, [ROW, OTHER] * 2, as_json=False, as_csv=False)
    text = re.sub(r"\x1b\[\d*m", "", capsys.readouterr().out)
    lines = text.splitlines()
    assert max(map(cell_len, lines)) <= width
    assert sum(line.startswith("│") for line in lines) == 4  # a row is a line
    left_out = text.replace("\n", " ").partition("Too wide to show:")[2]
    for number, column in (("0.50", "value"), ("1,234,567", "n_prompt_tokens_of_all_calls")):
        assert number in text or column in left_out
