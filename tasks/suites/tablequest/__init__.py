"""TableQuest: questions on tables of filings, judged in pairs and rated by Elo.

Pan et al. 2024, "Benchmarking Table Comprehension in the Wild".
"""

from tasks.suites.suite import Role, Suite
from tasks.suites.tablequest import answer, cases, contexts, judge, pairs
from tasks.suites.tablequest.metrics import METRICS
from tasks.suites.tablequest.options import TableQuestOptions
from tasks.suites.tablequest.page import PAGE, PAPER

SUITE = Suite(
    name="tablequest",
    title="TableQuest",
    description=(
        "Questions on tables of SEC annual reports (Form 10-K), shown with the text around them: "
        "easy ones ask for a cell, medium ones for a calculation, hard ones for an analysis."
    ),
    paper=PAPER,
    options=TableQuestOptions,
    roles=(
        Role(name="generator", help="Model that writes the questions."),
        Role(
            name="verifier",
            help="Model that checks each question and answers it blind; none by default.",
            default=(),
            models=(1, None),
        ),
    ),
    build=(contexts.STEP, pairs.DRAFTS, pairs.STEP, cases.STEP),
    answers=(answer.OPERATION, answer.IMAGE_OPERATION),
    operation_of=lambda case, options: answer.OPERATION,
    asked_by=("table_format",),
    judges=judge.JUDGES,
    metrics=METRICS,
    page=PAGE,
)
