"""FAITH: restoring masked figures of Item 7 from its tables.

Zhang et al. 2025, "FAITH: A Framework for Assessing Intrinsic Tabular Hallucinations in Finance".
"""

from tasks.suites.faith import answer, contexts, judge, published
from tasks.suites.faith.options import FaithOptions
from tasks.suites.faith.page import PAGE, PAPER
from tasks.suites.faith.questions import masked, panel
from tasks.suites.shared.cases import BASELINE
from tasks.suites.suite import Role, Suite

SUITE = Suite(
    name="faith",
    title="FAITH",
    description=(
        "Sentences of Item 7 of SEC annual reports (Form 10-K) with one figure hidden, each with "
        "the tables of its Item. The evidence is answers of a panel of models that restore it, or "
        "else the cells and the operation that give it."
    ),
    paper=PAPER,
    options=FaithOptions,
    roles=(
        Role(
            name="panel",
            help="Model that votes on whether a hidden figure can be restored; none by default.",
            default=(),
            models=(panel.SMALLEST_PANEL, None),
        ),
    ),
    build=(contexts.STEP, masked.STEP, BASELINE),
    answers=(answer.OPERATION,),
    operation_of=lambda case, options: answer.OPERATION,
    judges=judge.JUDGES,
    published=published.PUBLISHED,
    page=PAGE,
)
