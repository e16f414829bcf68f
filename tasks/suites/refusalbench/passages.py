"""How passages are written in prompts and contexts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tasks.core.ids import stable_id
from tasks.core.rows import Context
from tasks.suites.refusalbench.rows import BasePassage, BaseQuestion, PassageChange
from tasks.text.tokens import count_tokens


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


def context_of_passages(
    kind: str, passages: Sequence[BasePassage], texts: Sequence[str], encoding: str
) -> Context:
    """Make the context that shows passages with these texts, changed or not."""
    text = shown_text(texts)
    # the first document is whose question it is: that of a passage with the answer
    ranked = sorted(passages, key=lambda passage: not passage.is_signal)
    known = [passage.document_id for passage in ranked if passage.document_id is not None]
    return Context(
        context_id=stable_id("context", kind, text),
        document_ids=tuple(dict.fromkeys(known)),
        kind=kind,
        text=text,
        n_tokens=count_tokens(text, encoding),
        encoding=encoding,
        start_char=ranked[0].start_char,
    )


def name_passages(base: BaseQuestion, texts: Sequence[str] | Mapping[int, str]) -> str:
    """Return passages as generators and verifiers see them, under `[S1]`, `[N1]` and on.

    Args:
        texts: the passages' texts by their place among all passages, from 0; only they are shown.
    """
    shown = texts if isinstance(texts, Mapping) else dict(enumerate(texts))
    names = passage_names(base)
    by_kind = sorted(shown, key=lambda index: (not base.passages[index].is_signal, index))
    return "\n\n".join(f"[{names[index]}]\n{shown[index]}" for index in by_kind)


def passage_names(base: BaseQuestion) -> list[str]:
    """Name each passage: S1 is the first signal passage, N1 the first noise passage."""
    counts = {True: 0, False: 0}
    names = []
    for passage in base.passages:
        counts[passage.is_signal] += 1
        names.append(f"{'S' if passage.is_signal else 'N'}{counts[passage.is_signal]}")
    return names
