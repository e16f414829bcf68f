"""Long context: needles among financial news, from 4K to 128K tokens.

Gupta et al. 2024, "Systematic Evaluation of Long-Context LLMs on Financial Concepts".
"""

from __future__ import annotations

from tasks.suites.longcontext import answer, judge
from tasks.suites.longcontext.articles import step
from tasks.suites.longcontext.articles.news_file import SOURCE
from tasks.suites.longcontext.articles.panel import PANEL
from tasks.suites.longcontext.metrics import METRICS
from tasks.suites.longcontext.options import LongContextOptions
from tasks.suites.longcontext.page import PAGE, PAPER
from tasks.suites.longcontext.records import haystacks, queries, single
from tasks.suites.suite import Suite

SUITE = Suite(
    name="longcontext",
    title="Long context",
    description=(
        "Which of many numbered articles of financial news fit a query: about a company, from a "
        "range of dates, or with a sentiment. Each text has a set length, of 4,000 tokens or more."
    ),
    paper=PAPER,
    options=LongContextOptions,
    roles=(PANEL,),
    sources={"news": SOURCE},
    build=(step.STEP, queries.STEP, haystacks.STEP, single.STEP),
    answers=tuple(answer.OPERATIONS.values()),
    answers_of=lambda options: tuple(
        answer.OPERATIONS[name]
        for name in (*options.placements, *([answer.SINGLE] if options.single else []))
    ),
    operation_of=lambda case, options: answer.OPERATIONS[case.variant],
    asked_by=("placements",),
    judges=judge.JUDGES,
    metrics=METRICS,
    page=PAGE,
)
