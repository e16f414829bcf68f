"""FAITH's texts for reports and the command line."""

from __future__ import annotations

from collections.abc import Mapping

from tasks.suites.faith.masking import MASK, NO_DERIVATION
from tasks.suites.page import BY_RULES, Label, Page, Section, ShownReport


def _note(n_shown: Mapping[str, int], n_pairs: int) -> str:
    """Qualify the score of the rule-based baseline, which reads by the proofs' own score."""
    n_proved = n_shown.get("Proof", 0)
    return (
        f"Of the {n_pairs:,} hidden figures, a rule that sees them finds cells for {n_proved:,}. "
        "The rule-based baseline takes the cells with the best score by the same rule, without "
        "seeing them. Its share of these says little about other filings."
    )


_TABLES = (
    ShownReport(
        relation="dataset",
        title="The dataset, beside the paper's",
        meaning=(
            "Companies: filings with a question. Characters and tables: means of the texts that "
            "models are shown. The paper's rows are printed on its project page."
        ),
        columns={
            "Split": "split",
            "Companies": "n_companies",
            "Characters": "context_chars",
            "Tables": "tables",
            "Sentences": "n_sentences",
            "Figures": "n_figures",
        },
    ),
    ShownReport(
        relation="instances",
        title="Figures considered, proved and asked for",
        meaning=(
            "Searched: we searched the tables for the figure. We do not if its own text rules it "
            "out, for example because a neighbouring sentence states it. Proved: cells that the "
            "passage names give it. Asked: a question asks for it, because it is proved or "
            "because at least three models all voted that the tables give it."
        ),
        columns={
            "Part": "slice_value",
            "Considered": "n_figures",
            "Searched": "n_searched",
            "Proved": "n_proved",
            "Asked": "n_asked",
            "Asked, proved": "n_asked_proved",
            "Asked, voted": "n_asked_voted",
        },
    ),
    ShownReport(
        relation="scenarios",
        title="The scenario that answers name, and the derived one",
        meaning=(
            "Derived: how our search gets the figure. Reported: how the answer claims to get it; "
            '"none" if it names no scenario, "another" if it names none of the four. Share: of the '
            "model's answers to figures of the derived scenario."
        ),
        columns={
            "Model": "model",
            "Derived": "derived",
            "Reported": "reported",
            "Answers": "n",
            "Share": "share",
            "Correct": "n_correct",
        },
    ),
    ShownReport(
        relation="reported_scenarios",
        title="The scenarios that models name, of their correct answers",
        meaning="As the paper aggregates them. Share: of the model's correct answers.",
        columns={
            "Model": "model",
            "Reported": "reported",
            "Correct": "n_correct",
            "Share": "share",
        },
    ),
    ShownReport(
        relation="errors",
        title="What is wrong with wrong answers",
        meaning=(
            "The answer beside the proof of the figure. Sign and scale: the right digits. "
            "Elsewhere: the number of another cell. Unreadable: the reply holds no answer. "
            "Share: of the model's wrong answers in the scenario."
        ),
        columns={
            "Model": "model",
            "Scenario": "scenario",
            "Error": "error",
            "Answers": "n",
            "Share": "share",
            "An answer": "example_answer",
            "Expected": "example_target",
        },
    ),
    ShownReport(
        relation="reasons",
        title="Why answers are correct or wrong",
        meaning="The rule's reasons, each with one example.",
        columns={
            "Model": "model",
            "Verdict": "label",
            "Reason": "reason",
            "Answers": "n",
            "An answer": "example_answer",
            "Expected": "example_target",
        },
    ),
    ShownReport(
        relation="labels",
        title="Published answers that differ from their sentence",
        meaning=(
            "The figure in the sentence, beside the answer that the file publishes. If only the "
            "sign differs, the answer has a minus that the sentence expresses in words."
        ),
        columns={
            "In the sentence": "masked_text",
            "Published": "truth",
            "Differs by": "differs_by",
            "Mask type": "mask_type",
            "Instance": "uid",
        },
    ),
)

PAGE = Page(
    reports=(
        "dataset_statistics",
        "rejects_by_reason",
        "operations",
        "spending",
        "unscored_reasons",
        "instances",
        "labels",
        "reasons",
        "scenarios",
        "accuracy",
        "remarks",
        "comparisons",
    ),
    headlines=("instances", "rejects_by_reason", "accuracy"),
    remarks="remarks",
    asks=(
        "Sentences of Item 7 of SEC annual reports (Form 10-K) with one figure hidden, each with "
        "the tables of its Item. The evidence, if known, is the cells and the operation that give "
        "the figure, or models' votes on whether the tables give it."
    ),
    metrics={
        "accuracy": Label("Accuracy", "the share of hidden figures that were restored correctly")
    },
    variants={"baseline": Label("Hidden figure", "one figure of the sentence is hidden")},
    rules=("searches the tables for the figure", "search the tables for the figure"),
    asked_by={"answer_markdown": "tables as Markdown"},
    asked={"mask": "a figure hidden in a text"},
    dimensions={
        "scenario": "Scenario, by the derivation",
        "mask_type": "Type of the mask",
        "unit": "Unit of the figure",
        "tables": "Number of tables shown",
        "given_by": "What gives the figure",
    },
    of_published=frozenset({"mask_type"}),  # for our own figures, it repeats the scenario
    order={
        "scenario": ("direct lookup", "comparative", "bivariate", "multivariate", NO_DERIVATION)
    },
    values={
        "scenario": (
            "How table cells give the figure, by our own search. Direct lookup: one cell states "
            "it. Comparative: from two cells of one metric. Bivariate: from one cell each of two "
            "metrics. Multivariate: from three cells. No derivation: our search found no such "
            "cells, but some may exist."
        ),
        "mask_type": (
            "The authors' own letters, which their file does not define. Its examples fit A direct "
            "lookup, B comparative, C bivariate and D multivariate."
        ),
        "given_by": (
            "Its own sentence: the sentence's other figures give the hidden one without any table. "
            "Not its own sentence: they do not; the scenario says whether tables give it."
        ),
    },
    columns={
        "n_figures": "figures considered",
        "n_searched": (
            "figures searched for in the tables; the others are ruled out by their own text, for "
            "example because a neighbouring sentence states them"
        ),
        "n_proved": "searched figures that table cells give, by our own search",
        "n_asked": "searched figures that a question asks for",
        "n_asked_proved": "questions whose figure is proved",
        "n_asked_voted": (
            "questions for which at least three models all voted that the tables give the figure"
        ),
        "accuracy_unscored_wrong": "accuracy if all failed calls were wrong",
    },
    sections=(
        Section(
            id="details",
            name="Details",
            title="FAITH in detail",
            text="Rows of answers are by the judge of this page.",
            after="slices",
            shows=_TABLES,
        ),
    ),
    centre=MASK,
    published=(
        "These are the authors' published instances, unchanged. None is left out, even if models "
        "called it unanswerable, our search finds no cells for it, or its stated truth differs "
        "from its sentence."
    ),
    judging=BY_RULES,
    judges={
        "strict": (
            "the answer must equal the figure at the coarser of the two stated precisions, with "
            "its scale, unit and currency. The minus sign may be omitted, because a positive value "
            "is asked for. A reply without a readable answer is wrong"
        ),
        "official": (
            "the verdicts of the authors' own scorer. It allows a difference of 2 % and knows few "
            "units. A reply without a readable answer is wrong, too"
        ),
    },
    limits=(
        "In filings read here, a figure is hidden only if our search of the tables proves it or a "
        "panel of models calls it restorable. Such figures are easier than others.",
        "A proof may be right by accident, because other cells can give the same figure. "
        "`evidence` lists what it rests on.",
        "Only tables of Item 7 are shown, without the rest of the report.",
    ),
    note=_note,
)
