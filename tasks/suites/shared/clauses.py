"""Sentences parsed for questions: subject, first verb, rest and time.

Only sentences that stand alone are parsed: no pronoun as subject, no reference to a table or note.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tasks.quantities.figures import FULL_MONTHS
from tasks.suites.shared.phrases import YEAR, is_no_name

_SHORTEST, _LONGEST = 45, 420

_DEPENDENT = re.compile(
    r"(?:it|its|this|these|those|they|their|such|that|he|she|his|her|there|here|both|each|another"
    r"|others?|the (?:following|above|foregoing|same|former|latter|increase|decrease|change"
    r"|decline|agreement|plan|transaction|amount|table|result|remaining|balance|other)|as"
    r"|accordingly|for|in|if|unless|although|while|when|see|refer|note|item|because|since|after"
    r"|before|upon|under|during|at|on|by|with|to|from|through|among|of|all of|most of|some of|any"
    r"|no|consequently|therefore|thus|similarly|conversely|also|same|one of|neither|state|what"
    r"|which|who|where|how|why|if|even|rather|instead|until|given|based)\b|[^A-Z]",
    re.IGNORECASE,
)
_POINTER = re.compile(
    r"\b(?:see\s|refer to|set forth|incorporated (?:herein )?by reference|as follows|following"
    r"|table|described|discussed|respectively|forward-looking|foregoing|hereof|herein|hereby"
    r"|exhibit|page \d|note \d|item \d|above|below|aforementioned|the former|the latter"
    r"|this (?:report|form|filing|annual)|contact|this|these|those|such an?|such \w+s?|the same"
    r"|the other)\b|:\s",
    re.IGNORECASE,
)
_CONNECTIVE = re.compile(
    r"\A(?:however|in addition|additionally|moreover|furthermore|also|currently|historically"
    r"|generally|finally|further|overall|to date|presently|as a result),\s+",
    re.IGNORECASE,
)
_DATE = (
    rf"(?:(?:{FULL_MONTHS})\s(?:\d{{1,2}},?\s)?"
    r"(?:19|20)\d\d|(?:fiscal(?:\syear)?\s)?(?:19|20)\d\d|"
    r"the (?:fiscal )?year end(?:ed|ing) [A-Z][a-z]+ \d{1,2}, ?(?:19|20)\d\d)"
)
_TIME = re.compile(
    rf"\b(?:in|during|for|as of|at|on|since) {_DATE}"
    rf"(?!\s?(?:and|or|to|through)\s(?:\w+\s)?(?:19|20))"
)
_LEADING_TIME = re.compile(rf"(?P<time>(?:In|During|For|As of|At|On|Since) {_DATE}),?\s+")


def _bare(listed: str) -> dict[str, str]:
    """Read forms of verbs and their bare forms: `grew: grow, rose: rise`."""
    return dict(pair.split(": ") for pair in " ".join(listed.split()).split(", "))


BASE_FORMS = _bare("""
    increased: increase, decreased: decrease, declined: decline, grew: grow, rose: rise,
    fell: fall, improved: improve
""")
OBJECT_VERBS = _bare("""
    includes: include, include: include, requires: require, require: require,
    consists of: consist of, consist of: consist of, depends on: depend on, depend on: depend on,
    manufactures: manufacture, produces: produce, distributes: distribute, offers: offer,
    provides: provide, designs: design
""")
EVENT_VERBS = _bare("""
    acquired: acquire, completed: complete, announced: announce, introduced: introduce,
    launched: launch, opened: open, issued: issue, adopted: adopt, signed: sign,
    purchased: purchase, repurchased: repurchase, recorded: record, received: receive,
    approved: approve, established: establish, formed: form, declared: declare, paid: pay,
    sold: sell, entered into: enter into, authorized: authorize, filed: file
""")
COUNT_VERBS = _bare("""
    owns: own, owned: own, own: own, operates: operate, operated: operate, operate: operate,
    leases: lease, leased: lease, lease: lease, serves: serve, served: serve, serve: serve
""")
BE = ("is", "are", "was", "were")
MODALS = ("may", "could", "can", "will", "would", "must", "should")
_OTHER_VERBS = """
has have had totaled totalled represents represented represent employs employed employ competes
compete expires expire expired matures mature believes believe expects expect intends intend uses
use used plans plan do does did remains remained continues continued contains holds held became
conducts engages participates covers performs reduced contributed exceeded approximated resulted
occurred reported incurred provided granted terminated agreed permits allows began made seeks seek
relies rely maintains maintain recognizes recognized determined estimated evaluates reviews
considers takes gives needs derives derived estimates
"""
_VERBS = {
    *(*BASE_FORMS, *OBJECT_VERBS, *EVENT_VERBS, *COUNT_VERBS),
    *(*BE, *MODALS, *_OTHER_VERBS.split()),
}
_VERB = re.compile(
    r"\s(?P<verb>amounted to|accounted for|accounts for|account for|"
    + "|".join(sorted(_VERBS, key=lambda verb: (-len(verb), verb)))
    + r")\b(?!-)"
)
INDEFINITE = re.compile(
    r"\b(?:that|which|who|whom|whose|where|when|if|it|this|these|those|such|they|them|there|what|not|certain)\b|"
    r"(?<=\s)(?:Our|The|We|This|In|A|An|As|For|Because|we)\b|[,;:$%]|\b(?:audit|also|we\s.*)\Z|\A(?:the|our|a)\Z|"
    r"\s(?:to|and|or|of|by)\Z|\b[a-z]+ed\s(?:a|an|the|its|our|to|that|by|in|on)\b"
)
_ADVERB = re.compile(
    r"\s(?:currently|now|then|often|(?!family|supply|assembly|reply|subsidy)[a-z]{3,}ly)\Z"
)


@dataclass(frozen=True, slots=True)
class Clause:
    """A parsed sentence."""

    subject: str  # as in running text
    verb: str  # the first one
    rest: str  # what follows the verb
    time: str  # such as `in 2017`, or empty

    def auxiliary(self) -> str:
        """Choose `do`, `does` or `did` to match the sentence's verb."""
        verb = self.verb.partition(" ")[0]
        if verb.endswith("ed") or verb in {"had", "sold", "paid"}:
            return "did"
        return "does" if verb.endswith("s") else "do"

    def asked(self, question: str) -> str:
        """Append the sentence's time to a question."""
        return f"{question} {self.time}" if self.time and self.time not in question else question


def without_connective(sentence: str) -> str:
    """Drop a leading connective such as `However,`."""
    return _CONNECTIVE.sub("", sentence)


def stands_alone(sentence: str) -> bool:
    """Check whether a sentence can be understood without its neighbours."""
    said = without_connective(sentence)
    leading = _LEADING_TIME.match(said)
    start = said[leading.end() :] if leading else said
    return (
        _SHORTEST <= len(said) <= _LONGEST
        and said.endswith(".")
        and not said.endswith("..")
        and " | " not in said
        and not _DEPENDENT.match(start[:1].upper() + start[1:])
        and not _POINTER.search(said)
        and said.count("(") == said.count(")")
        and not re.search(r"[A-Z][A-Z ,]{24}", said)
    )


def take_apart(said: str, lower_words: frozenset[str]) -> Clause | None:
    """Parse a sentence, or return None if it is not clear.

    It is clear if it stands alone and its subject and time are certain. `lower_words` are the words
    that the context writes in lower case somewhere.
    """
    if not stands_alone(said):
        return None
    body = without_connective(said)
    leading = _LEADING_TIME.match(body)
    body = body[leading.end() :] if leading else body
    body = re.sub(r"\s\([^()]{1,80}\)", "", body)
    verb = _VERB.search(body)
    if verb is None or not 2 <= verb.start() <= 90:
        return None
    subject = _ADVERB.sub("", body[: verb.start()].strip())
    first, _, others = subject.partition(" ")
    # Words that `and` joins are names together: `Water and Wastewater revenues`.
    joined = re.match(r"(and|&) ([A-Z]\S*)(.*)", others)
    is_part = others[:1].isupper()
    if joined:
        is_part = not is_no_name(joined[2].lower(), lower_words)
    starts_only = not is_part and is_no_name(first.lower(), lower_words)
    if starts_only or first in ("The", "Our", "We", "A"):
        if joined:
            others = f"{joined[1]} {joined[2].lower()}{joined[3]}"
        subject = f"{first.lower()} {others}".strip()
    if (
        INDEFINITE.search(subject)
        or len(subject.split()) > 11
        or _runs_in(subject.split(), lower_words)
    ):
        return None
    time = _time_of(leading["time"] if leading else "", body)
    return None if time is None else Clause(subject, verb["verb"], body[verb.end() :], time)


def _runs_in(words: list[str], lower_words: frozenset[str]) -> bool:
    """Check whether a subject begins with a heading: `Results Overview Diluted earnings`."""
    starts = [word for word in words[:4] if word.istitle()]
    if len(starts) < 2 or words[:2] != starts[:2] or words[0] in ("The", "Our", "A"):
        return False
    return is_no_name(words[0].lower(), lower_words) and any(
        is_no_name(word.lower(), lower_words) for word in starts[1:]
    )


def _time_of(leading: str, body: str) -> str | None:
    """Find the time of the sentence's first figure; None if it is unclear."""
    if leading:
        return leading[:1].lower() + leading[1:]
    years = [match.start() for match in YEAR.finditer(body)]
    time = _TIME.search(body)
    if not years:
        return ""
    return time.group() if time and time.start() < years[0] < time.end() else None
