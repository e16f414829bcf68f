"""How people are told about a suite: on the page, the terminal and the data set card."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Label:
    """What a metric or a variant is called and, in one sentence, what it is.

    unit     of a metric: what it is a share of
    parts    of a metric that has no units of its own: the metrics that it weighs
    """

    name: str
    meaning: str
    unit: str = "answer"
    parts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class JudgingWords:
    """What judging is called.

    given      what an answer gets of a judge
    done       what the judge has then done with it
    title      heading of the page's section about judges
    are        what the page's figures are
    section    what that section shows
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
    section="This is what is known about how far it can be relied on.",
)
BY_RULES = JudgingWords(
    given="verdict",
    done="judged",
    title="What could not be judged",
    are="the verdicts of one rule",
    section="These are the answers that a rule had no verdict on.",
)


@dataclass(frozen=True, slots=True)
class ShownReport:
    """A report of a suite as the page shows it.

    title, meaning    its heading, and in a sentence or two what its columns are
    columns           heading -> column
    """

    title: str
    meaning: str
    columns: Mapping[str, str]


# Dimensions of slices that every suite's filings have, in the page's order.
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

    reports         its relations, in reading order
    headlines       those of them that a run ends with on the terminal
    remarks         the one with sentences (`says`) that a run ends with, too, each with the `query` of its rows
    asks            what the suite does, in one sentence: of the data set card
    metrics         in the order in which the page shows them; the first is the headline
    variants        in the page's order
    tasks           kinds of questions that are held against each other
    asked           kind of question -> what it asks for, of the data set card
    contexts        kind of context -> what it is called where lengths are shown
    dimensions      slices with figures of their own besides those of filings, before them
    of_published    those of them that only a published file's questions are told apart by
    order           dimension -> its values in reading order, where that is not the natural one
    values          dimension -> what its values are, in a sentence or two, where their names do not say it
    columns         columns of the tables that a run ends with -> what they are, where their names do not say it
    tables          the suite's own reports that its page shows, by relation, in the page's order
    case_columns    what `explain` lists of a case besides its id and its query: of `COLUMNS` in flows/cli/views/metric.py
    centre          of a query, what is to be seen of it where there is no room for the whole; its beginning when None
    published       what a published file's questions are, in a sentence or two
    rules           what the rule-based reader does, of one and of several: "copies sentences", "copy sentences"
    judging         what its judges do
    judges          what a rule of the suite's own decides by, in one sentence
    limits          what its questions are no measure of, of the data set card: a sentence each
    note            (pairs by the headings of what shows their answer, all pairs) -> what a reader of the figures has to know
                    besides; None where there is nothing
    """

    reports: tuple[str, ...]
    headlines: tuple[str, ...]
    remarks: str | None = None
    asks: str
    metrics: Mapping[str, Label]
    variants: Mapping[str, Label]
    rules: tuple[str, str]
    asked: Mapping[str, str]
    contexts: Mapping[str, str]
    tasks: Mapping[str, str] = field(default_factory=dict)
    dimensions: Mapping[str, str] = field(default_factory=dict)
    of_published: frozenset[str] = frozenset()
    order: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    values: Mapping[str, str] = field(default_factory=dict)
    columns: Mapping[str, str] = field(default_factory=dict)
    tables: Mapping[str, ShownReport] = field(default_factory=dict)
    case_columns: tuple[str, ...] = ("variant", "rating", "compliant")
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
        """Whether a question is asked in several forms; else a question and a case are the same."""
        return len(self.variants) > 1

    @property
    def headline(self) -> str:
        """The metric that models are ranked by."""
        return next(iter(self.metrics))

    def metric_name(self, metric: str) -> str:
        """A metric in plain words; one that the suite does not know by its own name."""
        return (
            self.metrics[metric].name
            if metric in self.metrics
            else metric.replace("_", " ").capitalize()
        )

    def variant_name(self, variant: str) -> str:
        """A variant in plain words; one that the suite does not know by its own name."""
        known = self.variants.get(variant)
        return known.name if known else variant.replace("_", " ").capitalize()

    def slice_value(self, dimension: str, value: str) -> str:
        """One value of a dimension in plain words."""
        return _VALUES.get(dimension, {}).get(value, value.replace("_", " "))
