"""How passages are written in prompts and contexts."""

from __future__ import annotations

from collections.abc import Sequence

from tasks.suites.refusalbench.rows import BaseQuestion, PassageChange


def shown_text(passages: Sequence[str]) -> str:
    """Return the context that a model under test is shown: one passage, or several numbered."""
    if len(passages) == 1:
        return passages[0]
    return "\n\n".join(f"Passage {n}:\n{text}" for n, text in enumerate(passages, start=1))


def perturbed_texts(base: BaseQuestion, changes: Sequence[PassageChange]) -> list[str]:
    """Return the texts of all passages, with the changed ones changed."""
    texts = [passage.text for passage in base.passages]
    for change in changes:
        texts[change.index] = change.text
    return texts
