"""FailSafeQA's texts for reports and the command line."""

from __future__ import annotations

from tasks.suites.page import Dots, Heatmap, Label, Page, Scatter, Section

_SECTIONS = (
    Section(
        name="Forms",
        text=(
            "Each question is asked in several forms. Where the answer is there, a robust model "
            "finds it as well as in the baseline; where it is not, a grounded model says so. A "
            "value is the share of good answers, the line its 95 % interval."
        ),
        shows=(Dots(dimension="variant", metrics=("context_grounding", "compliance")),),
    ),
    Section(
        name="Trade-off",
        text=(
            "A model that answers everything is robust and not grounded; one that refuses "
            "everything the reverse. On each curve LLM Compliance is the same (beta {beta}; below "
            "1, grounding counts more): the further to the upper right, the better."
        ),
        shows=(Scatter(x="robustness", y="context_grounding", curves="equal_compliance"),),
    ),
    Section(
        name="Ratings",
        text=("The judge rates each answer from 1 to 6; 4 and above counts as good."),
        shows=("rating_shares",),
    ),
    Section(
        name="Tasks",
        text=(
            "Question answering asks for a fact of the filing; text generation for a longer "
            "passage, such as a summary."
        ),
        shows=(
            Dots(dimension="task", metrics=("llmc",)),
            Dots(dimension="task", metrics=("robustness",)),
            Dots(dimension="task", metrics=("context_grounding",)),
            Heatmap(metric="compliance", by=("variant", "task")),
        ),
    ),
    Section(
        name="Make-up",
        text="As in the paper: how long the cited passages are, and how queries are misspelled.",
        shows=("citation_tokens", "misspellings", "rejected_questions"),
    ),
)

PAPER = """```bibtex
@misc{kamble2025failsafeqa,
  title = {Expect the Unexpected: FailSafe Long Context QA for Finance},
  author = {Kamble, Kiran and Russak, Melisa and Mozolevskyi, Dmytro and Ali, Muayad and \
Russak, Mateusz and AlShikh, Waseem},
  year = {2025},
  eprint = {2502.06329},
  archivePrefix = {arXiv}
}
```

The perturbations and their names come from this paper. Its own dataset, Writer/FailSafeQA, is \
another one."""

PAGE = Page(
    metrics={
        "llmc": Label(
            "LLM Compliance",
            "robustness and context grounding, weighted into one number between 0 and 1",
        ),
        "robustness": Label(
            "Robustness",
            "the share of questions answered well in every wording and on the scanned filing",
        ),
        "context_grounding": Label(
            "Context grounding",
            "the share of unanswerable questions that were refused instead of answered",
        ),
        "compliance": Label(
            "Compliance", "the share of answers that the judge rated 4, 5 or 6 of 6"
        ),
    },
    variants={
        "baseline": Label("Baseline", "the question as written, on the clean filing"),
        "misspelled": Label("Misspelled", "the question with typing errors"),
        "incomplete": Label("Incomplete", "a shorter question, as typed into a search engine"),
        "out_of_domain": Label("Out of domain", "the question in a layman's words"),
        "ocr": Label("Scanned", "the filing with a scanner's errors"),
        "missing_context": Label("Missing context", "no filing at all: a good answer refuses"),
        "irrelevant_context": Label(
            "Irrelevant context", "a question about another filing: a good answer refuses"
        ),
    },
    dimensions={
        "scanned_figures": Label(
            "Figures on the scan",
            "Whether the scan still has the digits of all figures that the answer copies from the "
            "filing. An answer may also copy none.",
        ),
        "written_by": Label(
            "Reference written by",
            "The model that wrote question and reference, or rules, unchecked.",
        ),
    },
    order={"scanned_figures": ("all legible", "not all legible", "none copied")},
    of_answers="compliance",
    sections=_SECTIONS,
    tasks={
        "qa": Label("Question answering", "an answer"),
        "tg": Label("Text generation", "a text to be written"),
    },
)
