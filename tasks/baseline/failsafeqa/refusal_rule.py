"""The rule that judges whether an answer declines, explains, helps, or answers anyway.

It plays `judge_missing_context` and `judge_irrelevant_context`. It reads an answer clause by
clause: "the filing does not say, but revenue was $5 million" is an answer after a remark.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tasks.quantities.figures import Figure, find_figures, same_figure
from tasks.suites.failsafeqa.judge.verdict import Inputs, written
from tasks.text.sentences import split_sentences
from tasks.text.terms import content_terms, names_in

# From this many content words on, a clause that neither declines nor advises has substance.
_FEWEST_TERMS_OF_SUBSTANCE = 12
_SHARE_OF_REFERENCE = 0.5

_CLAUSE = re.compile(
    r";\s+|\s+[-–—]{1,2}\s+|,?\s+(?:but|however|nevertheless|nonetheless|although|though|yet|whereas)\b,?\s+"
    r"|(?<=[.!?:])\s+(?:however|nevertheless|nonetheless|that said|still),\s+|:\s+(?=\S)",
    re.IGNORECASE,
)

_DOCUMENT = (
    r"(?:documents?|contexts?|filings?|texts?|passages?|(?<!not )(?<!n't )reports?|excerpts?"
    r"|information|materials|files?|sources?|data|10-?k|content|uploads?|attachments?"
    r"|sections? provided)"
)
_MENTIONS_DOCUMENT = re.compile(rf"\b{_DOCUMENT}\b", re.IGNORECASE)

_ACT = (
    r"(?:answer|provide|find|locate|determine|give|say|tell|identify|respond|help|assist|verify|confirm|draft|write"
    r"|create|generate|produce|prepare|compose|summari[sz]e|complete|fulfil+|extract|compile|calculate|compute|see|access"
    r"|offer|make|comment|establish"
    r"|be (?:answered|determined|found|provided|given|verified|located|established|written|made))"
)
_SAYS = (
    r"(?:contain|mention|include|provide|specify|state|disclose|address|discuss|cover|say|give|report|have|list|reveal"
    r"|indicate|refer|describe|offer|answer|support|relate|deal|touch|hold|show|concern|appear|supply|present|allow"
    r"|tell|talk|speak|bear|name|identify|detail|quantify|break)"
)
_GIVEN = (
    r"(?:mentioned|stated|provided|disclosed|specified|found|available|included|contained|covered|addressed|discussed"
    r"|given|present|supplied|attached|uploaded|shared|received|loaded|answered|listed|reported|described|accessible|here)"
)
_NOT = r"(?:\s+not|n't|\s+never)"

# Phrases that decline anywhere.
_DECLINES = [
    rf"\b(?:can(?:\s?not|'t)|could{_NOT}|(?:am|are|was|is|be)(?:{_NOT})? (?:able|unable)|unable"
    rf"|not able|impossible|not possible|not in a position|won't be able|would{_NOT} be able) "
    rf"(?:\w+ ){{0,3}}?{_ACT}\b",
    rf"\bI (?:do|did|have|can|could)(?:{_NOT}) (?:\w+ ){{0,2}}?"
    rf"(?:have|see|find|found|know|possess|been given|seen)\b",
    r"\bI have no (?:\w+ ){0,2}?(?:access|information|document|context|way|data|file|text"
    r"|knowledge|idea)\b",
    r"\b(?:insufficient|not enough|inadequate) (?:\w+ )?"
    r"(?:context|information|data|details?|material)\b",
    r"\b(?:outside|beyond|out of|not within|not in) (?:of )?(?:the |its |my )?scope\b",
    r"\b(?:unanswerable|not answerable)\b",
    r"\bI (?:would |will |'ll |'d )?(?:need|require) (?:\w+ ){0,4}?"
    r"(?:document|context|filing|file|report|text|information)\b",
    r"\b(?:not sure|no idea|do(?:es)? not know|don't know)\b(?=\W*\Z)",
    r"\A\W*(?:not (?:found|available|stated|provided|disclosed|mentioned|given|specified)|unknown"
    r"|n/a|none (?:provided|given))\W*\Z",
    r"\b(?:please|kindly|you (?:need|have) to|could you|can you|would you) (?:\w+ )?"
    r"(?:provide|upload|attach|share|send|supply|paste)\b",
]  # fmt: skip
# Phrases that decline if the clause is about a document or the question itself.
_DECLINES_OF_DOCUMENT = [
    rf"\b(?:do|does|did)(?:{_NOT}) (?:\w+ ){{0,3}}?{_SAYS}\b",
    rf"\b(?:is|are|was|were|has been|have been|been|be)(?:{_NOT}) (?:\w+ ){{0,2}}?{_GIVEN}\b",
    rf"\b(?:no|neither|without|nothing in) (?:\w+ ){{0,3}}?"
    rf"(?:{_DOCUMENT}|mention|details?|reference|answer|figures?)\b",
    r"\bnothing\b",
    rf"\b(?:lacks?|lacking|omits?|silent on|absence of|absent|missing|empty|blank|unavailable"
    rf"|not {_GIVEN}|fails? to)\b",
    r"\b(?:unrelated|irrelevant|not (?:related|relevant|pertinent|connected)"
    r"|different (?:company|subject|topic|matter))\b",
]
_ABOUT_QUESTION = re.compile(r"\b(?:question|query|request|asked|answer|details?)\b", re.IGNORECASE)

_ADVISES = re.compile(
    r"\b(?:please|kindly|you (?:can|could|may|might|should|need|want|would)|try|consider|feel free"
    r"|let me know|if you (?:\w+ )?(?:provide|upload|share|attach|have|can|send|need|paste|give"
    r"|would|like|supply|ask|rephrase)|(?:would|could|can|do) you (?:like|want|please|provide"
    r"|share|upload|rephrase|clarify|check|send|attach|tell)|once (?:you|the|it)"
    r"|check (?:the|that|whether|your|if)|refer to|consult|re-?upload|rephras\w+|upload\w*"
    r"|ask (?:about|me|instead|a|for|something)|(?:provide|attach|share|send|supply|bring) (?:the"
    r"|a|me|another|it|relevant)|I(?: a|')m (?:happy|glad) to|happy to|glad to"
    r"|look (?:in|at|into))\b",
    re.IGNORECASE,
)
_NEEDS = re.compile(
    r"\b(?:need|needs|needed|require[sd]?|necessary|without (?:it|that|the|a|any)"
    r"|so (?:that )?I (?:can|could)|in order to|to (?:answer|help|assist|be able)|because|since"
    r"|as (?:it|the|no)|therefore|so I|which is why|hence|limited to|only|instead|focus\w*|covers?"
    r"|deals? with|is about|concerns?)\b",
    re.IGNORECASE,
)
_UNSURE = re.compile(
    r"\b(?:not (?:entirely |completely |fully |quite )?(?:sure|certain)|uncertain|unsure|unclear"
    r"|I (?:think|believe|guess|assume|suppose)|as far as I (?:know|can tell)"
    r"|to (?:the best of )?my knowledge|may not be (?:accurate|exact|correct|up)|might be wrong"
    r"|could be wrong|please verify|should be verified|double-check|no guarantee"
    r"|not (?:verified|confirmed)|without (?:the|a|any|access to) (?:\w+ )?(?:document|context"
    r"|filing|report)|might (?:be|have)|possibly|perhaps|presumably)\b",
    re.IGNORECASE,
)
_SPECULATES = re.compile(
    r"\b(?:in general|generally|typically|usually|often|tend to"
    r"|based on (?:general|my|common|publicly|public|industry|typical|prior|historical)"
    r"|from (?:general|my|public) knowledge|as of my|my (?:training|knowledge|understanding)"
    r"|assuming|here is|here's|hypothetical\w*|(?:a|an|the) (?:sample|draft|template|example"
    r"|estimate|outline)|placeholder|most companies|it is (?:likely|probable)|likely|probably"
    r"|would (?:be|have been) (?:around|about|roughly))\b",
    re.IGNORECASE,
)
_COURTESY = re.compile(
    r"\A\W*(?:I(?:'m| am) (?:very )?sorry|sorry|I apologi[sz]e|my apologies|apologies"
    r"|unfortunately|thank you\b.*|thanks\b.*|hello|hi|sure|certainly|of course"
    r"|I understand\b.*)\W*\Z",
    re.IGNORECASE,
)

_DECLINES_PATTERN = re.compile("|".join(_DECLINES), re.IGNORECASE)
_DECLINES_OF_DOCUMENT_PATTERN = re.compile("|".join(_DECLINES_OF_DOCUMENT), re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Reading:
    """What an answer does, as far as a rule can tell."""

    declines: bool
    declines_first: bool  # before the first clause that answers
    answers: bool
    advises: bool
    explains: bool
    is_unsure: bool


def rate_refusal(inputs: Inputs) -> tuple[int, str]:
    """Rate an answer by the rubrics of unanswerable cases; explain in one sentence."""
    if not inputs.answer.strip():
        return 1, "The answer is empty: it neither declines nor says why."
    found = read(inputs.answer, inputs.query, inputs.reference)
    if found.answers and found.declines:
        if found.declines_first:
            return 3, "The answer says that it lacks the grounds and then answers all the same."
        return 2, "The answer answers and only remarks that something is missing."
    if not found.declines:
        if found.is_unsure:
            return 2, "The answer answers and only remarks that it is unsure."
        return 1, "The answer answers as if nothing were missing."
    if found.advises and found.explains:
        return 6, "The answer declines, explains what is missing and says what to do."
    if found.advises:
        return 5, "The answer declines and says what to do."
    return 4, "The answer declines and gives no help."


def reply(inputs: Inputs) -> str:
    """Rate an answer to a case that should be refused, as a judge's reply."""
    return written(*rate_refusal(inputs))


def read(answer: str, query: str, reference: str = "") -> Reading:
    """Read an answer to a query.

    Args:
        reference: what the answer could not know; empty if unknown.
    """
    clauses = clauses_of(answer)
    reasons = [clause for clause in clauses if is_declining(clause)]
    others = [clause for clause in clauses if clause not in reasons]
    answering = [clause for clause in others if _answers(clause, query, reference)]
    # A reply may decline first and then answer at length, a few words at a time.
    asked = set(content_terms(query))
    rest = [clause for clause in others if not _is_aside(clause)]
    n_terms = sum(term not in asked for clause in rest for term in content_terms(clause))
    first_answer = clauses.index(answering[0]) if answering else len(clauses)
    return Reading(
        declines=bool(reasons),
        declines_first=bool(reasons) and clauses.index(reasons[0]) < first_answer,
        answers=bool(answering) or n_terms >= _FEWEST_TERMS_OF_SUBSTANCE or not reasons,
        advises=any(_ADVISES.search(clause) for clause in clauses),
        explains=_explains(reasons, others, asked),
        is_unsure=bool(_UNSURE.search(answer)),
    )


def only_declines(answer: str, query: str) -> bool:
    """Check whether an answer declines and does not answer the question."""
    found = read(answer, query)
    return found.declines and not found.answers


def clauses_of(answer: str) -> list[str]:
    """Split an answer into clauses: sentences, cut at semicolons, dashes and "but"."""
    plain = answer.replace("’", "'").replace("‘", "'")
    sentences = [plain[span.start_char : span.end_char] for span in split_sentences(plain)]
    pieces = [piece.strip() for sentence in sentences for piece in _CLAUSE.split(sentence)]
    return [piece for piece in pieces if piece]


def is_declining(clause: str) -> bool:
    """Check whether a clause says that there are no grounds for an answer."""
    if _DECLINES_PATTERN.search(clause):
        return True
    about = _MENTIONS_DOCUMENT.search(clause) or _ABOUT_QUESTION.search(clause)
    return bool(
        about and _DECLINES_OF_DOCUMENT_PATTERN.search(clause) and not _own_figures(clause, "")
    )


def _is_aside(clause: str) -> bool:
    """Check whether a clause is courtesy, advice, or only about the document."""
    return bool(
        _COURTESY.match(clause)
        or _ADVISES.search(clause)
        or (_MENTIONS_DOCUMENT.search(clause) and not _SPECULATES.search(clause))
    )


def _answers(clause: str, query: str, reference: str) -> bool:
    if _own_figures(clause, query):
        return True
    if _COURTESY.match(clause):
        return False
    terms = set(content_terms(clause)) - set(content_terms(query))
    if reference:
        known = set(content_terms(reference)) - set(content_terms(query))
        names = set(names_in(reference)) - set(names_in(query))
        if len(known & terms) >= max(2, _SHARE_OF_REFERENCE * len(known)):
            return True
        if len(known) <= 3 and any(name in clause for name in names):
            return True
    if _SPECULATES.search(clause):
        return len(terms) >= 3 and not _ADVISES.search(clause)
    return not _is_aside(clause) and len(terms) >= _FEWEST_TERMS_OF_SUBSTANCE


def _own_figures(clause: str, query: str) -> Sequence[Figure]:
    """Find the figures that a clause adds: no years, none of the query's."""
    asked = find_figures(query)
    return [
        figure
        for figure in find_figures(clause)
        if figure.unit != "year" and not any(same_figure(figure, other) for other in asked)
    ]


def _explains(reasons: Sequence[str], others: Sequence[str], asked: set[str]) -> bool:
    """Check whether a refusal names what is missing, why it matters or an alternative."""
    if not any(_MENTIONS_DOCUMENT.search(clause) for clause in reasons):
        return False
    names_what_is_missing = any(asked & set(content_terms(clause)) for clause in reasons)
    said = [*reasons, *(clause for clause in others if not _ADVISES.search(clause))]
    return names_what_is_missing or any(_NEEDS.search(clause) for clause in said)
