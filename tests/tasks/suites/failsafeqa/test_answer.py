"""The answer operation: its prompt, its parser, and refusals without a document."""

from __future__ import annotations

from typing import Any

from tasks.inference import prompts
from tasks.suites.failsafeqa import SUITE
from tasks.suites.failsafeqa.answer import OPERATION, OPERATIONS, parse
from tasks.suites.failsafeqa.options import FailSafeQAOptions


def test_models_are_told_nothing_of_what_is_measured_unless_a_run_asks_for_it() -> None:
    case: Any = None  # all cases are asked alike
    assert SUITE.operation_of(case, FailSafeQAOptions()) is OPERATION
    coached = SUITE.operation_of(case, FailSafeQAOptions(prompt="coached"))
    assert coached is OPERATIONS["coached"]
    told = {name: prompts.read_template(each.template) for name, each in OPERATIONS.items()}
    hints = ("misspelled", "clumsy", "guess", "missing", "does not hold", "no document")
    assert not any(hint in told["neutral"] for hint in hints)
    assert "misspelled" in told["coached"]


def test_an_answer_is_kept_but_for_its_outer_blanks() -> None:
    assert parse(" Net sales rose. [[6]]\n") == "Net sales rose. [[6]]"
