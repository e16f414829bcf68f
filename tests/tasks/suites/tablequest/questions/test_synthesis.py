"""Rounds go over all snippets, level by level; what fails leaves a reject, and nothing is lost."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tasks.core.rows import Reject
from tasks.suites.tablequest.questions.synthesis import UNREADABLE, write_drafts
from tasks.suites.tablequest.rows import Draft
from tests.written_questions import WRITTEN, snippet, writer

ROUNDS = ["write_warmup", "write_easy", "write_medium", "write_hard"]


def drafts_of(rows: list[Any]) -> list[Draft]:
    return [row for row in rows if isinstance(row, Draft)]


def test_every_snippet_gets_a_draft_of_each_level_round_by_round() -> None:
    contexts, engine = [snippet("one"), snippet("two"), snippet("three")], writer()
    rows = list(write_drafts(contexts, engine))
    assert engine.operations_asked == [[name] * 3 for name in ROUNDS]
    assert "Fiscal year ended: 2021-12-31" in engine.calls[0].prompt
    levels = Counter(draft.level for draft in drafts_of(rows))
    assert levels == {"warmup": 3, "easy": 3, "medium": 3, "hard": 3}
    assert len({draft.draft_id for draft in drafts_of(rows)}) == len(rows) == 12
    for draft in drafts_of(rows):
        said = WRITTEN[f"write_{draft.level}"]
        assert (draft.query, draft.answer) == (said["question"], said["answer"])
        assert draft.cot == said.get("steps", "")
        assert (draft.qa_pair_id is None) == (draft.level == "warmup")
        assert draft.proved == {"easy": True, "medium": True}.get(draft.level)


def test_a_failed_round_leaves_a_reject_and_later_rounds_go_on_with_what_there_is() -> None:
    def says(operation: str, text: str) -> Any:
        fails = (operation, text[:3]) == ("write_easy", "one")
        return "I would rather not." if fails else WRITTEN[operation]

    engine = writer(says)
    rows = list(write_drafts([snippet("one"), snippet("two")], engine))
    (reject,) = (row for row in rows if isinstance(row, Reject))
    assert (reject.parent_id, reject.reason, reject.stage) == ("one", UNREADABLE["easy"], "drafts")
    assert Counter((draft.context_id) for draft in drafts_of(rows)) == {"one": 3, "two": 4}
    (medium,) = (
        call.inputs()["earlier"]
        for call in engine.calls
        if call.request.operation == "write_medium" and call.inputs()["context"].startswith("one")
    )
    assert WRITTEN["write_warmup"]["question"] in medium
    assert WRITTEN["write_easy"]["question"] not in medium
