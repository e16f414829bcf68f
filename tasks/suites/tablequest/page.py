"""TableQuest's texts for reports and the command line."""

from __future__ import annotations

from tasks.suites.page import Dots, Label, Page, Section

_LEVELS = {"easy": "Easy", "medium": "Medium", "hard": "Hard"}
_AGAINST_HTML = (
    "1 if only another format of the tables is answered correctly, a half if both or neither "
    "format, 0 if only HTML"
)

_SECTIONS = (
    Section(
        name="Ratings",
        text=(
            "A judge compares each model's answer with that of {baseline}, in both orders. A game "
            "is won if both orders say so, lost if both say the opposite, and else a tie. "
            "{baseline} is at 1000; 400 points more are odds of ten to one."
        ),
        shows=(Dots(dimension="task", metrics=("elo",)), "rating_shares", "position_bias"),
    ),
    Section(
        name="Accuracy",
        text="Easy questions ask for a cell, medium ones for a calculation.",
        shows=(
            Dots(dimension="task", metrics=("easy_accuracy", "medium_accuracy")),
            "reference_agreement",
            "formats",
        ),
    ),
    Section(
        name="Failures",
        text=(
            "How a wrong figure differs from the right one: by level, by the operation that gives "
            "the answer, and by where its scale stands. A critic, if there is one, names more."
        ),
        shows=("reply_classes", "failure_classes"),
    ),
    Section(
        name="Dataset",
        text="Table 1 of the paper, for the questions of this release.",
        shows=("shape", "cut_contexts", "drafts"),
    ),
)

PAPER = """```bibtex
@misc{pan2024tablequest,
  title = {Benchmarking Table Comprehension in the Wild},
  author = {Pan, Yikang and Zhu, Yi and Xie, Rand and Liu, Yizhi},
  year = {2024},
  eprint = {2412.09884},
  archivePrefix = {arXiv}
}
```

The three levels of questions and the ways of judging come from this paper. Its own questions are
others."""

PAGE = Page(
    metrics={
        "accuracy": Label("Accuracy", "the mean of the accuracies on easy and medium questions"),
        "elo": Label("Elo rating", "the rating from games against the baseline"),
        "easy_accuracy": Label(
            "Easy questions", "the share of easy questions that were answered correctly"
        ),
        "medium_accuracy": Label(
            "Medium questions", "the share of medium questions that were answered correctly"
        ),
        "bradley_terry": Label("Bradley-Terry rating", "the rating from the games of all models"),
        "points": Label("Points", "1 for a game won, a half for a tie, 0 for one lost"),
        "critique": Label("Critique", "points that a critic gives, from 1 to 3"),
        "easy_format": Label("Easy questions, against HTML", _AGAINST_HTML),
        "medium_format": Label("Medium questions, against HTML", _AGAINST_HTML),
        "em": Label("Exact match", "the share of figures that equal the reference's exactly"),
        "f1": Label("F1", "how far the answer's and the reference's words are the same"),
        "rouge_l": Label("ROUGE-L", "the longest sequence of words that both have, as F1"),
    },
    variants={
        "html": Label("HTML", "the snippet with its tables in HTML"),
        "markdown": Label("Markdown", "the snippet with its tables in Markdown"),
        "csv": Label("CSV", "the snippet with its tables as CSV"),
    },
    tasks={
        "easy": Label(_LEVELS["easy"], "what one cell of a table says"),
        "medium": Label(_LEVELS["medium"], "a calculation from cells, whose result no cell says"),
        "hard": Label(_LEVELS["hard"], "an analysis of several figures, which takes a judgement"),
    },
    dimensions={
        "answer": Label("Kind of answer"),
        "evidence": Label(
            "What supports the answer",
            "Proved: the named cells give the answer by the stated calculation. Re-derived: "
            "they could not be computed, and verifiers came to the same answer from the "
            "snippet alone. Verified: words that verifiers accepted. Unverified: no model "
            "checked it.",
        ),
        "operation": Label("Operation that gives the answer"),
        "scale": Label("Where the scale of its figures stands"),
        "tables": Label("Number of tables that the answer reads"),
    },
    sections=_SECTIONS,
)
