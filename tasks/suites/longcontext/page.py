"""Long context's texts for reports and the command line."""

from __future__ import annotations

from tasks.suites.page import Dots, Heatmap, Label, Page, Section

_NEEDLES = Dots(dimension="needles", metrics=("f1",))
_SECTIONS = (
    Section(
        name="Depth",
        text=(
            "A needle is an article that fits the query. Its depth is its place in the text: 0 % "
            "is the start."
        ),
        shows=(Heatmap(metric="recall", by=("task", "length", "depth"), below=("recall", "f1")),),
    ),
    Section(
        name="Lengths",
        text="Recall counts the needles that a reply lists, F1 also what it lists besides.",
        shows=(Dots(dimension="length", metrics=("f1",)), _NEEDLES, "recall_and_f1"),
    ),
    Section(
        name="Placements",
        text="The same texts, with the instruction at other places.",
        shows=(Dots(dimension="variant", metrics=("f1",)),),
    ),
    Section(
        name="Replies",
        text=(
            "Invalid: no JSON as a whole; IDs in such a reply count all the same, as far as it can "
            "be read. Degenerate: it counts in sequence or repeats itself. An unreadable reply is "
            "wrong."
        ),
        shows=(
            Dots(dimension="length", metrics=("invalid",)),
            Dots(dimension="length", metrics=("degenerate",)),
            "reply_classes",
        ),
    ),
    Section(
        name="Hard negatives",
        text=(
            "Hard negatives nearly fit. Natural ones are news as it comes: a similar name, a date "
            "in another format, a date just outside. Induced ones are about the query's company."
        ),
        shows=(Dots(dimension="negatives", metrics=("f1",)), "negatives"),
    ),
    Section(
        name="No needle",
        text="Each record is asked once more with its needles taken out: a good reply is empty.",
        shows=(
            Dots(dimension="length", metrics=("empty",)),
            Dots(dimension="length", metrics=("false_positives",)),
        ),
    ),
    Section(
        name="Short context",
        text=(
            "A model that fails here does not know the concept; one that fails only in a long text "
            "loses it there. The context loss is F1 on single articles minus F1 in long texts."
        ),
        shows=(Dots(dimension="task", metrics=("context_loss",)), "short_context"),
    ),
    Section(name="Texts", text="Articles of a text, on average.", shows=("haystacks",)),
)

PAPER = """```bibtex
@inproceedings{gupta2024longcontext,
  title = {Systematic Evaluation of Long-Context LLMs on Financial Concepts},
  author = {Gupta, Lavanya and Sharma, Saket and Zhao, Yiyun},
  year = {2024},
  eprint = {2412.15386},
  archivePrefix = {arXiv}
}
```

The concepts, tasks, lengths and placements come from this paper. Its dataset is proprietary."""

PAGE = Page(
    metrics={
        "f1": Label("F1", "the balance of needles found and of listed IDs that are needles"),
        "recall": Label("Recall", "the share of needles that replies list"),
        "precision": Label("Precision", "the share of listed IDs that are needles"),
        "exact": Label("Exact match", "the share of replies that list just the needles"),
        "empty": Label(
            "Empty if none", "the share of replies to texts without a needle that are empty"
        ),
        "false_positives": Label(
            "False positives a reply",
            "listed IDs in a reply to a text without a needle, mean",
            is_lower_better=True,
        ),
        "single_f1": Label("F1, single articles", "F1 if a model is shown one article"),
        "single_exact": Label("Single articles", "the share of right answers to single articles"),
        "context_loss": Label(
            "Context loss", "F1 on single articles minus F1 in long texts", is_lower_better=True
        ),
        "invalid": Label("Invalid", "the share of replies that are no JSON", is_lower_better=True),
        "degenerate": Label(
            "Degenerate",
            "the share of replies that count in sequence or repeat themselves",
            is_lower_better=True,
        ),
    },
    variants={
        "prepend": Label("Before", "the instruction stands before the articles"),
        "append": Label("After", "the instruction stands after the articles"),
        "both": Label("Before and after", "the instruction stands before and after the articles"),
        "best_practices": Label(
            "Best practices", "sections with headings, as OpenAI's guide recommends"
        ),
        "single": Label("Single article", "one article, and whether it fits"),
    },
    tasks={
        "company": Label("Company", "articles about a company"),
        "time": Label("Time", "articles from a range of dates"),
        "company_time": Label("Company and time", "articles about a company from a range of dates"),
        "company_sentiment": Label(
            "Company and sentiment", "articles about a company, with a sentiment"
        ),
    },
    dimensions={
        "length": Label("Length"),
        "needles": Label("Needles in the text"),
        "negatives": Label("Hard negatives, of the articles' tokens"),
        "depth": Label("Depth"),
        "kind": Label("Kind of single article"),
    },
    sections=_SECTIONS,
)
