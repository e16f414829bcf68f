"""FAITH's texts for reports and the command line."""

from __future__ import annotations

from tasks.suites.faith.masking import NO_DERIVATION
from tasks.suites.page import Label, Page, Section, ShownReport, name_columns

_TABLES = (
    ShownReport(
        relation="dataset",
        title="The dataset, beside the paper's",
        meaning=(
            "Companies: filings with a question. Characters and tables: means of the texts that "
            "models are shown. The paper's rows are printed on its project page."
        ),
        columns=name_columns(
            "split", "n_companies", "context_chars", "tables", "n_sentences", "n_figures"
        ),
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
        columns=name_columns(
            ("Part", "slice_value"),
            "n_figures",
            "n_searched",
            "n_proved",
            "n_asked",
            "n_asked_proved",
            "n_asked_voted",
        ),
    ),
    ShownReport(
        relation="scenarios",
        title="The scenario that answers name, and the derived one",
        meaning=(
            "Derived: how our search gets the figure. Reported: how the answer claims to get it; "
            '"none" if it names no scenario, "another" if it names none of the four. Share: of the '
            "model's answers to figures of the derived scenario."
        ),
        columns=name_columns("model", "derived", "reported", "n", "share", "n_correct"),
    ),
    ShownReport(
        relation="reported_scenarios",
        title="The scenarios that models name, of their correct answers",
        meaning="As the paper aggregates them. Share: of the model's correct answers.",
        columns=name_columns("model", "reported", "n_correct", "share"),
    ),
    ShownReport(
        relation="errors",
        title="What is wrong with wrong answers",
        meaning=(
            "The answer beside the proof of the figure. Sign and scale: the right digits. "
            "Elsewhere: the number of another cell. Unreadable: the reply holds no answer. "
            "Share: of the model's wrong answers in the scenario."
        ),
        columns=name_columns(
            "model", "scenario", "error", "n", "share", "example_answer", "example_target"
        ),
    ),
    ShownReport(
        relation="reasons",
        title="Why answers are correct or wrong",
        meaning="The rule's reasons, each with one example.",
        columns=name_columns(
            "model", ("Verdict", "label"), "reason", "n", "example_answer", "example_target"
        ),
    ),
    ShownReport(
        relation="labels",
        title="Published answers that differ from their sentence",
        meaning=(
            "The figure in the sentence, beside the answer that the file publishes. If only the "
            "sign differs, the answer has a minus that the sentence expresses in words."
        ),
        columns=name_columns(
            "masked_text", ("Published", "truth"), "differs_by", "mask_type", ("Instance", "uid")
        ),
    ),
)

PAPER = """```bibtex
@inproceedings{zhang2025faith,
  title = {FAITH: A Framework for Assessing Intrinsic Tabular Hallucinations in Finance},
  author = {Zhang, Mengao and others},
  booktitle = {Proceedings of the ACM International Conference on AI in Finance},
  year = {2025},
  eprint = {2508.05201},
  archivePrefix = {arXiv}
}
```

The task, its scenarios and its mask types come from this paper. Its own dataset is another one."""

PAGE = Page(
    headlines=("instances", "rejects_by_reason", "accuracy"),
    asks=(
        "Sentences of Item 7 of SEC annual reports (Form 10-K) with one figure hidden, each with "
        "the tables of its Item. The evidence, if known, is the cells and the operation that give "
        "the figure, or models' votes on whether the tables give it."
    ),
    metrics={
        "accuracy": Label("Accuracy", "the share of hidden figures that were restored correctly")
    },
    variants={"baseline": Label("Hidden figure", "one figure of the sentence is hidden")},
    tasks={"mask": Label("Hidden figure", "a figure hidden in a text")},
    dimensions={
        "scenario": "Scenario, by the derivation",
        "mask_type": "Type of the mask",
        "unit": "Unit of the figure",
        "tables": "Number of tables shown",
    },
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
    },
    sections=(
        Section(
            name="Details",
            title="FAITH in detail",
            text="Rows of answers are by the judge of this page.",
            shows=_TABLES,
        ),
    ),
    limits=(
        "In filings read here, a figure is hidden only if our search of the tables proves it or a "
        "panel of models calls it restorable. Such figures are easier than others.",
        "A proof may be right by accident, because other cells can give the same figure. "
        "`evidence` lists what it rests on.",
        "Only tables of Item 7 are shown, without the rest of the report.",
    ),
)
