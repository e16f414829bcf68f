"""FAITH's texts for reports and the command line."""

from __future__ import annotations

from collections.abc import Mapping

from tasks.suites.faith.masking import MASK, NO_DERIVATION
from tasks.suites.page import BY_RULES, Label, Page, ShownReport


def _note(n_shown: Mapping[str, int], n_pairs: int) -> str:
    """Qualify the score of the rule-based reader.

    It is right by construction on figures that the same search selected.
    """
    n_proved = n_shown.get("Proof", 0)
    reader = "The rule-based reader restores figures by that same search, without seeing them"
    if n_proved == n_pairs:
        return (
            f"Our own search finds cells that give each of the {n_pairs:,} hidden figures. {reader}: it is as good as right "
            "by construction, and says little of filings at large."
        )
    return (
        f"Our own search finds cells that give {n_proved:,} of the {n_pairs:,} hidden figures. {reader}: what it reaches on "
        "these says little of filings at large."
    )


_TABLES = {
    "instances": ShownReport(
        "Figures that were looked at, proved and asked for",
        "Searched: the tables were searched for the figure; they are not where its own words rule it out, as where a "
        "neighbouring sentence states it. Proved: cells of the tables give it, as our own search finds. Asked: a question "
        "asks for it, with a proof, or because three models or more all said that the tables give it (voted).",
        {
            "Part": "slice",
            "Looked at": "n_figures",
            "Searched": "n_searched",
            "Proved": "n_proved",
            "Asked": "n_asked",
            "Asked, proved": "n_asked_proved",
            "Asked, voted": "n_asked_voted",
        },
    ),
    "scenarios": ShownReport(
        "The scenario that answers name, and the derived one",
        "Derived: how our own search comes by the figure. Reported: how the answer says that it does; none where it does not "
        "say, another where it says what is none of the four. Share: of the model's answers to figures of the derived scenario.",
        {
            "Model": "model",
            "Derived": "derived",
            "Reported": "reported",
            "Answers": "n",
            "Share": "share",
            "Correct": "n_correct",
        },
    ),
    "reasons": ShownReport(
        "Why answers are correct or wrong",
        "The rule's reasons, each with one example.",
        {
            "Model": "model",
            "Verdict": "label",
            "Reason": "reason",
            "Answers": "n",
            "An answer": "example_answer",
            "To be restored": "example_target",
        },
    ),
    "labels": ShownReport(
        "Published answers that are not their sentence's",
        "The figure as its sentence states it, beside the answer that the file publishes and, where cells of the tables give "
        "one of them or both, which: the sentence's, the published one (truth), or both. Answers that differ by the sign alone say "
        "with a minus what the sentence says in words.",
        {
            "In the sentence": "masked_text",
            "Published": "truth",
            "Differs by": "differs_by",
            "Tables give": "tables_agree_with",
            "By": "operation",
            "Mask type": "mask_type",
            "Instance": "uid",
        },
    ),
}

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
        "Sentences of Item 7 of SEC annual reports (Form 10-K) in which one figure is hidden, each with the tables of its "
        "Item. Where they are known, the cells and the operation that give the figure, or the votes of models on whether the "
        "tables give it, stand beside it as its evidence."
    ),
    metrics={
        "accuracy": Label("Accuracy", "the share of hidden figures that were restored correctly")
    },
    variants={"baseline": Label("Hidden figure", "one figure of the sentence is hidden")},
    rules=("searches the tables for the figure", "search the tables for the figure"),
    asked={"mask": "a figure that is hidden in a text"},
    contexts={"tables": "Tables"},
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
            "How cells of the tables give the figure, by our own search. Direct lookup: it stands in a cell. Comparative: "
            "from two cells of one metric. Bivariate: from a cell each of two metrics. Multivariate: from more cells, so of more "
            "metrics or in several steps. No derivation: no cells that give it were found, which does not mean that there are "
            "none."
        ),
        "mask_type": (
            "The authors' own letters, which their file does not define; its examples fit A direct lookup, B comparative, "
            "C bivariate and D multivariate."
        ),
        "given_by": (
            "Its own sentence: the other figures of the sentence give the hidden one without any table. Not its own sentence: they "
            "do not; whether tables give it, the scenario says."
        ),
    },
    columns={
        "n_figures": "that were looked at",
        "n_searched": (
            "of them, those that the tables were searched for: not those that their own words rule out, as where a "
            "neighbouring sentence states the figure"
        ),
        "n_proved": "of these, those that cells of the tables give, as our own search finds",
        "n_asked": "of those that were searched for, those that a question asks for",
        "n_asked_proved": "of the questions, those with a proof",
        "n_asked_voted": "of the questions, those of which three models or more all said that the tables give the figure",
        "accuracy_unscored_wrong": "the accuracy if every answer that could not be judged were wrong",
    },
    tables=_TABLES,
    case_columns=("answer", "truth", "verdict", "reason"),
    centre=MASK,
    published=(
        "These are the authors' published instances, taken as they are: none is left out because models called it "
        "unanswerable, because our search finds no cells that give it, or because its stated truth differs from its sentence."
    ),
    judging=BY_RULES,
    judges={
        "strict": (
            "the answer must be the figure, at the coarser of the two stated precisions and with its scale, unit and "
            "currency; as a positive value is asked for, it may lack the minus. A reply without an answer that can be read has "
            "no verdict"
        ),
        "official": (
            "the verdicts of the authors' own scorer, which allows 2 %, knows fewer units, and finds a reply without an answer "
            "that can be read wrong"
        ),
    },
    limits=(
        "Of filings that were read here, only figures are hidden that a search of the tables proves or a panel of models "
        "calls restorable: they are easier than figures at large, and a reader that searches the same way finds nearly all "
        "that were proved.",
        "A proof may be right by accident: other cells can give the same figure. `evidence` says what it rests on.",
        "Only tables of Item 7 are shown, without notes and statements elsewhere in the report.",
    ),
    note=_note,
)
