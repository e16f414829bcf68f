"""FAITH's texts for reports and the command line."""

from __future__ import annotations

from tasks.suites.faith.maskable import NOT_STATED, SCENARIOS
from tasks.suites.page import Label, Page, Section

_TABLES = ("dataset", "instances", "scenarios", "reported_scenarios", "errors", "reasons", "labels")

PAPER = """```bibtex
@inproceedings{zhang2025faith,
  title = {FAITH: A Framework for Assessing Intrinsic Tabular Hallucinations in Finance},
  author = {Zhang, Mengao and others},
  booktitle = {Proceedings of the ACM International Conference on AI in Finance},
  year = {2025},
  eprint = {2508.05201},
  archivePrefix = {arXiv}
}
```

The task, its scenarios and its mask types come from this paper. Its own dataset is another one."""

PAGE = Page(
    metrics={
        "accuracy": Label("Accuracy", "the share of hidden figures that were restored correctly")
    },
    variants={"baseline": Label("Hidden figure", "one figure of the sentence is hidden")},
    tasks={"mask": Label("Hidden figure", "a figure hidden in a text")},
    dimensions={
        "scenario": Label(
            "Scenario",
            "How the tables give the figure, as the panel says, the proof of its cells, or the "
            "published file (A to D). Direct lookup: one cell states it. Comparative: one metric "
            "over periods or categories. Bivariate: two metrics. Multivariate: more.",
        ),
        "unit": Label("Unit of the figure"),
    },
    order={"scenario": (*SCENARIOS.values(), NOT_STATED)},
    sections=(
        Section(
            name="Details",
            text="The questions by scenario (A is direct lookup, B comparative, C bivariate, D "
            "multivariate), and how answers go wrong. All verdicts are by the judge of this page.",
            shows=_TABLES,
        ),
    ),
)
