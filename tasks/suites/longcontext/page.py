"""Long context's texts for reports and the command line."""

from __future__ import annotations

from tasks.suites.page import (
    Dots,
    Heatmap,
    JudgingWords,
    Label,
    Marks,
    Page,
    Section,
    ShownReport,
    name_columns,
)

_TASKS = {
    "company": "Company",
    "time": "Time",
    "company_time": "Company and time",
    "company_sentiment": "Company and sentiment",
}

_SECTIONS = (
    Section(
        id="depth",
        name="Depth",
        title="Needles found, by length and depth",
        text=(
            "A needle is an article that fits the query. Its depth is its place in the text: 0 % "
            "is the start."
        ),
        shows=(
            Heatmap(
                metric="recall",
                by=("task", "length", "depth"),
                title="Recall by length and depth",
                below="f1",
            ),
        ),
    ),
    Section(
        id="lengths",
        name="Lengths",
        title="How far a model can read",
        text="Recall counts the needles that a reply lists, F1 also what it lists besides.",
        shows=(
            Dots(dimension="length", metrics=("f1",), title="F1 by length in tokens"),
            ShownReport(
                relation="recall_and_f1",
                title="How far recall flatters",
                meaning=(
                    "Recall counts needles that a reply lists, F1 also what it lists besides: "
                    "Figure 7 of the paper."
                ),
                columns=name_columns("model", "task", "length", "recall", "f1", "difference"),
            ),
        ),
    ),
    Section(
        id="placements",
        name="Placements",
        title="Where the instruction stands",
        text="The same records, with the instruction before the articles, after them, or both.",
        shows=(Dots(dimension="variant", metrics=("f1",), title="F1 by placement"),),
    ),
    Section(
        id="replies",
        name="Replies",
        title="Replies that are no list",
        text=(
            "Invalid: no JSON as a whole; IDs in such a reply count all the same, as far as it can "
            "be read. Degenerate: it counts in sequence or repeats itself. An unreadable reply is "
            "wrong."
        ),
        shows=(
            Dots(dimension="length", metrics=("invalid",), title="Invalid replies by length"),
            Dots(dimension="length", metrics=("degenerate",), title="Degenerate replies by length"),
            ShownReport(
                relation="reply_classes",
                title="Classes of replies",
                meaning=(
                    "Cut: the list ran into the limit of tokens. Unreadable: no list, such as a "
                    "refusal."
                ),
                columns=name_columns(
                    "model", "task", "placement", "length", "reply", "n", "share", "n_invalid"
                ),
            ),
        ),
    ),
    Section(
        id="negatives",
        name="Hard negatives",
        title="What was taken for a needle",
        text=(
            "Hard negatives nearly fit. Natural ones are news as it comes: a similar name, a date "
            "in another format, a date just outside. Induced ones are about the query's company."
        ),
        shows=(
            ShownReport(
                relation="negatives",
                title="Hard negatives by kind",
                meaning=(
                    "Taken: share of those shown that replies list. F1 without: F1 if no reply had "
                    "listed any of them."
                ),
                columns=name_columns(
                    "model", "task", "kind", "reason", "n_shown", "taken_share", "f1", "f1_without"
                ),
            ),
        ),
    ),
    Section(
        id="nothing",
        name="No needle",
        title="Texts without a needle",
        text="Each record is asked once more with its needles taken out: a good reply is empty.",
        shows=(
            Dots(
                dimension="length",
                metrics=("empty",),
                title="Empty replies by length",
                overall="All lengths",
            ),
            Dots(
                dimension="length",
                metrics=("false_positives",),
                title="IDs in a reply that should be empty, mean",
                overall="All lengths",
            ),
        ),
    ),
    Section(
        id="short",
        name="Short context",
        title="The same articles one by one",
        text=(
            "A model that fails here does not know the concept; one that fails only in a long text "
            "loses it there. The context loss is F1 on single articles minus F1 in long texts."
        ),
        shows=(
            Dots(
                dimension="task",
                metrics=("context_loss",),
                title="Context loss by task",
                overall="All tasks",
            ),
            ShownReport(
                relation="short_context",
                title="Single articles and long texts",
                meaning="The paper's rows are its Table 2.",
                columns=name_columns(
                    "model", "source", "task", "single_f1", "f1", ("context_loss", "low", "high")
                ),
            ),
        ),
    ),
    Section(
        id="haystacks",
        name="Texts",
        title="The texts beside the paper's",
        text="Articles of a text, on average.",
        after="questions",
        shows=(
            ShownReport(
                relation="haystacks",
                title="Records and articles by length",
                meaning="",
                columns=name_columns(
                    "length", "source", "task", "n_records", "n_articles", "tokens_per_article"
                ),
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
        "haystacks",
        "recall_and_f1",
        "negatives",
        "reply_classes",
        "short_context",
        "remarks",
        "comparisons",
    ),
    headlines=("rejects_by_reason", "haystacks", "short_context"),
    remarks="remarks",
    about="long texts",
    asks=(
        "Which of many numbered articles of financial news fit a query: about a company, from a "
        "range of dates, or with a sentiment. Each text has a set length, of 4,000 tokens or more."
    ),
    metrics={
        "f1": Label("F1", "the balance of needles found and of listed IDs that are needles"),
        "recall": Label("Recall", "the share of needles that replies list", unit="needle"),
        "precision": Label("Precision", "the share of listed IDs that are needles"),
        "exact": Label("Exact match", "the share of replies that list just the needles"),
        "empty": Label(
            "Empty if none", "the share of replies to texts without a needle that are empty"
        ),
        "false_positives": Label(
            "False positives",
            "listed IDs in a reply to a text without a needle, mean",
            is_lower_better=True,
        ),
        "single_f1": Label("F1, single articles", "F1 if a model is shown one article"),
        "single_exact": Label("Single articles", "the share of right answers to single articles"),
        "context_loss": Label(
            "Context loss",
            "F1 on single articles minus F1 in long texts",
            parts=("single_f1", "f1"),
            is_lower_better=True,
        ),
        "invalid": Label("Invalid", "the share of replies that are no JSON", is_lower_better=True),
        "degenerate": Label(
            "Degenerate",
            "the share of replies that count in sequence or repeat themselves",
            is_lower_better=True,
        ),
    },
    leaderboard=("f1", "recall", "precision", "exact", "empty", "single_f1", "context_loss"),
    variants={
        "prepend": Label("Before", "the instruction stands before the articles"),
        "append": Label("After", "the instruction stands after the articles"),
        "both": Label("Before and after", "the instruction stands before and after the articles"),
        "best_practices": Label(
            "Best practices", "sections with headings, as OpenAI's guide recommends"
        ),
        "single": Label("Single article", "one article, and whether it fits"),
    },
    rules=("matches names, dates and sentiment words", "match names, dates and sentiment words"),
    asked={
        "company": "articles about a company",
        "time": "articles from a range of dates",
        "company_time": "articles about a company from a range of dates",
        "company_sentiment": "articles about a company, with a sentiment",
    },
    tasks=_TASKS,
    dimensions={
        "length": "Length",
        "needles": "Needles in the text",
        "depth": "Depth",
        "kind": "Kind of single article",
    },
    sections=_SECTIONS,
    marks=Marks(relation="marks", wanted="needle", unwanted="hard negative"),
    judging=JudgingWords("verdict", "judged"),
    judges={
        "strict": (
            "a reply must list just the needles. Digits of prose or of a cut end are no IDs"
        ),
        "paper": "as `strict`, but IDs are read as in the paper, also from prose",
    },
    limits=(
        "Articles are headlines or single sentences; real documents are longer.",
        "IDs are running numbers, so a model must find a number, not only an article.",
        "Invented companies are in no training data, and their names are less telling.",
    ),
)
