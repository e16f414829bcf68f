"""Ways of breaking a sound lake, each with the check that is there for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tasks.core.rows import (
    AuditItem,
    Case,
    Context,
    Document,
    Filing,
    FilingTable,
    Item,
    Judgement,
    Prefix,
    QAPair,
    Reject,
    Request,
    Response,
)
from tasks.suites.faith.rows import Derivation, MaskedSpan, Vote
from tests.sql.masked_lake import add_masked
from tests.sql.sound_lake import QUOTE, TEXT, case_of, only


def change(row_type: type, **changes: object) -> Callable:
    """Break the first row of a type."""

    def breaking(lake) -> None:
        row = lake.of(row_type)[0]
        lake.swap(row, replace(row, **changes))

    return breaking


def change_repeat(**changes: object) -> Callable:
    """Break the judgement of a judge that was asked again."""

    def breaking(lake) -> None:
        (row,) = (row for row in lake.of(Judgement) if row.repeat)
        lake.swap(row, replace(row, **changes))

    return breaking


def change_case(variant: str, **changes: object) -> Callable:
    def breaking(lake) -> None:
        case = case_of(lake, variant)
        lake.swap(case, replace(case, **changes))

    return breaking


def repeat(row_type: type) -> Callable:
    return lambda lake: lake.add(
        lake.of(row_type)[0], suite=None if row_type in (Filing, Document) else "failsafeqa"
    )


def change_call(name: str, **changes: object) -> Callable:
    """Break the request, and its response, of a name."""

    def breaking(lake) -> None:
        for row in (*lake.of(Request), *lake.of(Response)):
            if row.request_id == name:
                known = {field: value for field, value in changes.items() if hasattr(row, field)}
                lake.swap(row, replace(row, **known))

    return breaking


def drop_calls(*names: str) -> Callable:
    """Take requests, and their responses, out."""

    def breaking(lake) -> None:
        for row in (*lake.of(Request), *lake.of(Response)):
            if row.request_id in names:
                lake.drop(row)

    return breaking


def drop(row_type: type) -> Callable:
    return lambda lake: lake.drop(lake.of(row_type)[-1])


def reject_what_was_made(lake) -> None:
    baseline = case_of(lake, "baseline")
    lake.add(
        Reject(
            reject_id="r",
            stage="cases.ocr",
            parent_id=baseline.case_id,
            reason="no",
            detail="",
        )
    )


def second_document(lake) -> Document:
    return replace(only(lake, Document), document_id="second")


def rejected_context(document_id: str) -> Reject:
    return Reject(reject_id="r", stage="contexts", parent_id=document_id, reason="no", detail="")


def scan_only(lake) -> None:
    """A second document that has a scanned context, but none to scan."""
    document = second_document(lake)
    lake.add(document, suite=None)
    scan = next(context for context in lake.of(Context) if context.kind == "ocr")
    lake.add(replace(scan, context_id="second scan", document_ids=(document.document_id,)))


def change_quote(**changes: object) -> Callable:
    def breaking(lake) -> None:
        pair = only(lake, QAPair)
        lake.swap(pair, replace(pair, citations=(replace(pair.citations[0], **changes),)))

    return breaking


def item(start: int, end: int) -> Item:
    return Item(item="3", title="", start_char=start, end_char=end)


def masked(*breakings: Callable) -> Callable:
    """Break a lake that has masked figures besides."""

    def breaking(lake) -> None:
        add_masked(lake)
        for each in breakings:
            each(lake)

    return breaking


def change_operand(**changes: object) -> Callable:
    def breaking(lake) -> None:
        derivation = only(lake, Derivation)
        operand = replace(derivation.operands[0], **changes)
        lake.swap(derivation, replace(derivation, operands=(operand,)))

    return breaking


def change_masked(row_type: type, **changes: object) -> Callable:
    """Break the pair that asks for a masked figure, or its case."""

    def breaking(lake) -> None:
        (row,) = (row for row in lake.of(row_type) if row.qa_pair_id == "masked")
        lake.swap(row, replace(row, **changes))

    return breaking


def change_traits(**changes: str | None) -> Callable:
    """Break the traits of the pair that asks for a masked figure; None takes one out."""

    def breaking(lake) -> None:
        (pair,) = (pair for pair in lake.of(QAPair) if pair.qa_pair_id == "masked")
        traits = {name: value for name, value in (dict(pair.traits) | changes).items() if value}
        lake.swap(pair, replace(pair, traits=traits))

    return breaking


# Sums up all releases, so it is broken in a lake of its own.
OF_THE_WHOLE = "dollars_add_up"
# Tests of their own break these.
OF_UNITS, OF_METRICS = "units_are_of_known_cases", "metrics_are_sums_of_units"

BREAKINGS = [
    ("ids_are_unique", repeat(Filing)),
    ("ids_are_unique", repeat(Case)),
    ("faith.ids_are_unique", masked(lambda lake: lake.add(lake.of(Vote)[0], suite="faith"))),
    ("faith.labels_are_known", masked(lambda lake: lake.add(replace(lake.of(Judgement)[0],
     rating=None, label="perhaps"), suite="faith"))),
    ("a_prefix_has_one_text",
     lambda lake: lake.add(Prefix(prefix_id="prefix", text="Other.", n_tokens=2))),
    ("parents_exist", drop(Filing)),
    ("parents_exist", drop(Document)),
    ("rejected_variants_are_of_cases", lambda lake: lake.add(Reject(reject_id="r",
     stage="cases.ocr", parent_id="gone", reason="", detail=""))),
    ("each_request_has_one_response", drop(Response)),
    ("each_request_has_one_response", repeat(Response)),
    ("each_case_is_answered_once_per_model", drop_calls("p.ocr m")),
    ("each_case_is_answered_once_per_model", repeat(Request)),
    ("each_comparison_is_judged_in_both_orders", change(Judgement, other_model="n")),
    ("each_answer_is_judged_once_per_judge", lambda lake: lake.drop(lake.of(Judgement)[0])),
    ("each_answer_is_judged_once_per_judge", repeat(Judgement)),
    ("each_answer_is_judged_once_per_judge", change(Judgement, request_id="gone")),
    ("failsafeqa.each_baseline_is_perturbed_or_rejected", reject_what_was_made),
    ("failsafeqa.each_baseline_is_perturbed_or_rejected",
     lambda lake: lake.add_pair("q", perturbations=("baseline",))),
    # the one pair of the lake: the variant is gone from cases and rejects alike
    ("failsafeqa.each_baseline_is_perturbed_or_rejected",
     lambda lake: lake.drop(case_of(lake, "ocr"))),
    ("failsafeqa.each_document_has_a_context_or_a_reject",
     lambda lake: lake.add(second_document(lake), suite=None)),
    ("failsafeqa.each_document_has_a_context_or_a_reject",
     lambda lake: lake.add(rejected_context("document"))),
    ("failsafeqa.each_document_has_a_context_or_a_reject", scan_only),
    ("faith.each_document_has_a_context_or_a_reject",
     masked(lambda lake: lake.add(second_document(lake), suite=None))),
    ("each_pair_is_asked_or_rejected", lambda lake: lake.add_pair("q", perturbations=("ocr",))),
    ("each_pair_is_asked_or_rejected", lambda lake: lake.add_pair("q", perturbations=())),
    ("each_pair_is_asked_or_rejected",
     lambda lake: lake.add(replace(case_of(lake, "baseline"), case_id="again"))),
    ("failsafeqa.cases_fit_their_perturbation",
     lambda lake: lake.swap(case_of(lake, "ocr"), replace(case_of(lake, "ocr"), variant="scan"))),
    ("failsafeqa.cases_fit_their_perturbation", change_case("ocr", is_answerable=False)),
    ("failsafeqa.cases_fit_their_perturbation", change_case("missing_context", is_answerable=True)),
    ("citations_quote_their_document", change_quote(start_char=TEXT.index(QUOTE) + 1)),
    ("citations_quote_their_document", change_quote(end_char=TEXT.index(QUOTE) + len(QUOTE) + 1)),
    ("failsafeqa.contexts_are_slices_of_their_document", change(Context, start_char=1)),
    ("failsafeqa.contexts_are_slices_of_their_document", change(Context, n_tokens=10)),
    ("failsafeqa.contexts_are_slices_of_their_document", change(Context, details="{}")),
    ("items_lie_in_their_document", change(Document, items=(item(0, len(TEXT) + 1),))),
    ("items_lie_in_their_document", change(Document, items=(item(-1, 5),))),
    ("tables_lie_in_their_document", change(FilingTable, end_char=len(TEXT) + 1)),
    ("paragraphs_add_up", change(Document, n_tokens=13)),
    ("paragraphs_add_up", change(Document, text=TEXT + "s")),
    ("paragraphs_add_up", change(Document, paragraphs=())),
    ("a_verdict_has_a_rating_or_a_reason", change(Judgement, rating=None)),
    ("a_verdict_has_a_rating_or_a_reason", change(Judgement, unscored_reason="both")),
    ("faith.ids_are_unique", masked(lambda lake: lake.add(lake.of(MaskedSpan)[0], suite="faith"))),
    ("faith.parents_exist", masked(change(MaskedSpan, qa_pair_id="gone"))),
    ("faith.parents_exist", masked(change(MaskedSpan, context_id="gone"))),
    ("faith.parents_exist", masked(change(Derivation, span_id="gone"))),
    ("faith.each_masked_figure_is_a_pair_or_a_reject", masked(change(MaskedSpan, qa_pair_id=None))),
    ("faith.each_masked_figure_is_a_pair_or_a_reject", masked(change(Reject, parent_id="span"))),
    ("faith.masked_figures_stand_in_their_sentence", masked(change(MaskedSpan, start_char=0))),
    ("faith.masked_figures_stand_in_their_sentence", masked(change(MaskedSpan, masked_text="6¢"))),
    ("faith.masked_figures_stand_in_their_sentence",
     masked(change(MaskedSpan, sentence_start_char=1))),
    ("faith.pairs_ask_for_their_figure",
     masked(change_masked(QAPair, query="Revenue was [MASK] in 2017.\nIt rose."))),
    ("faith.pairs_ask_for_their_figure", masked(change_masked(QAPair, query=f"{QUOTE}\nIt rose."))),
    ("faith.pairs_ask_for_their_figure",
     masked(change(MaskedSpan, post_sentence="It was [MASK]."))),
    ("baselines_ask_their_pair", change_case("baseline", query="Who?")),
    ("baselines_ask_their_pair", masked(change_masked(Case, query="Who?"))),
    ("baselines_ask_their_pair", masked(change_masked(Case, context_id=None))),
    ("faith.operands_are_cells_of_their_tables", masked(change_operand(text="c"))),
    ("faith.operands_are_cells_of_their_tables", masked(change_operand(table_index=1))),
    ("faith.operands_are_cells_of_their_tables", masked(change_operand(row=0))),
    ("faith.derivations_give_their_value", masked(change_operand(value="5"))),
    ("faith.derivations_give_their_value", masked(change(Derivation, value="0.06"))),
    ("faith.derivations_give_their_value", masked(change(Derivation, operation="sum"))),
    ("faith.derivations_are_ranked", masked(change(Derivation, score=7.5))),
    ("faith.derivations_are_ranked", masked(change(Derivation, place=1))),
    ("faith.scenarios_fit_their_operation", masked(change(Derivation, scenario="comparative"))),
    ("faith.masked_figures_are_what_they_say", masked(change(MaskedSpan, truth="6¢"))),
    ("faith.masked_figures_are_what_they_say", masked(change(MaskedSpan, mask_type="B"))),
    ("faith.each_figure_asked_for_can_be_restored",
     masked(drop(Derivation), change(Vote, is_answerable=False))),
    ("faith.each_figure_asked_for_can_be_restored", masked(drop(Derivation), drop(Vote))),
    ("faith.a_vote_says_whether_or_why_not",
     masked(change(Vote, unread_reason="the reply is no JSON"))),
    ("repeats_follow_their_judgement", change_repeat(request_id="p.ocr m")),
    ("repeats_follow_their_judgement", change_repeat(judge_request_id=None)),
    ("audit_strata_add_up", change(AuditItem, n_drawn=3)),
    ("audit_strata_add_up", drop(AuditItem)),
    ("a_response_has_a_text_or_an_error", change(Response, text=None)),
    ("a_response_has_a_text_or_an_error", change(Response, status="error", text=None)),
    ("failsafeqa.misspelled_queries_hold_their_edits",
     change_case("misspelled", details='{"edits": []}')),
    ("failsafeqa.misspelled_queries_hold_their_edits",
     change_case("misspelled", query="What 😀😀😀 was revneue?")),
    ("repairs_name_their_request", change_call("repair", repairs="gone")),
    ("repairs_name_their_request", change_call("repair", subject_id="q")),
    ("models_have_keys_and_rules_none", change_call("first", key=None)),
    ("models_have_keys_and_rules_none", change_call("p.ocr m", key="key")),
    ("a_key_has_one_answer", change_call("third", text="another")),
]  # fmt: skip
