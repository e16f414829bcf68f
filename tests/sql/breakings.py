"""Ways of breaking a sound lake with masked figures, each with the check that is there for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tasks.core.rows import (
    AuditItem,
    Case,
    Context,
    Document,
    Filing,
    FilingTable,
    Judgement,
    Prefix,
    QAPair,
    Reject,
    Request,
    Response,
)
from tasks.suites.faith.rows import Derivation, MaskedSpan, Vote
from tests.filled import filled
from tests.sql.conftest import Breaking, HandmadeLake
from tests.sql.sound_lake import CITED, OPERAND, QUOTE, TEXT, item

MASKED = {"qa_pair_id": "masked"}
BASELINE = {"variant": "baseline"}


def change(row_type: type, of: Mapping[str, Any] | None = None, **changes: Any) -> Breaking:
    """Break the first row of a type, or that with some values."""
    return lambda lake: lake.change(lake.of(row_type, **(of or {}))[0], **changes)


def change_call(row_type: type, name: str, **changes: Any) -> Breaking:
    return change(row_type, {"request_id": name}, **changes)


def change_case(of: str, **changes: Any) -> Breaking:
    return change(Case, {"variant": of}, **changes)


def drop(row_type: type, **known: Any) -> Breaking:
    return lambda lake: lake.drop(lake.of(row_type, **known)[-1])


def drop_calls(*names: str) -> Breaking:
    """Take requests, and their responses, out."""

    def breaking(lake: HandmadeLake) -> None:
        for name in names:
            lake.drop(lake.only(Request, request_id=name))
            lake.drop(lake.only(Response, request_id=name))

    return breaking


def repeat(row_type: type, suite: str | None = "failsafeqa", **changes: Any) -> Breaking:
    """Add the first row of a type once more, with some changes."""
    return lambda lake: lake.add(replace(lake.of(row_type)[0], **changes), suite=suite)


def reject(stage: str, parent_id: str, suite: str = "failsafeqa") -> Breaking:
    row = filled(Reject, reject_id="r", stage=stage, parent_id=parent_id)
    return lambda lake: lake.add(row, suite=suite)


def add_pair(*perturbations: str) -> Breaking:
    return lambda lake: lake.add_pair("q", perturbations=perturbations)


add_document = repeat(Document, None, document_id="second")
reject_what_was_made = reject("cases.ocr", "p.baseline")


def scan_only(lake: HandmadeLake) -> None:
    """A second document that has a scanned context, but none to scan."""
    add_document(lake)
    scan = lake.only(Context, kind="ocr")
    lake.add(replace(scan, context_id="second scan", document_ids=("second",)))


def drop_the_proof_and(breaking: Breaking) -> Breaking:
    def both(lake: HandmadeLake) -> None:
        lake.drop(lake.only(Derivation))
        breaking(lake)

    return both


def change_quote(**changes: int) -> Breaking:
    return change(QAPair, citations=(replace(CITED, **changes),))


def change_operand(**changes: Any) -> Breaking:
    return change(Derivation, operands=(replace(OPERAND, **changes),))


def change_items(start: int, end: int) -> Breaking:
    return change(Document, items=(item("3", start, end),))


# Tests of their own break these.
OF_UNITS, OF_METRICS = "units_are_of_known_cases", "metrics_are_sums_of_units"

BREAKINGS: dict[str, list[Breaking]] = {
    "ids_are_unique": [repeat(Filing, None), repeat(Case)],
    "parents_exist": [drop(Filing), drop(Document)],
    "a_prefix_has_one_text": [repeat(Prefix, text="Other.")],
    "rejected_variants_are_of_cases": [reject("cases.ocr", "gone")],
    "each_request_has_one_response": [drop(Response), repeat(Response)],
    "each_case_is_answered_once_per_model": [drop_calls("p.ocr m"), repeat(Request)],
    "each_comparison_is_judged_in_both_orders": [change(Judgement, other_model="n")],
    "each_answer_is_judged_once_per_judge": [
        drop(Judgement, repeat=0),
        repeat(Judgement),
        change(Judgement, request_id="gone"),
    ],
    "each_pair_is_asked_or_rejected": [add_pair("ocr"), add_pair(), repeat(Case, case_id="again")],
    "citations_quote_their_document": [
        change_quote(start_char=CITED.start_char + 1),
        change_quote(end_char=CITED.end_char + 1),
    ],
    "items_lie_in_their_document": [change_items(0, len(TEXT) + 1), change_items(-1, 5)],
    "tables_lie_in_their_document": [change(FilingTable, end_char=len(TEXT) + 1)],
    "paragraphs_add_up": [
        change(Document, n_tokens=13),
        change(Document, text=TEXT + "s"),
        change(Document, paragraphs=()),
    ],
    "a_verdict_has_a_rating_or_a_reason": [
        change(Judgement, rating=None),
        change(Judgement, unscored_reason="both"),
    ],
    "baselines_ask_their_pair": [
        change(Case, BASELINE, query="Who?"),
        change(Case, MASKED, query="Who?"),
        change(Case, MASKED, context_id=None),
    ],
    "repeats_follow_their_judgement": [
        change(Judgement, {"repeat": 1}, request_id="p.ocr m"),
        change(Judgement, {"repeat": 1}, judge_request_id=None),
    ],
    "audit_strata_add_up": [change(AuditItem, n_drawn=3), drop(AuditItem)],
    "a_response_has_a_text_or_an_error": [
        change(Response, text=None),
        change(Response, status="error", text=None),
    ],
    "repairs_name_their_request": [
        change_call(Request, "repair", repairs="gone"),
        change_call(Request, "repair", subject_id="q"),
    ],
    "models_have_keys_and_rules_none": [
        change_call(Request, "first", key=None),
        change_call(Request, "p.ocr m", key="key"),
    ],
    "a_key_has_one_answer": [change_call(Response, "third", text="another")],
    "failsafeqa.each_baseline_is_perturbed_or_rejected": [
        reject_what_was_made,
        add_pair("baseline"),
        # the one pair of the lake: the variant is gone from cases and rejects alike
        drop(Case, variant="ocr"),
    ],
    "failsafeqa.each_document_has_a_context_or_a_reject": [
        add_document,
        reject("contexts", "document"),
        scan_only,
    ],
    "failsafeqa.cases_fit_their_perturbation": [
        change_case("ocr", variant="scan"),
        change_case("ocr", is_answerable=False),
        change_case("missing_context", is_answerable=True),
    ],
    "failsafeqa.contexts_are_slices_of_their_document": [
        change(Context, start_char=1),
        change(Context, n_tokens=10),
        change(Context, details="{}"),
    ],
    "failsafeqa.misspelled_queries_hold_their_edits": [
        change_case("misspelled", details='{"edits": []}'),
        change_case("misspelled", query="What 😀😀😀 was revneue?"),
    ],
    "faith.ids_are_unique": [repeat(Vote, "faith"), repeat(MaskedSpan, "faith")],
    "faith.parents_exist": [
        change(MaskedSpan, qa_pair_id="gone"),
        change(MaskedSpan, context_id="gone"),
        change(Derivation, span_id="gone"),
    ],
    "faith.labels_are_known": [repeat(Judgement, "faith", rating=None, label="perhaps")],
    "faith.each_document_has_a_context_or_a_reject": [add_document],
    "faith.each_masked_figure_is_a_pair_or_a_reject": [
        change(MaskedSpan, qa_pair_id=None),
        change(Reject, parent_id="span"),
    ],
    "faith.masked_figures_stand_in_their_sentence": [
        change(MaskedSpan, start_char=0),
        change(MaskedSpan, masked_text="6¢"),
        change(MaskedSpan, sentence_start_char=1),
    ],
    "faith.masked_figures_are_what_they_say": [
        change(MaskedSpan, truth="6¢"),
        change(MaskedSpan, mask_type="B"),
    ],
    "faith.pairs_ask_for_their_figure": [
        change(QAPair, MASKED, query="Revenue was [MASK] in 2017.\nIt rose."),
        change(QAPair, MASKED, query=f"{QUOTE}\nIt rose."),
        change(MaskedSpan, post_sentence="It was [MASK]."),
    ],
    "faith.operands_are_cells_of_their_tables": [
        change_operand(text="c"),
        change_operand(table_index=1),
        change_operand(row=0),
    ],
    "faith.derivations_give_their_value": [
        change_operand(value="5"),
        change(Derivation, value="0.06"),
        change(Derivation, operation="sum"),
    ],
    "faith.each_figure_asked_for_can_be_restored": [
        drop_the_proof_and(change(Vote, is_answerable=False)),
        drop_the_proof_and(drop(Vote)),
    ],
    "faith.a_vote_says_whether_or_why_not": [change(Vote, unread_reason="the reply is no JSON")],
}
