"""FAITH: does a model restore a figure that is hidden in a sentence of Item 7 from the tables around it?

Zhang et al. 2025, "FAITH: A Framework for Assessing Intrinsic Tabular Hallucinations in Finance".
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tasks.core.ids import canonical_json
from tasks.core.rows import Case, Context, Document, Filing, FilingTable, Judgement, Reject
from tasks.core.settings import RunSettings, WrongSettings
from tasks.quantities.units import Units, load_units
from tasks.suites.build_inputs import Ingested, RowsOf, Shown
from tasks.suites.faith import answer
from tasks.suites.faith import published as dataset
from tasks.suites.faith.contexts import show_tables
from tasks.suites.faith.judges import masked_figure
from tasks.suites.faith.judges.numeric_match import Mode, match
from tasks.suites.faith.masking import MASK, NO_DERIVATION
from tasks.suites.faith.planning import PLAN
from tasks.suites.faith.published_layout import read_reports
from tasks.suites.faith.questions import answerability, masked
from tasks.suites.faith.rows import ROW_TYPES, Derivation, MaskedSpan, Vote
from tasks.suites.labels import BY_RULES, ShownReport, SuiteWords, Words
from tasks.suites.shared.judging import Answered
from tasks.suites.shared.published import Exported, Imported
from tasks.suites.suite import DependsOn, Suite, by_name

MODES: tuple[Mode, ...] = ("strict", "official")

# More tokens than the tables of any one Item 7 have had: 3,767 at most in 10 filings of 1993 to 2025 that have some, and
# 5,178 in 5 reports of the authors. A longer one is refused before it is sent, as every prompt is.
_LONGEST_CONTEXT = 8_000

_STEPS = {
    "contexts": DependsOn(
        settings=("encoding",),
    ),
    "qa_pairs": DependsOn(
        prompts=("faith/answerability.txt",),
        settings=("panel", "pairs", "seed"),
    ),
    "dataset": DependsOn(
        settings=("encoding", "unit_groups"),
    ),
    "answers": DependsOn(
        prompts=("faith/restored.txt",),
    ),
    "judgements": DependsOn(
        settings=("unit_groups",),
    ),
    "metrics": DependsOn(),
}


def _contexts(ingested: Ingested) -> Iterator[Context | Reject]:
    return show_tables(ingested.documents, ingested.tables(), encoding=ingested.run.encoding)


def _write(shown: Shown) -> Iterator[Any]:
    run = shown.run
    return masked.write(
        shown.contexts,
        shown.documents({of for context in shown.contexts for of in context.document_ids}),
        panel=shown.engines["panel"],
        seed=run.seed,
        pairs=run.pairs,
    )


def _answer_inputs(case: Case, context: str) -> answer.Inputs:
    return answer.Inputs(tables=context, form=answer.form_of(case.target), passage=case.query)


def _judge(mode: Mode) -> Callable[[Sequence[Answered], RunSettings], Iterator[Judgement]]:
    def judge(answered: Sequence[Answered], run: RunSettings) -> Iterator[Judgement]:
        return masked_figure.judge(answered, mode=mode, read=answer.parse, units=_units(run))

    return judge


def _load(path: Path, run: RunSettings) -> Imported:
    """The published file; each case's details say what its own sentence makes of its truth."""
    units = _units(run)
    rows = dataset.load(path, limit=run.limit, encoding=run.encoding)
    spans = {span.qa_pair_id: span for span in rows.of_suite[MaskedSpan]}
    cases = []
    for case in rows.cases:
        span = spans[case.qa_pair_id]
        verdicts = {mode: match(span.masked_text, span.truth, mode, units) for mode in MODES}
        said = {mode: "correct" if verdict.correct else verdict.reason for mode, verdict in verdicts.items()}
        details = {**json.loads(case.details), "as_written": said}
        cases.append(replace(case, details=canonical_json(details)))
    return replace(rows, cases=cases)


def _export(target: Path, rows: RowsOf) -> Exported:
    return dataset.export(
        target,
        filings=rows(Filing),
        documents=rows(Document),
        filing_tables=rows(FilingTable),
        contexts=rows(Context),
        masked_spans=rows(MaskedSpan),
        derivations=rows(Derivation),
        votes=rows(Vote),
    )


def _units(run: RunSettings) -> Units | None:
    """The user's units beside the packaged; None for the packaged alone."""
    return None if run.unit_groups is None else load_units(Path(run.unit_groups))


def _check(run: RunSettings) -> None:
    """Refuse a panel that decides nothing, and units that cannot be read.

    Raises:
        WrongSettings: a panel of one or two.
        WrongUnitsFile: the file of units has what it must not have.
    """
    if 0 < len(set(run.panel)) < masked.SMALLEST_PANEL:
        raise WrongSettings(
            f"--panel: {masked.SMALLEST_PANEL} models or more vote, not {len(set(run.panel))} "
            "(a model that is named twice is one); name more, or leave it out and only figures with a proof become questions"
        )
    _units(run)


_PAPER = """```bibtex
@inproceedings{zhang2025faith,
  title = {FAITH: A Framework for Assessing Intrinsic Tabular Hallucinations in Finance},
  author = {Zhang, Mengao and others},
  booktitle = {Proceedings of the ACM International Conference on AI in Finance},
  year = {2025},
  eprint = {2508.05201},
  archivePrefix = {arXiv}
}
```

The task, its scenarios and its mask types are those of this paper; its own data set is another one."""


def _note(n_shown: Mapping[str, int], n_pairs: int) -> str:
    """What the rule-based reader is worth here: it is right wherever the search that it plays chose the figures."""
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

_WORDS = SuiteWords(
    asks=(
        "Sentences of Item 7 of SEC annual reports (Form 10-K) in which one figure is hidden, each with the tables of its "
        "Item. Where they are known, the cells and the operation that give the figure, or the votes of models on whether the "
        "tables give it, stand beside it as its evidence."
    ),
    paper=_PAPER,
    metrics={"accuracy": Words("Accuracy", "the share of hidden figures that were restored correctly")},
    perturbations={"baseline": Words("Hidden figure", "one figure of the sentence is hidden")},
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
    of_published=frozenset({"mask_type"}),  # of our own figures it says what the scenario says
    order={"scenario": ("direct lookup", "comparative", "bivariate", "multivariate", NO_DERIVATION)},
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

SUITE = Suite(
    name="faith",
    title="FAITH",
    description="figures hidden in sentences of Item 7, to be restored from its tables, with a proof for each",
    steps=_STEPS,
    defaults={"judge": MODES},
    longest_context=lambda run: _LONGEST_CONTEXT,
    contexts=_contexts,
    write=_write,
    rows=ROW_TYPES,
    has_verbs=False,
    answer=answer.OPERATION,
    answer_inputs=_answer_inputs,
    own_judges={mode: _judge(mode) for mode in MODES},
    operations=by_name(answerability.OPERATION, answer.OPERATION),
    check=_check,
    check_dataset=read_reports,
    load_dataset=_load,
    export=_export,
    plan=PLAN,
    words=_WORDS,
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
)
