"""FAITH's texts for reports and the command line."""

from __future__ import annotations

from tasks.suites.faith.masking import NO_DERIVATION
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
    headlines=("instances", "rejects_by_reason", "accuracy"),
    metrics={
        "accuracy": Label("Accuracy", "the share of hidden figures that were restored correctly")
    },
    variants={"baseline": Label("Hidden figure", "one figure of the sentence is hidden")},
    tasks={"mask": Label("Hidden figure", "a figure hidden in a text")},
    dimensions={
        "scenario": Label(
            "Scenario, by the derivation",
            "How table cells give the figure, by our own search. Direct lookup: one cell "
            "states it. Comparative: from two cells of one metric. Bivariate: from one cell "
            "each of two metrics. Multivariate: from three cells. No derivation: our search "
            "found no such cells, but some may exist.",
        ),
        "mask_type": Label(
            "Type of the mask",
            "The authors' own letters, which their file does not define. Its examples fit A "
            "direct lookup, B comparative, C bivariate and D multivariate.",
        ),
        "unit": Label("Unit of the figure"),
        "tables": Label("Number of tables shown"),
    },
    order={
        "scenario": ("direct lookup", "comparative", "bivariate", "multivariate", NO_DERIVATION)
    },
    sections=(
        Section(
            name="Details", text="Rows of answers are by the judge of this page.", shows=_TABLES
        ),
    ),
)
