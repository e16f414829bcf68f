"""A suite's texts for people: on the page, the terminal and the dataset card."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Label:
    """The name and the meaning of a metric or a variant.

    Attributes:
        meaning: a phrase.
        unit: what a metric is a share of.
        parts: the metrics that this metric weighs, if it has no units of its own.
        is_lower_better: whether a metric is better the lower it is.
        scale: ends of the shortest axis on which a metric is drawn.
        mark: a metric's value that an axis marks, such as that of a baseline.
    """

    name: str
    meaning: str
    unit: str = "answer"
    parts: tuple[str, ...] = ()
    is_lower_better: bool = False
    scale: tuple[float, float] = (0.0, 1.0)
    mark: float | None = None


@dataclass(frozen=True, slots=True)
class JudgingWords:
    """The noun for what a judge gives an answer, and the participle for what happens to it."""

    given: str = "rating"
    done: str = "rated"


BY_RULES = JudgingWords("verdict", "judged")


Column = str | tuple[str, str, str]  # a value's, or those of a value and its interval's ends


def name_columns(*columns: Column | tuple[str, Column]) -> dict[str, Column]:
    """Give each column its heading: `n_articles` is "Articles".

    Args:
        columns: a pair has a heading of its own.
    """
    named = {}
    for column in columns:
        if isinstance(column, tuple) and len(column) == 2:
            named[column[0]] = column[1]
            continue
        name = column if isinstance(column, str) else column[0]
        words = "number" if name == "n" else name.removeprefix("n_").replace("_", " ")
        named[words[0].upper() + words[1:]] = column
    return named


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownReport:
    """A table of a relation's rows.

    Attributes:
        relation: of the suite's folder, or of `reports`.
        meaning: sentences that explain the columns.
        columns: heading -> column, or a value's column with those of its interval's ends.
        only: column -> value of the rows to show, if not all.
    """

    relation: str
    title: str
    meaning: str
    columns: Mapping[str, Column]
    only: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dots:
    """A chart: values of each model on a dimension, with intervals; a panel for each slice.

    Attributes:
        metrics: a panel shows the first of them that has the slice.
        overall: heading of a first panel, with the first metric over all cases; None for no panel.
    """

    dimension: str
    metrics: tuple[str, ...]
    title: str
    overall: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Scatter:
    """A chart: a point for each model on two metrics, with intervals.

    Attributes:
        x: metric, as `y`; models of `Page.paper` are shown too.
        curves: relation of lines behind the points: `level` and a column for each metric.
    """

    x: str
    y: str
    title: str
    curves: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Distribution:
    """A chart: how often each model got each rating.

    Attributes:
        relation: has `model`, `expected`, `rating`, `is_compliant` and `n`; its ratings are the
            scale.
        panels: value of `expected` -> heading; `all` holds the rows of the others.
        only: column -> value of the rows to show, if not all; may name options: `{baseline}`.
        unit: what is rated.
    """

    relation: str
    panels: Mapping[str, str]
    title: str
    only: Mapping[str, str] = field(default_factory=dict)
    unit: str = "answer"


@dataclass(frozen=True, slots=True, kw_only=True)
class Heatmap:
    """A chart: a share of units on two dimensions; a panel for each slice of a third.

    A cell has the share and its fraction, such as 57/60.

    Attributes:
        metric: the share.
        by: dimensions of panels, columns and rows, as the suite slices by them together; each model
            has panels of its own. Without the last one, rows are models.
        below: metric with its interval under each column, sliced by panels and columns.
    """

    metric: str
    by: tuple[str, str, str] | tuple[str, str]
    title: str
    below: str | None = None


Shown = ShownReport | Dots | Scatter | Distribution | Heatmap


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A section of the page that only this suite has.

    Attributes:
        id: its address on the page.
        name: in the page's contents.
        text: may name options of the suite's metrics, as `title` may: `{beta}`.
        after: id of the section that it follows.
        shows: charts and tables; those without data are left out, and so is an empty section.
    """

    id: str
    name: str
    title: str
    text: str
    after: str = "leaderboard"
    shows: tuple[Shown, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperFigures:
    """A paper's models on the leaderboard, as a reference.

    Attributes:
        relation: a row per `model`, with a column for each metric that the paper has.
        judge: the paper's.
        n_questions: the paper's.
        note: sentences on what the figures are.
    """

    relation: str
    judge: str
    n_questions: int
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """Places in a case's text, and which of them each reply names.

    Attributes:
        relation: a row per `judge` and `case_id`. `marks` has `number`, `place` (0 to 1; null if it
            is no place of a long text), `kind` (null if nothing was put there), `is_wanted`, `line`
            (null if it is not shown) and the `models` that name it. `others` has the places of
            everything unwanted, `n_unwanted` its number, and `target` the case's reference answer.
        wanted: what a reply must name.
        unwanted: what is like it.
    """

    relation: str
    wanted: str
    unwanted: str


# Dimensions of slices that all suites have, in the page's order.
OF_FILINGS: Mapping[str, str] = {
    "fiscal_year": "Fiscal year",
    "format": "Format of the filing",
    "sector": "Sector",
    "context_tokens": "Length of the context, tokens",
    "answer_position": "Position of the answer in the context",
    "filed": "Filed before or after the model's training data end",
}

_VALUES = {
    "format": {"text": "plain text", "html": "HTML", "ixbrl": "inline XBRL"},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A suite's labels, notes and reports.

    Attributes:
        reports: its relations, in reading order.
        headlines: the reports that a run prints at its end.
        remarks: a report of sentences (`says`), each with the `query` of its rows, printed too.
        asks: what the suite does, for the page and the dataset card.
        about: what models are trusted with, in the page's title.
        metrics: in the page's order; the first is the headline.
        leaderboard: the metrics of the leaderboard, if not all.
        variants: in the page's order.
        tasks: kinds of questions to compare.
        asked: kind of question -> what it asks for, for the dataset card and people's sheets.
        asked_by: operation that answers -> what tells models that it asked from others, for their
            rows on the leaderboard.
        dimensions: the suite's own slices, shown before those of filings.
        of_published: dimensions that apply only to a published file's questions.
        order: dimension -> its values in reading order, if not the natural one.
        values: dimension -> meaning of its values, if not obvious.
        columns: column of a headline report -> its meaning, if not obvious.
        of_answers: metric of single answers, by which slices are shown; the leaderboard leaves it
            out if there are others. None for the headline.
        sections: of the page that only this suite has, in order.
        paper: figures of its paper's models.
        tables: relation of the tables that a pair reads: `qa_pair_id`, `place`, canonical `html`,
            and `marked`, the rows and columns of the cells that it needs, from 0.
        marks: what a reply names of a text that is too long to be shown.
        changes: relation of cases that were changed on purpose: `case_id`, what a good reply is
            (`wanted`), and `passages` with `name`, `original` and `changed` text.
        centre: the part of a query to show if space is short; None for its beginning.
        published: description of a published file's questions.
        rules: what the rule-based baseline does, singular and plural.
        judging: words for judging.
        judges: rule of the suite -> how it decides.
        limits: what its questions cannot measure, one sentence each, for the dataset card.
        note: (number of pairs by heading of their evidence, number of all pairs) -> remark on the
            figures; None for no remark.
    """

    reports: tuple[str, ...] = (
        "dataset_statistics",
        "rejects_by_reason",
        "operations",
        "spending",
        "unscored_reasons",
    )
    headlines: tuple[str, ...] = ("dataset_statistics", "rejects_by_reason")
    remarks: str | None = None
    asks: str
    about: str = "a 10-K"
    metrics: Mapping[str, Label]
    leaderboard: tuple[str, ...] = ()
    variants: Mapping[str, Label]
    rules: tuple[str, str] = ("answers by rules", "answer by rules")
    asked: Mapping[str, str]
    asked_by: Mapping[str, str] = field(default_factory=dict)
    tasks: Mapping[str, str] = field(default_factory=dict)
    dimensions: Mapping[str, str] = field(default_factory=dict)
    of_published: frozenset[str] = frozenset()
    order: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    values: Mapping[str, str] = field(default_factory=dict)
    columns: Mapping[str, str] = field(default_factory=dict)
    of_answers: str | None = None
    sections: tuple[Section, ...] = ()
    paper: PaperFigures | None = None
    tables: str | None = None
    marks: Marks | None = None
    changes: str | None = None
    centre: str | None = None
    published: str | None = None
    judging: JudgingWords = JudgingWords()
    judges: Mapping[str, str] = field(default_factory=dict)
    limits: tuple[str, ...] = ()
    note: Callable[[Mapping[str, int], int], str] | None = None

    @property
    def all_dimensions(self) -> dict[str, str]:
        """Every dimension of slices that no section of the suite draws, in the page's order."""
        charts = [shown for section in self.sections for shown in section.shows]
        drawn = {chart.dimension for chart in charts if isinstance(chart, Dots)} | {
            chart.by[1] for chart in charts if isinstance(chart, Heatmap) and len(chart.by) == 2
        }
        found = {"variant": "Form", "task": "Kind of question", **self.dimensions, **OF_FILINGS}
        return {name: title for name, title in found.items() if name not in drawn}

    @property
    def has_forms(self) -> bool:
        """Whether a question may be asked in several forms."""
        return len(self.variants) > 1

    @property
    def headline(self) -> str:
        """The metric that models are ranked by."""
        return next(iter(self.metrics))

    def label(self, metric: str) -> Label:
        """Return a metric's label; one without has its own name."""
        return self.metrics.get(metric) or Label(metric.replace("_", " ").capitalize(), "")

    def metric_name(self, metric: str) -> str:
        """Return a metric's label, or its own name if the suite has no label."""
        return self.label(metric).name

    def variant_name(self, variant: str) -> str:
        """Return a variant's label, or its own name if the suite has no label."""
        known = self.variants.get(variant)
        return known.name if known else variant.replace("_", " ").capitalize()

    def order_of(self, dimension: str) -> tuple[str, ...]:
        """Return a dimension's values in reading order, or nothing for the natural one."""
        named = {"variant": self.variants, "task": self.tasks, **self.order}
        return tuple(named.get(dimension, ()))

    def slice_value(self, dimension: str, value: str) -> str:
        """Return one value of a dimension in plain words, or of several joined by commas."""
        if "," in dimension:
            both = zip(dimension.split(","), value.split(","), strict=True)
            return ", ".join(self.slice_value(*one) for one in both)
        if dimension == "variant":
            return self.variant_name(value)
        if dimension == "task":
            return self.tasks.get(value, value)
        if dimension in self.dimensions and value.isdigit():
            return f"{int(value):,}"
        return _VALUES.get(dimension, {}).get(value, value.replace("_", " "))
