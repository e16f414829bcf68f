"""The long-context suite's texts for reports and the command line."""

from __future__ import annotations

from tasks.suites.page import BY_RULES, Label, Page

PAGE = Page(
    asks="Lists of news, and which of the articles fit a company, a time or a sentiment.",
    metrics={
        "f1": Label("F1", "of the IDs that it lists"),
        "recall": Label("Recall", "needles that it lists", unit="needle"),
        "precision": Label("Precision", "needles among the IDs that it lists"),
        "exact": Label("Exact", "replies that list exactly the needles"),
        "false_positives": Label(
            "False positives", "IDs where no article fits", is_lower_better=True
        ),
        "empty": Label("Empty", "empty lists where no article fits"),
        "invalid": Label("Invalid", "replies that are no JSON", is_lower_better=True),
        "degenerate": Label("Degenerate", "replies that count or repeat", is_lower_better=True),
        "single_f1": Label("F1 on one article", "of verdicts on single articles"),
        "context_loss": Label(
            "Context loss",
            "F1 on one article less F1",
            is_lower_better=True,
            parts=("single_f1", "f1"),
        ),
    },
    variants={
        "prepend": Label("Prepend", "the instruction stands before the articles"),
        "append": Label("Append", "the instruction stands after the articles"),
        "both": Label("Both", "the instruction stands before and after the articles"),
        "best_practices": Label("Best practices", "before the articles, in marked sections"),
        "single": Label("One article", "one article alone"),
    },
    asked={
        "company": "articles about a company",
        "time": "articles of a range of dates",
        "company_time": "articles about a company, of a range of dates",
        "company_sentiment": "articles with a sentiment about a company",
    },
    dimensions={"length": "Length", "needles": "Needles", "depth": "Depth"},
    reports=("haystacks", "reply_classes", "negatives", "effective_lengths"),
    headlines=("haystacks",),
    judging=BY_RULES,
    judges={"strict": "only IDs in a list count", "paper": "as the paper's code reads replies"},
)
