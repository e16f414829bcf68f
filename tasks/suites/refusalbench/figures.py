"""The figures of passages, which rules ask for many times."""

from __future__ import annotations

from functools import lru_cache

from tasks.quantities.figures import Figure, find_figures


@lru_cache(maxsize=4096)  # passages and sentences are short: a few megabytes
def figures_of(text: str) -> tuple[Figure, ...]:
    """Return the figures of a text, in order; see `find_figures`."""
    return tuple(find_figures(text))
