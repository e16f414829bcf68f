"""The weightless reader: answers a question from a document, or finds no answer.

It sees what a model would see. It ranks sentences and table cells (`tasks.text.retrieval`) by rare
terms, years, and the kind of figure that the question asks for.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import groupby

from tasks.baseline.failsafeqa.spelling import respelled
from tasks.quantities.text_tables import TableRow, stated_value
from tasks.text.retrieval import Hit, Index, Passage, index_of, years_in
from tasks.text.terms import content_terms, names_in, words

# The least share of the question's terms, weighted by rarity, that a passage must hold to be an
# answer, or a sentence of a text. Chosen on the twenty real filings. At 0.4 the reader refuses
# 97 % of questions about another filing, mostly by their years, and 1 % of questions about the
# filing itself. It refuses 40 % of requests for a text, whose topics many filings share.
LEAST_COVERAGE = 0.4
LEAST_WRITING_COVERAGE = 0.65

_N_CANDIDATES = 60
_N_SENTENCES = 4  # sentences in a text that is asked for

# Words that say what kind of answer is wanted, not what it is about.
_FRAME = frozenset(
    content_terms(
        "percentage percent amount number many much year years fiscal ended company company's "
        "corporation report document tell write draft list summarize summary create make short "
        "note email team key points html table please give show happen describe explain compare "
        "change changed difference figure level bullet bullets paragraph post according state "
        "stated filing annual happened"
    )
)

# What a question says, and the units of the figure that it asks for.
_WANTS = {
    r"\bper (?:\w+ ){0,3}share\b|\bEPS\b": words("per_share money"),
    r"\b(?:what|which) (?:percentage|percent|share|portion)\b|\bpercent(?:age)?\b": words(
        "percent"
    ),
    r"\bby how much\b": words("money percent per_share count bps"),
    r"\bhow much\b": words("money percent per_share"),
    r"\bhow many\b": words("count"),
}
_WHY = re.compile(r"\Awhy\b|\breasons?\b|\bcaused?\b", re.IGNORECASE)
_CAUSE = re.compile(
    r"\b(?:due (?:\w+ )?to|because|as a result|attribut|result(?:ed|ing) from|driven by|reflect"
    r"|owing to|caused by|since|as)\b",
    re.IGNORECASE,
)
_WHO = re.compile(r"\Awho\b", re.IGNORECASE)
_WHERE = re.compile(r"\Awhere\b", re.IGNORECASE)
_LOCATED = re.compile(r"\b(?:located|headquartered|situated|in|at)\s[A-Z\d]")
_WHEN = re.compile(r"\A(?:when|in (?:what|which) year)\b", re.IGNORECASE)
_CHANGE = re.compile(
    r"\bchange|\bcompare|\bdevelop|\bdiffer|\bfrom (?:19|20)\d\d to (?:19|20)\d\d", re.IGNORECASE
)
_WRITING = re.compile(
    r"\A\W*(?:please\W+)?(?:write|draft|list|summari[sz]e|create|make|compose|prepare|outline|tabulate|generate|build|produce)\b",
    re.IGNORECASE,
)
# The same without a verb, as in a search box: "short note competition".
_TEXT_WANTED = re.compile(
    r"\b(?:notes?|e-?mail|summary|post|bullet points|key points|html table|overview|memo)\b",
    re.IGNORECASE,
)
_QUESTION_WORD = re.compile(r"\b(?:what|who|why|how|when|where|which)\b", re.IGNORECASE)
_COMPANY = re.compile(
    r"\AAt (?P<at>[A-Z][^,?]{1,60}),"
    r"|(?P<whose>(?:[A-Z][\w.-]*\s(?:(?:&|of|and)\s)?)*[A-Z][\w.-]*)(?:['’]s\b|(?<=s)['’](?=\s))"
)
_OPENING_CHARS = 4000  # a report's cover
_HTML = re.compile(r"\bhtml\b|\btable\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A parsed question."""

    query: str
    terms: list[str]
    years: frozenset[str]
    units: frozenset[str]  # units of the figure that is asked for; empty: any, or no figure
    is_bold: bool  # whether the best match is always the answer


def read(context: str, query: str, *, is_bold: bool = False) -> str | None:
    """Answer a question in the document's own words and figures, or return None.

    Args:
        is_bold: answer with the best match, however little of the question it holds.
    """
    index = index_of(context)
    query = respelled(_without_company(query, context), index, _FRAME)
    asked = _take_apart(query, is_bold)
    if not asked.terms:
        return None
    if _WRITING.match(query) or (_TEXT_WANTED.search(query) and not _QUESTION_WORD.search(query)):
        return _compose(index, asked)
    best = _best(index, asked)
    return None if best is None else _stated(best.passage, asked)


def _without_company(query: str, context: str) -> str:
    """Leave out whose figures are asked for, if the document's opening names that company.

    All passages are of its report, and the few that name it are titles.
    """
    found = _COMPANY.search(query)
    if found is None:
        return query
    name = found["at"] or found["whose"]
    opening = " ".join(context[:_OPENING_CHARS].split()).casefold()
    if name.casefold() not in opening:
        return query
    return f"{query[: found.start()]} {query[found.end() :]}".strip()


def best_passage(context: str, query: str) -> Passage | None:
    """Find the passage that fits a query best, however little of it that holds."""
    hit = _best(index_of(context), _take_apart(query, is_bold=True))
    return None if hit is None else hit.passage


def terms_asked(query: str) -> list[str]:
    """List the terms that say what a query is about."""
    return [term for term in content_terms(query) if term not in _FRAME]


def _take_apart(query: str, is_bold: bool) -> _Asked:
    units: frozenset[str] = next(
        (units for pattern, units in _WANTS.items() if re.search(pattern, query, re.IGNORECASE)),
        frozenset(),
    )
    return _Asked(query, terms_asked(query), years_in(query), units, is_bold)


def _best(index: Index, asked: _Asked) -> Hit | None:
    """Find the passage that fits best, if it holds enough of the question."""
    hits = index.rank(asked.terms)[:_N_CANDIDATES]
    rated = [(_fit(hit, asked), -hit.passage.start_char, hit) for hit in hits]
    rated = [entry for entry in rated if entry[0] > 0]
    if not rated:
        return None
    best = max(rated, key=lambda entry: entry[:2])[2]
    if asked.is_bold:
        return best
    if best.coverage < LEAST_COVERAGE:
        return None
    if asked.years and not any(
        asked.years & hit.passage.years for _, _, hit in rated if hit.coverage >= LEAST_COVERAGE
    ):
        return None  # the topic fits, but the document does not cover these years
    return best


def _fit(hit: Hit, asked: _Asked) -> float:
    """Reduce a hit's score if its year, unit or kind does not fit."""
    passage = hit.passage
    fit = hit.score * (0.4 + hit.coverage)
    if asked.years:
        if not asked.years & passage.years:
            fit *= 0.35 if passage.years else 0.5
        elif not asked.years <= passage.years:
            fit *= 0.8
    if passage.row is not None:
        fit *= _row_fit(passage, asked)
        if asked.years and not asked.years & years_in(" ".join(passage.row.heads)):
            fit *= 0.5  # the caption names the year, but no column does
    if asked.units and not any(figure.unit in asked.units for figure in passage.figures):
        fit *= 0.5 if passage.row is None else 0.8
    if _WHY.search(asked.query) and not _CAUSE.search(passage.text):
        fit *= 0.6
    if _WHERE.search(asked.query) and not _LOCATED.search(passage.text):
        fit *= 0.6
    if _WHEN.search(asked.query) and not passage.years:
        fit *= 0.6
    if _WHO.search(asked.query) and not names_in(passage.text):
        fit *= 0.8
    return fit


def _row_fit(passage: Passage, asked: _Asked) -> float:
    """Compute how closely a row's label matches the question's terms."""
    label = passage.terms.keys()
    if not label or _WHY.search(asked.query):
        return 0.3
    wanted = set(asked.terms)
    shared = sum(term in wanted for term in label)
    return 0.4 + 0.9 * (2 * shared / (len(label) + len(wanted)))


def _stated(passage: Passage, asked: _Asked) -> str:
    if passage.row is None or passage.table is None:
        return " ".join(passage.text.split())
    chosen = _cells(passage, asked.years) or _cells(passage, frozenset())[:1]
    if not _CHANGE.search(asked.query):
        chosen = chosen[:1]
    return _line(passage.row, chosen)


def _cells(passage: Passage, years: frozenset[str]) -> list[tuple[str, str]]:
    """Return heads and values of a row's columns of these years, or of all without years."""
    row, table = passage.row, passage.table
    if row is None or table is None:
        return []
    return [
        (head, value)
        for column, head in enumerate(row.heads)
        if (not years or years & years_in(head))
        and (value := stated_value(table, row, column) or row.values[column])
    ]


def _line(row: TableRow, cells: list[tuple[str, str]]) -> str:
    said = ", ".join(f"{value} ({head})" if head else value for head, value in cells)
    return f"{row.label}: {said}."


def _compose(index: Index, asked: _Asked) -> str | None:
    """Write a text from the rows of a table that are asked for, else from the closest passages."""
    hits = index.rank(asked.terms)[:_N_CANDIDATES]
    rows = _rows_asked(index, asked)
    if _HTML.search(asked.query):
        least = 0.0 if asked.is_bold else LEAST_COVERAGE
        fitting = [hit.passage for hit in hits if hit.passage.row and hit.coverage >= least]
        return _as_html(rows, asked.years) if rows else _as_html(fitting[:1], frozenset())
    if rows:
        lines = [_line(row.row, _cells(row, asked.years)) for row in rows if row.row]
        return "\n".join(f"- {line}" for line in lines)
    readable = [hit for hit in hits if hit.passage.row is None and 40 < len(hit.passage.text) < 500]
    least = 0.0 if asked.is_bold else LEAST_WRITING_COVERAGE
    chosen = [hit.passage for hit in readable if hit.coverage >= least][:_N_SENTENCES]
    topic = {term for term in asked.terms if index.knows(term)}
    under_its_heading = [
        hit.passage for hit in readable if topic and topic <= hit.passage.surroundings
    ]
    if len(under_its_heading) >= 2 and len(topic) * 2 > len(set(asked.terms)):
        under_its_heading.sort(key=lambda passage: passage.start_char)
        chosen = under_its_heading[:_N_SENTENCES]
    if not chosen:
        return None
    chosen.sort(key=lambda passage: passage.start_char)
    return "\n".join(f"- {' '.join(passage.text.split())}" for passage in chosen)


def _rows_asked(index: Index, asked: _Asked) -> list[Passage]:
    """Find the rows of one table whose labels make up what is asked, if there are several.

    A label counts if the query has all of its terms. Labels that stand in the query, and then the
    longest, take theirs first: `net income` beside `net income per share` must be asked for by
    itself. Of several tables, the one whose labels hold most of the query counts.
    """
    total = sum(index.weight(term) for term in dict.fromkeys(asked.terms))
    best: tuple[float, list[Passage]] = (0.0, [])
    by_table = groupby(index.passages, key=lambda passage: id(passage.table))
    for table in (list(passages) for _, passages in by_table):
        if table[0].table is None:
            continue
        left, chosen = Counter(content_terms(asked.query)), []
        for passage in sorted(table, key=lambda passage: _is_unlike(passage, asked.query)):
            if passage.terms and passage.terms <= left and _cells(passage, asked.years):
                left -= passage.terms
                chosen.append(passage)
        held = {term for passage in chosen for term in passage.terms}
        share = sum(index.weight(term) for term in held) / total
        if len(chosen) > 1 and share >= LEAST_COVERAGE and share > best[0]:
            best = (share, sorted(chosen, key=lambda passage: passage.start_char))
    return best[1]


def _is_unlike(passage: Passage, query: str) -> tuple[bool, int]:
    label = passage.row.label.lower() if passage.row else ""
    return label not in query.lower(), -passage.terms.total()


def _as_html(rows: list[Passage], years: frozenset[str]) -> str | None:
    """Write rows of one table, under the heads of the first, in the columns of these years."""
    stated = [(row.row.label, _cells(row, years)) for row in rows if row.row]
    if not stated:
        return None
    heads = "".join(f"<th>{head}</th>" for head, _ in stated[0][1])
    lines = "\n".join(
        f"<tr><td>{label}</td>{''.join(f'<td>{value}</td>' for _, value in cells)}</tr>"
        for label, cells in stated
    )
    return f"<table>\n<tr><th></th>{heads}</tr>\n{lines}\n</table>"
