"""The rule that says whether a document may answer a query.

The document must mention the query's names. One sentence or row of the query's years must hold
most of its terms. If in doubt, the query counts as answerable: otherwise a correct answer to a
borrowed query would count as a failure to refuse.
"""

from __future__ import annotations

from tasks.suites.failsafeqa.perturbations.absence import telling_names
from tasks.suites.failsafeqa.perturbations.irrelevant_context import ScopeInputs
from tasks.text.retrieval import index_of, years_in
from tasks.text.terms import content_terms, stem, words

# Share of the query's terms, weighted by rarity, that the passage must hold.
ENOUGH = 0.6

# Words that say what text is wanted or where to find it, not what it is about.
_TEXT_WORDS = words("""
    annual answer article blog brief briefly bullet bulleted chart company compare comparison create
    describe description detail details discuss document draft email explain extract fact facts
    filing formal format generate highlight highlights html identify information key linkedin list
    main mention mentioned note number outline overview paragraph point points post prepare provide
    report sentence short show summarize summary table tweet what write year
""")
_ORDERING = frozenset(map(stem, _TEXT_WORDS))


def reply(inputs: ScopeInputs) -> str:
    """Say whether a passage of the document covers the query."""
    if is_in_scope(inputs.context, inputs.query):
        return "A passage of the document covers the terms of the query.\nVerdict: answerable"
    return "No passage of the document covers the terms of the query.\nVerdict: not answerable"


def is_in_scope(context: str, query: str) -> bool:
    """Check whether a passage covers the query's names, years and terms."""
    index = index_of(context)
    names = telling_names(query)
    mentioned = " ".join(context.replace("’", "'").casefold().split()) if names else ""
    if any(name not in mentioned for name in names):
        return False
    years = years_in(query)
    if years and not any(year in context for year in years):
        return False
    of_names = {term for name in names for term in content_terms(name)}
    asked = [
        term for term in content_terms(query) if term not in _ORDERING and term not in of_names
    ]
    if not asked:
        return True
    return any(
        hit.coverage >= ENOUGH and (not years or not hit.passage.years or years & hit.passage.years)
        for hit in index.rank(asked)
    )
