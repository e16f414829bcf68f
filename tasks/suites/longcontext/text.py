"""The text of a haystack: one line for each article, numbered from 1."""

from __future__ import annotations

from collections.abc import Iterable


def write_article(number: int, title: str, date: str | None) -> str:
    """Write an article's line: its number, its date if shown, its title on one line."""
    dated = "" if date is None else f"Date: {date}; "
    return f"Article ID: {number}; {dated}Title: {title}\n"


def write_haystack(articles: Iterable[tuple[str, str | None]]) -> str:
    """Write articles given as (title, date or None), numbered from 1."""
    return "".join(
        write_article(number, title, date) for number, (title, date) in enumerate(articles, start=1)
    )
