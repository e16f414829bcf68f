"""FAITH's rules restore figures without seeing them."""

from __future__ import annotations

import dataclasses
import inspect
import json

from tasks.baseline.faith import NOT_FOUND, reply_on_answerability, reply_on_mask
from tasks.inference import prompts
from tasks.suites.faith import answer
from tasks.suites.faith.answer import form_of, parse
from tasks.suites.faith.derivations.forms import NEITHER
from tasks.suites.faith.derivations.search import restore
from tasks.suites.faith.questions import answerability
from tasks.suites.shared.tables.sheets import Sheet, in_markdown, write_sheets

TABLES = write_sheets(
    [
        Sheet(
            index=0,
            pre_text="Sales by product (in millions):",
            cells=(
                ("", "2023", "2022"),
                ("Pump sales", "$426.4", "$380.2"),
                ("Valve sales", "213.6", "219.9"),
            ),
        )
    ]
)
PASSAGE = "Pump sales were [MASK] in 2023."
RESULTS = write_sheets(
    [
        Sheet(
            index=0,
            pre_text="Results (in thousands)",
            cells=(
                ("", "2023", "2022"),
                ("Net sales", "$4,100", "$3,900"),
                ("Gross profit", "1,090", "1,060"),
            ),
        )
    ]
)


def test_answers_in_the_form_of_a_models_reply() -> None:
    restored = parse(reply_on_mask(answer.Inputs(TABLES, NEITHER, PASSAGE)))
    assert restored.answer == "$426.4 million"
    assert restored.scenario == "A"
    assert restored.reference == ("Table 0, Pump sales, 2023: $426.4",)


def test_says_not_found_if_no_cell_is_named() -> None:
    assert parse(reply_on_mask(answer.Inputs("", NEITHER, PASSAGE))).answer == NOT_FOUND


def test_reader_sees_only_the_prompts_inputs() -> None:
    """The same prompt gets the same answer, whatever the truth is."""
    assert {field.name for field in dataclasses.fields(answer.Inputs)} == set(
        prompts.inputs_of(answer.OPERATION.template)
    )
    assert list(inspect.signature(restore).parameters) == ["passage", "sheets", "form"]
    replies = {
        reply_on_mask(answer.Inputs(TABLES, form_of(truth), PASSAGE))
        for truth in ("$426.4 million", "$1", "$380.2 million", "7")
    }
    assert len(replies) == 1


def test_the_rule_writes_all_that_the_prompt_asks_for() -> None:
    results = json.loads(reply_on_mask(answer.Inputs(TABLES, NEITHER, PASSAGE)))["results"]
    asked = prompts.read_template(answer.OPERATION.template)
    assert all(f'"{key}":' in asked for key in results)


def test_tables_in_markdown_are_read_like_those_in_csv() -> None:
    shown = in_markdown(TABLES)
    assert shown != TABLES
    replies = {reply_on_mask(answer.Inputs(tables, NEITHER, PASSAGE)) for tables in (TABLES, shown)}
    assert len(replies) == 1


def test_the_schema_describes_what_the_rule_writes() -> None:
    schema = answerability.OPERATION.schema
    assert schema is not None
    passage = "Net sales were <SPAN>$4,100 thousand</SPAN> in 2023."
    written = json.loads(
        reply_on_answerability(answerability.Inputs(tables=RESULTS, passage=passage))
    )
    assert sorted(written) == sorted(schema["required"])


def verdict(passage: str) -> str:
    return json.loads(
        reply_on_answerability(answerability.Inputs(tables=RESULTS, passage=passage))
    )["verdict"]


def test_vouches_only_for_figures_that_the_tables_give():
    assert verdict("Net sales were <SPAN>$4,100 thousand</SPAN> in 2023.") == "answerable"
    assert verdict("Net sales were <SPAN>$4,200 thousand</SPAN> in 2023.") == "unanswerable"
    assert verdict("Litigation cost us <SPAN>$4,100 thousand</SPAN> in 2023.") == "unanswerable"
    assert verdict("Net sales rose in 2023.") == "unanswerable"
    assert verdict("Net sales were <SPAN>high</SPAN> in 2023.") == "unanswerable"
