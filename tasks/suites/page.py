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
    """

    name: str
    meaning: str
    unit: str = "answer"
    parts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class JudgingWords:
    """Words for judging.

    Attributes:
        given: noun for what a judge gives an answer.
        done: participle for what happens to an answer.
        title: heading of the page's section about judges.
        are: continues "All figures above are".
        section: sentence on what that section shows.
    """

    given: str
    done: str
    title: str
    are: str
    section: str


_BY_MODELS = JudgingWords(
    given="rating",
    done="rated",
    title="The judge on trial",
    are="one judge's opinion",
    section="This section shows how far to trust it.",
)
BY_RULES = JudgingWords(
    given="verdict",
    done="judged",
    title="What could not be judged",
    are="the verdicts of one rule",
    section="These are the answers without a verdict.",
)


@dataclass(frozen=True, slots=True)
class ShownReport:
    """A report of a suite as the page shows it.

    Attributes:
        meaning: sentences that explain the columns.
        columns: heading -> column.
    """

    title: str
    meaning: str
    columns: Mapping[str, str]


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
        metrics: in the page's order; the first is the headline.
        variants: in the page's order.
        tasks: kinds of questions to compare.
        asked: kind of question -> what it asks for, for the dataset card.
        contexts: kind of context -> its name in tables of lengths.
        dimensions: the suite's own slices, shown before those of filings.
        of_published: dimensions that apply only to a published file's questions.
        order: dimension -> its values in reading order, if not the natural one.
        values: dimension -> meaning of its values, if not obvious.
        columns: column of a headline report -> its meaning, if not obvious.
        tables: the suite's own reports on its page, by relation, in the page's order.
        centre: the part of a query to show if space is short; None for its beginning.
        published: description of a published file's questions.
        rules: what the rule-based reader does, singular and plural.
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
    metrics: Mapping[str, Label]
    variants: Mapping[str, Label]
    rules: tuple[str, str] = ("answers by rules", "answer by rules")
    asked: Mapping[str, str]
    contexts: Mapping[str, str]
    tasks: Mapping[str, str] = field(default_factory=dict)
    dimensions: Mapping[str, str] = field(default_factory=dict)
    of_published: frozenset[str] = frozenset()
    order: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    values: Mapping[str, str] = field(default_factory=dict)
    columns: Mapping[str, str] = field(default_factory=dict)
    tables: Mapping[str, ShownReport] = field(default_factory=dict)
    centre: str | None = None
    published: str | None = None
    judging: JudgingWords = _BY_MODELS
    judges: Mapping[str, str] = field(default_factory=dict)
    limits: tuple[str, ...] = ()
    note: Callable[[Mapping[str, int], int], str] | None = None

    @property
    def all_dimensions(self) -> dict[str, str]:
        """Every dimension that has a figure, in the page's order."""
        return {**self.dimensions, **OF_FILINGS}

    @property
    def has_forms(self) -> bool:
        """Whether a question is asked in several forms; if not, each question is one case."""
        return len(self.variants) > 1

    @property
    def headline(self) -> str:
        """The metric that models are ranked by."""
        return next(iter(self.metrics))

    def metric_name(self, metric: str) -> str:
        """Return a metric's label, or its own name if the suite has no label."""
        return (
            self.metrics[metric].name
            if metric in self.metrics
            else metric.replace("_", " ").capitalize()
        )

    def variant_name(self, variant: str) -> str:
        """Return a variant's label, or its own name if the suite has no label."""
        known = self.variants.get(variant)
        return known.name if known else variant.replace("_", " ").capitalize()

    def slice_value(self, dimension: str, value: str) -> str:
        """Return one value of a dimension in plain words."""
        return _VALUES.get(dimension, {}).get(value, value.replace("_", " "))
