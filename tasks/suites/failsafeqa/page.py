"""FailSafeQA's texts for reports and the command line."""

from __future__ import annotations

from tasks.suites.page import (
    Distribution,
    Dots,
    Label,
    Page,
    PaperFigures,
    Scatter,
    Section,
    ShownReport,
    name_columns,
)

_SECTIONS = (
    Section(
        id="perturbations",
        name="Forms",
        title="What makes them fail",
        text=(
            "Each question is asked in several forms. Where the answer is there, a robust model "
            "finds it as well as in the baseline; where it is not, a grounded model says so. A dot "
            "is the share of good answers, the line its 95 % interval."
        ),
        shows=(
            Dots(
                dimension="variant",
                metrics=("context_grounding", "compliance"),
                title="Share of good answers",
            ),
        ),
    ),
    Section(
        id="tradeoff",
        name="Trade-off",
        title="Answering versus refusing",
        text=(
            "A model that answers everything is robust and not grounded; one that refuses "
            "everything the reverse. On each curve LLM Compliance is the same (beta {beta}; below "
            "1, grounding counts more): the further to the upper right, the better."
        ),
        shows=(
            Scatter(
                x="robustness",
                y="context_grounding",
                curves="equal_compliance",
                title="Robustness against context grounding, with curves of equal LLM Compliance",
            ),
        ),
    ),
    Section(
        id="ratings",
        name="Ratings",
        title="How the judge rated",
        text=(
            "The judge rates each answer from 1 to 6; 4 and above counts as good. Blue is good, "
            "grey is not."
        ),
        shows=(
            Distribution(
                relation="rating_classes",
                panels={"answer": "An answer is expected", "refuse": "A refusal is expected"},
                title="Shares of the ratings",
            ),
        ),
    ),
    Section(
        id="tasks",
        name="Tasks",
        title="Facts versus longer texts",
        text=(
            "Question answering asks for a fact of the filing; text generation for a longer "
            "passage, such as a summary."
        ),
        shows=(
            *(
                Dots(dimension="task", metrics=(metric,), title=f"{name} by kind of question")
                for metric, name in (
                    ("llmc", "LLM Compliance"),
                    ("robustness", "Robustness"),
                    ("context_grounding", "Context grounding"),
                )
            ),
            ShownReport(
                relation="tasks_by_variant",
                title="Share of good answers by form and kind of question",
                meaning=(
                    "With its 95 % interval. Texts are fewer than answers, so their shares are "
                    "less sure."
                ),
                columns=name_columns(
                    "model",
                    "variant",
                    ("Question answering", ("qa", "qa_low", "qa_high")),
                    ("Answers", "n_qa"),
                    ("Text generation", ("tg", "tg_low", "tg_high")),
                    ("Texts", "n_tg"),
                ),
            ),
        ),
    ),
    Section(
        id="make_up",
        name="Make-up",
        title="What the questions are made of",
        text=(
            "What the paper reports about its questions: how long the cited passages are, and how "
            "queries are misspelled."
        ),
        after="questions",
        shows=(
            ShownReport(
                relation="citation_tokens",
                title="Length of the cited passages",
                meaning=(
                    "Tokens that the judge reads of a filing, its opening among them, beside those "
                    "of the context. The paper's own are 1,300 of 24,600 on average."
                ),
                columns=name_columns(
                    "n_pairs",
                    "mean_citation_tokens",
                    "median_citation_tokens",
                    "max_citation_tokens",
                    "mean_context_tokens",
                ),
            ),
            ShownReport(
                relation="misspellings",
                title="Kinds of spelling errors",
                meaning="Shares of all errors made in misspelled queries, beside the paper's.",
                columns=name_columns("kind", "n", "share", "paper_share"),
            ),
        ),
    ),
)

PAGE = Page(
    reports=(
        "dataset_statistics",
        "context_tokens",
        "citation_tokens",
        "misspellings",
        "ocr_noise",
        "rejects_by_reason",
        "operations",
        "spending",
        "unscored_reasons",
        "judge_repeats",
        "judge_agreement",
        "judge_self_preference",
        "judge_attacks",
        "judge_trials",
        "audit_agreement",
        "rating_classes",
        "robustness",
        "context_grounding",
        "tasks_by_variant",
        "comparisons",
        "leaderboard",
    ),
    headlines=("dataset_statistics", "rejects_by_reason", "robustness", "context_grounding"),
    asks=(
        "Questions on SEC annual reports (Form 10-K), each asked unchanged and then made harder: "
        "misspelled, cut short, in a layman's words, on a scanned copy, without a document, or on "
        "a document that lacks the answer."
    ),
    metrics={
        "llmc": Label(
            "LLM Compliance",
            "robustness and context grounding, weighted into one number between 0 and 1",
            unit="question",
            parts=("robustness", "context_grounding"),
        ),
        "robustness": Label(
            "Robustness",
            "the share of questions answered well in every wording and on the scanned filing",
            unit="question",
        ),
        "context_grounding": Label(
            "Context grounding",
            "the share of unanswerable questions that were refused instead of answered",
        ),
        "compliance": Label(
            "Compliance", "the share of answers that the judge rated 4, 5 or 6 of 6"
        ),
    },
    columns={
        "baseline": "changes from it, in brackets, are over the questions that are scored in both"
    },
    variants={
        "baseline": Label("Baseline", "the question as written, on the clean filing"),
        "misspelled": Label("Misspelled", "the question with typing errors"),
        "incomplete": Label(
            "Incomplete", "a hasty question without the company, the period or a qualifier"
        ),
        "out_of_domain": Label("Out of domain", "the question in a layman's words"),
        "ocr": Label("Scanned", "the filing with a scanner's errors"),
        "missing_context": Label("Missing context", "no filing at all: a good answer refuses"),
        "irrelevant_context": Label(
            "Irrelevant context", "a question about another filing: a good answer refuses"
        ),
    },
    rules=("copies sentences", "copy sentences"),
    asked={"qa": "an answer", "tg": "a text to be written"},
    # lakes of before there was a choice have `answer`
    asked_by={"answer_coached": "coached prompt", "answer": "coached prompt"},
    dimensions={
        "borrowed": "Borrowed query",
        "scanned_figures": "Figures on the scan",
        "written_by": "Reference written by",
    },
    order={
        "borrowed": ("other year", "unrelated"),
        "scanned_figures": ("all legible", "not all legible", "none copied"),
    },
    values={
        "borrowed": "an irrelevant query is of the company's other year, or of another company",
        "scanned_figures": (
            "the scan still has the digits of all figures that the answer copies from the "
            "filing, or it does not; an answer with figures of its own copies none"
        ),
        "written_by": "the model that wrote question and reference, or rules, unchecked",
    },
    of_answers="compliance",
    sections=_SECTIONS,
    paper=PaperFigures(
        relation="published",
        judge="Qwen2.5-72B-Instruct",
        n_questions=220,
        note=(
            "Kamble et al. 2025 print these figures, on the paper's own 220 questions and by its "
            "own judge, without intervals. They are for orientation: they were not measured here, "
            "and no test compares them with the models that were."
        ),
    ),
    tasks={"qa": "Question answering", "tg": "Text generation"},
    limits=(
        "Contexts are cut to a number of tokens, so no question asks about later parts of a "
        "report.",
        "Scanned copies are simulated by confusing, dropping and adding characters at random; "
        "no page was ever scanned.",
        "If a perturbation of a pair could not be made, its case is missing, not empty.",
    ),
)
