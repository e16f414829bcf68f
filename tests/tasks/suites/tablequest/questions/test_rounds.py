"""The rounds of TableQuest's writer share what a server has read."""

from __future__ import annotations

from dataclasses import asdict

from tasks.inference.prompts import fill
from tasks.suites.tablequest.questions.rounds import OPERATIONS, Inputs


def test_the_prompts_of_all_rounds_begin_alike() -> None:
    inputs = asdict(Inputs(context="<table></table>", company="A", year="2019", earlier="none"))
    (prefix,) = {fill(each.template, inputs).prefix for each in OPERATIONS.values()}
    assert "<table></table>" in prefix
