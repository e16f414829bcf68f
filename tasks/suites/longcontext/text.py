"""How prompts word a query, and a haystack: one line for each article, numbered from 1.

A query is one sentence, and a definition of each concept. A line is made of parts whose tokens add
up: every encoding that tiktoken has cuts where they meet.
"""

from __future__ import annotations

import re

from tasks.inference import prompts
from tasks.suites.longcontext.concepts import TASKS
from tasks.suites.longcontext.rows import Query

FILES = tuple(f"{task.prompt}.txt" for task in TASKS.values())
_NUMBER = re.compile(r"\bArticle\s+ID\s*:\s*\d", re.IGNORECASE)


def write_number(number: int) -> str:
    """Write the part of an article's line that says its number."""
    return f"Article ID: {number};"


def has_number(title: str) -> bool:
    """Return whether a title holds what readers would take for another article's number."""
    return _NUMBER.search(title) is not None


def write_date(date: str | None) -> str:
    """Write the part that says its date; "" if it shows none."""
    return "" if date is None else f" Date: {date};"


def write_title(title: str) -> str:
    """Write the part that says its title, on one line."""
    return f" Title: {' '.join(title.split())}\n"


def write_article(number: int, title: str, date: str | None) -> str:
    """Write an article's line: its number, its date if shown, its title."""
    return write_number(number) + write_date(date) + write_title(title)


def word_query(query: Query) -> str:
    """Word a query: its sentence, which ends with one period, then one definition a line."""
    template = TASKS[query.task].prompt
    inputs = {name: str(getattr(query, name)) for name in prompts.inputs_of(template)}
    worded = prompts.fill(template, inputs)
    return f"{worded.prefix.strip().replace('..', '.')}\n{worded.suffix.strip()}"
