"""A suite's texts for people: on the page, the terminal and the dataset card."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Label:
    """The name and the meaning of a metric, a variant, a kind of question or a dimension."""

    name: str
    meaning: str = ""  # a phrase
    is_lower_better: bool = False  # whether a metric is better the lower it is


@dataclass(frozen=True, slots=True, kw_only=True)
class Dots:
    """A chart: values of each model on a dimension, with intervals; a panel for each slice."""

    dimension: str
    metrics: tuple[str, ...]  # a panel shows the first of them that has the slice


@dataclass(frozen=True, slots=True, kw_only=True)
class Scatter:
    """A chart: a point for each model on two metrics, with intervals."""

    x: str  # metric, as `y`; the paper's models are shown too
    y: str
    # relation of lines behind the points: `level` and a column for each metric
    curves: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Heatmap:
    """A chart: a share of units on two dimensions; a panel for each slice of a third.

    A cell has the share and its fraction, such as 57/60.

    Attributes:
        metric: the share.
        by: dimensions of panels, columns and rows, as the suite slices by them together; each model
            has panels of its own. Without the last one, rows are models.
        below: metrics with their intervals under each column, sliced by panels and columns.
    """

    metric: str
    by: tuple[str, str, str] | tuple[str, str]
    below: tuple[str, ...] = ()


# A chart, or the name of a relation whose rows are a table: of the suite's folder, or of `reports`.
# What its columns are is said by its file and by `sql/columns.toml`.
Shown = str | Dots | Scatter | Heatmap


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A section of the page that only this suite has."""

    name: str  # its title; in lower case, its address
    text: str  # may name options of the suite's metrics: `{beta}`
    # charts and tables; those without data are left out, and so is an empty section
    shows: tuple[Shown, ...]

    @property
    def id(self) -> str:
        """Its address on the page."""
        return self.name.lower().replace(" ", "_")


# Dimensions of slices that all suites have, in the page's order.
OF_FILINGS: dict[str, Label] = {
    "fiscal_year": Label("Fiscal year"),
    "format": Label("Format of the filing"),
    "sector": Label("Sector"),
    "context_tokens": Label("Length of the context, tokens"),
    "answer_position": Label("Position of the answer in the context"),
    "filed": Label("Filed before or after the model's training data end"),
}
_OF_EVERY_SUITE: dict[str, Label] = {"variant": Label("Form"), "task": Label("Kind of question")}

_FORMATS = {"text": "plain text", "html": "HTML", "ixbrl": "inline XBRL", "json": "EDGAR-CORPUS"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A suite's labels, notes and reports.

    Attributes:
        metrics: in the page's order; the first is the headline, and the leaderboard shows the first
            five unless asked for all.
        variants: in the page's order.
        tasks: kind of question -> its name, and what it asks for.
        dimensions: the suite's own slices, and what their values mean; before those of filings.
        order: dimension -> its values in reading order, if not the natural one.
        of_answers: metric of single answers, by which slices are shown; the leaderboard leaves it
            out if there are others. None for the headline.
        sections: of the page that only this suite has, in order.
    """

    metrics: Mapping[str, Label]
    variants: Mapping[str, Label]
    tasks: Mapping[str, Label]
    dimensions: dict[str, Label] = field(default_factory=dict)
    order: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    of_answers: str | None = None
    sections: tuple[Section, ...] = ()

    @property
    def all_dimensions(self) -> dict[str, Label]:
        """Every dimension of slices that no section of the suite draws, in the page's order."""
        charts = [shown for section in self.sections for shown in section.shows]
        drawn = {chart.dimension for chart in charts if isinstance(chart, Dots)} | {
            chart.by[1] for chart in charts if isinstance(chart, Heatmap) and len(chart.by) == 2
        }
        labels = _OF_EVERY_SUITE | self.dimensions | OF_FILINGS
        return {name: label for name, label in labels.items() if name not in drawn}

    def title_of(self, dimension: str) -> str:
        """Return a dimension's name, or its own if the suite has no other."""
        labels = _OF_EVERY_SUITE | self.dimensions | OF_FILINGS
        return labels[dimension].name if dimension in labels else dimension.capitalize()

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
        if dimension == "task" and value in self.tasks:
            return self.tasks[value].name
        if dimension in self.dimensions and value.isdigit():
            return f"{int(value):,}"
        return _FORMATS.get(value, value) if dimension == "format" else value.replace("_", " ")
