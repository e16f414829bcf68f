"""TableQuest's texts for reports and the command line."""

from __future__ import annotations

from tasks.suites.page import (
    Distribution,
    Dots,
    JudgingWords,
    Label,
    Page,
    PaperFigures,
    Section,
    ShownReport,
    name_columns,
)

_LEVELS = {"easy": "Easy", "medium": "Medium", "hard": "Hard"}
# Ratings lie around the baseline's.
_RATING = (900.0, 1100.0)
_BASELINE = 1000.0
_EVEN = 0.5
_AGAINST_HTML = (
    "1 if only another format of the tables is answered correctly, a half if both or neither "
    "format, 0 if only HTML"
)

_SECTIONS = (
    Section(
        id="ratings",
        name="Ratings",
        title="Ratings against {baseline}",
        text=(
            "A judge compares each model's answer with that of {baseline}, in both orders. A game "
            "is won if both orders say so, lost if both say the opposite, and else a tie. "
            "{baseline} is at 1000, the marked line; 400 points more are odds of ten to one."
        ),
        shows=(
            Dots(
                dimension="task",
                metrics=("elo",),
                title="Elo rating by level",
                overall="All questions",
            ),
            Distribution(
                relation="outcome_ratings",
                panels={"all": "All questions", **_LEVELS},
                title="Games won, tied and lost",
                only={"other_model": "{baseline}"},
                unit="game",
            ),
            ShownReport(
                relation="position_bias",
                title="How far verdicts follow the order of the two answers",
                meaning=(
                    "First: share of verdicts for the answer shown first; 0.5 if the order does "
                    "not matter. Order decides: share of games whose two verdicts differ."
                ),
                columns=name_columns("judge", "level", "n", "order_dependent_share", "first_share"),
            ),
        ),
    ),
    Section(
        id="accuracy",
        name="Accuracy",
        title="Accuracy by level",
        text="Easy questions ask for a cell, medium ones for a calculation.",
        shows=(
            Dots(
                dimension="task",
                metrics=("easy_accuracy", "medium_accuracy"),
                title="Accuracy by level",
            ),
            ShownReport(
                relation="reference_agreement",
                title="Rule and model on figures",
                meaning="Answers that both judged: the reference is a figure.",
                columns=name_columns(
                    "model", "judge", "level", "n", "agreement", "n_rule_only", "n_judge_only"
                ),
            ),
            ShownReport(
                relation="formats",
                title="Accuracy by format of the tables",
                meaning=(
                    "The same questions, whose tables are shown in several formats. Change: the "
                    "accuracy less that in HTML, over questions that are judged in both."
                ),
                columns=name_columns(
                    "model",
                    "judge",
                    "level",
                    "format",
                    "mean_prompt_tokens",
                    "n",
                    ("Accuracy", ("value", "low", "high")),
                    ("change", "change_low", "change_high"),
                    "n_html_only",
                    "n_format_only",
                ),
            ),
        ),
    ),
    Section(
        id="failures",
        name="Failures",
        title="How answers fail",
        text="Classes of replies are counted by a rule; failures are those that a critic names.",
        shows=(
            ShownReport(
                relation="reply_classes",
                title="Classes of replies",
                meaning=(
                    "Empty: no answer at all. No answer: a JSON object without an answer. No JSON: "
                    "a text without a readable object."
                ),
                columns=name_columns("model", "level", "reply", "n", "share", "example_case_id"),
            ),
            ShownReport(
                relation="failure_classes",
                title="Failures that the critic names",
                meaning="A reply may have several.",
                columns=name_columns("judge", "model", "level", "failure", "n", "share"),
            ),
        ),
    ),
    Section(
        id="dataset",
        name="Dataset",
        title="The questions beside the paper's",
        text="Table 1 of the paper, for the questions of this release.",
        after="questions",
        shows=(
            ShownReport(
                relation="shape",
                title="Lengths and tables by level",
                meaning="Columns as a reader sees them; the paper counts HTML columns.",
                columns=name_columns(
                    "level",
                    "source",
                    "n_pairs",
                    "mean_question_chars",
                    "mean_answer_chars",
                    "mean_tables",
                    "mean_rows",
                    "mean_columns",
                ),
            ),
            ShownReport(
                relation="cut_contexts",
                title="Contexts shown in part",
                meaning=(
                    "The end of a context was left out if the model's window does not hold the "
                    "prompt. Judges saw all of it."
                ),
                columns=name_columns("model", "n", "n_cut", "median_cut_tokens", "most_cut_tokens"),
            ),
            ShownReport(
                relation="drafts",
                title="Drafts by outcome",
                meaning="Proved: share of kept numeric answers with a proof.",
                columns=name_columns("level", "outcome", "n", "share", "n_numbers", "proved_share"),
            ),
        ),
    ),
)

PAGE = Page(
    reports=(
        "dataset_statistics",
        "rejects_by_reason",
        "operations",
        "spending",
        "unscored_reasons",
        "drafts",
        "shape",
        "cut_contexts",
        "reply_classes",
        "reference_agreement",
        "failure_classes",
        "outcomes",
        "outcome_ratings",
        "position_bias",
        "ladder",
        "leaderboard",
        "formats",
        "remarks",
        "comparisons",
    ),
    headlines=("drafts", "rejects_by_reason", "leaderboard"),
    remarks="remarks",
    asks=(
        "Questions on tables of SEC annual reports (Form 10-K), shown with the text around them: "
        "easy ones ask for a cell, medium ones for a calculation, hard ones for an analysis."
    ),
    metrics={
        "accuracy": Label(
            "Accuracy",
            "the mean of the accuracies on easy and medium questions",
            unit="question",
            parts=("easy_accuracy", "medium_accuracy"),
        ),
        "elo": Label(
            "Elo rating",
            "the rating from games against the baseline",
            unit="game",
            scale=_RATING,
            mark=_BASELINE,
        ),
        "easy_accuracy": Label(
            "Easy questions", "the share of easy questions that were answered correctly"
        ),
        "medium_accuracy": Label(
            "Medium questions", "the share of medium questions that were answered correctly"
        ),
        "bradley_terry": Label(
            "Bradley-Terry rating",
            "the rating from the games of all models",
            unit="game",
            scale=_RATING,
            mark=_BASELINE,
        ),
        "points": Label(
            "Points", "1 for a game won, a half for a tie, 0 for one lost", unit="game"
        ),
        "critique": Label("Critique", "points that a critic gives, from 1 to 3", scale=(1.0, 3.0)),
        "easy_format": Label("Easy questions, against HTML", _AGAINST_HTML, mark=_EVEN),
        "medium_format": Label("Medium questions, against HTML", _AGAINST_HTML, mark=_EVEN),
        "em": Label("Exact match", "the share of figures that equal the reference's exactly"),
        "f1": Label("F1", "how far the answer's and the reference's words are the same"),
        "rouge_l": Label("ROUGE-L", "the longest sequence of words that both have, as F1"),
    },
    variants={
        "html": Label("HTML", "the snippet with its tables in HTML"),
        "markdown": Label("Markdown", "the snippet with its tables in Markdown"),
        "csv": Label("CSV", "the snippet with its tables as CSV"),
    },
    rules=("looks cells up by words", "look cells up by words"),
    asked={
        "easy": "what one cell of a table says",
        "medium": "a calculation from cells, whose result no cell says",
        "hard": "an analysis of several figures, which takes a judgement",
    },
    asked_by={
        "answer_markdown": "tables as Markdown",
        "answer_csv": "tables as CSV",
        "answer_image": "tables as images",
    },
    tasks=_LEVELS,
    dimensions={
        "answer": "Kind of answer",
        "evidence": "What supports the answer",
        "tables": "Number of tables shown",
    },
    values={
        "evidence": (
            "Proved: the named cells give the answer by the stated calculation. Re-derived: they "
            "could not be computed, and verifiers came to the same answer from the snippet alone. "
            "Verified: words that verifiers accepted. Unverified: no model checked it."
        ),
    },
    sections=_SECTIONS,
    judging=JudgingWords("verdict", "judged"),
    judges={
        "reference": (
            "a figure must equal the reference at the coarser of the two stated precisions, with "
            "its scale, unit and sign. Words and analyses are left to models"
        ),
    },
    paper=PaperFigures(
        relation="published",
        judge="gpt-4-turbo",
        n_questions=240,
        note=(
            "Pan et al. 2024 print these figures, on the paper's own 240 questions and by its own "
            "judge, without intervals. They are for orientation: they were not measured here."
        ),
    ),
    tables="shown_tables",
    limits=(
        "Questions of the rules repeat the labels of their tables; a model's questions are harder.",
        "A proof shows that the cells give the answer, not that this calculation was asked for.",
        "Tables without named rows and columns are left out, and so are tables of words.",
        "Contexts are kept with tables in HTML, and judges read these, whatever a model is shown.",
    ),
)
