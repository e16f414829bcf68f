"""Drafts of TableQuest: sound ones pass the checks, each kind of fault is named."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tasks.core.rows import FilingTable, QAPair, Reject
from tasks.suites.tablequest import pairs
from tasks.suites.tablequest.rows import Draft, Verification
from tests.filled import filled
from tests.scripted import response_to
from tests.sql.breakings import drop
from tests.sql.conftest import Breaking, HandmadeLake, guilty_releases, numbered
from tests.step_inputs import step_inputs
from tests.written_questions import WRITTEN, snippet, verifier, writer

CELLS = (("", "2021", "2020"), ("Net sales", "$1,250", "$1,291"), ("Cost of sales", "820", "905"))


def says(operation: str, text: str) -> Any:
    """Write what can be kept; on the second snippet, tell a lie and fail a round."""
    if not text.startswith("two"):
        return WRITTEN[operation]
    if operation == "write_hard":
        return "No."
    lie = {"answer": "3.2%"} if operation == "write_medium" else {}
    return WRITTEN[operation] | {"question": f"{WRITTEN[operation]['question']} (again)"} | lie


def build(lake: HandmadeLake) -> None:
    """Build the questions of two snippets, each with a table of its own."""
    contexts = [snippet("one", "filing"), snippet("two", "filing")]
    engines = {"generator": [writer(says)], "verifier": [verifier()]}
    rows: list[Any] = [*contexts]
    rows += pairs.build_drafts(step_inputs("tablequest", shard=contexts, engines=engines))
    rows += pairs.build_pairs(step_inputs("tablequest", *rows))
    for engine in (*engines["generator"], *engines["verifier"]):
        rows += [response_to(call, "{}") for call in engine.calls]
    lake.add(*rows, suite="tablequest")
    for context in contexts:
        named = {"table_id": f"{context.context_id} table", "document_id": "filing"}
        lake.add(filled(FilingTable, **named, cells=CELLS, scale="millions"), suite=None)


def change_draft(level: str, **changes: Any) -> Breaking:
    return lambda lake: lake.change(lake.only(Draft, level=level, context_id="one"), **changes)


def change_cell(**changes: Any) -> Breaking:
    def breaking(lake: HandmadeLake) -> None:
        draft = lake.only(Draft, level="easy", context_id="one")
        lake.change(draft, operands=(replace(draft.operands[0], **changes),))

    return breaking


def reject_draft(level: str) -> Breaking:
    def breaking(lake: HandmadeLake) -> None:
        draft = lake.only(Draft, level=level, context_id="one")
        reject = lake.of(Reject, stage="qa_pairs")[0]
        lake.add(replace(reject, parent_id=draft.draft_id), suite="tablequest")

    return breaking


FAULTS: dict[str, list[Breaking]] = {
    "operands_are_cells_of_their_tables": [
        change_cell(column=2),
        change_cell(row=9),
        change_cell(table_index=2),
        change_cell(text="1,250"),
    ],
    "drafts_are_pairs_or_rejects": [
        drop(QAPair),
        drop(Reject, stage="qa_pairs"),
        reject_draft("easy"),
        reject_draft("warmup"),
        change_draft("warmup", qa_pair_id="pair"),
        change_draft("easy", proved=False, unproved_reason="so"),
    ],
    "ids_are_unique": [lambda lake: lake.add(lake.of(Draft)[0], suite="tablequest")],
    "parents_exist": [lambda lake: lake.change(lake.of(Verification)[0], draft_id="gone")],
}
BROKEN = numbered(FAULTS)


@pytest.fixture(scope="module")
def guilty(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """The releases that each check finds; one is sound, each other has one fault."""
    sound = HandmadeLake(tmp_path_factory.mktemp("lake"))
    build(sound)
    return guilty_releases(sound, BROKEN, "tablequest")


def test_sound_drafts_pass(guilty: dict[str, set[str]]) -> None:
    assert [check for check, releases in guilty.items() if "sound" in releases] == []


@pytest.mark.parametrize("release", BROKEN)
def test_each_fault_is_found_by_its_check(guilty: dict[str, set[str]], release: str) -> None:
    assert release in guilty[f"tablequest.{release.partition(' ')[0]}"]
