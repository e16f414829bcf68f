"""Rows that a label alone names: what is measured, of the whole company, with its own sign.

A financial statement explains its labels. Elsewhere a heading does: of "components of net
investment income", "common stock" is the income from it. Such a row is asked only if its label
says itself what it measures, or names all that the heading is about.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from tasks.quantities.figures import FULL_MONTHS, Figure, find_figures, same_figure
from tasks.quantities.text_tables import Table, TableRow
from tasks.suites.shared.stated_cells import StatedCell, stated_cells
from tasks.text.terms import content_terms

# Two of these lines make a financial statement, or selected data of one.
_OF_BALANCES = (
    r"\Atotal current assets\b",
    r"\Atotal assets\b",
    r"\Atotal current liabilities\b",
    r"\Atotal liabilities\b",
    r"\A(?:total )?(?:common )?(?:stock|share|share-?own)(?:hold)?ers?['’]? equity\b",
    r"\Acurrent assets\b",
    r"\Along-term debt\b",
)
_OF_RESULTS = (
    r"\b(?:revenues?|sales)(?:, net)?\Z|\Asales to customers\Z",
    r"\bcosts? of (?:sales|goods|products|revenues?)\b",
    r"\Agross (?:profit|margin|premiums)\b",
    r"\Aoperating (?:income|profit|loss|expenses)\b|\Atotal (?:operating )?expenses\b",
    r"\b(?:income|earnings|profit|loss)\b.*\bbefore\b",
    r"\A(?:provision|income tax)\b",
    r"\Anet (?:income|earnings|loss)\b",
    r"\A(?:total )?comprehensive (?:income|loss)\b",
    r"\bpremiums earned\b",
)
_OF_CASH = (r"\boperating activities", r"\binvesting activities", r"\bfinancing activities")
_BALANCES, _RESULTS, _CASH = (
    tuple(re.compile(line, re.IGNORECASE) for line in lines)
    for lines in (_OF_BALANCES, _OF_RESULTS, _OF_CASH)
)
_BOTTOM_LINE = re.compile(r"\Anet (?:income|earnings|loss)\Z|\bbefore (?:income )?taxes\Z")
# Lines that all statements of one company state alike, by their keys.
_SAME_IN_ALL = re.compile(
    r"(?:(?:net )?(?:sales|revenues?|income|earnings|loss|expenses)|assets|(?:current )?liabilities"
    r"|net cash \w+ activities)\Z"
)
# Statements of a part of the company, of another one, or of what might have been.
_OF_A_PART = re.compile(
    r"\b(?:discontinued|pro forma|parent|subsidiary|segments?|acquired|unconsolidated|investees?"
    r"|affiliates|joint ventures?|equity (?:method|investments)|quarter(?:ly)?|components?)\b",
    re.IGNORECASE,
)
# A heading that points: of "net benefits from these credits", another sentence says which credits.
_POINTS = re.compile(r"\b(?:these|those|such)\s(?!tables?\b|years?\b|periods?\b)", re.IGNORECASE)
# Rows of a table that leads from one balance to the next are additions to it or parts of it.
_OPENS_OR_CLOSES = re.compile(r"\b(?:beginning|end) of\b|\A(?:balances?|beginning|ending)\b", re.I)
_SAYS_WHAT = re.compile(
    r"\b(?:sales|revenues?|income(?! tax)|earnings|profit|loss(?:es)?|gains?|expenses?|costs?"
    r"|expenditures?|depreciation|amortization|provision|proceeds|dividends|fees|royalties"
    r"|compensation|premiums|margins?|ratios?|rates?|yields?|percent(?:age)?|per|average|number"
    r"|days|employees|outstanding|cash flow|working capital|debt to|debt-to)\b|%",
    re.IGNORECASE,
)
_GAIN = re.compile(r"\bgains?\b", re.IGNORECASE)
_DAY = re.compile(rf"\bas of\b|\b(?:{FULL_MONTHS}|[A-Z][a-z]{{2}})\.? \d{{1,2}}\b", re.IGNORECASE)
# A positive amount of cash flows that is no change of a balance, and no inflow from what its name
# says was paid.
_SAYS_DIRECTION = re.compile(
    r"\A(?:net )?(?:cash|increase|decrease|income|earnings|loss)\b|\bcash flows?\b"
    r"|(?<!for )\bsales?\b|\b(?:proceeds|issuances?|borrowings|received|maturities|contributions"
    r"|benefits? from|depreciation|amortization|compensation|provision|expenses?|loss(?:es)?"
    r"|impairments?|paid)\b",
    re.IGNORECASE,
)
_HAS_TWO_SIGNS = re.compile(r"\A(?!net\b).*\([a-z ]+\)", re.IGNORECASE)
# Labels that say nothing alone, or run two labels into one; a participle lacks its noun.
_UNCLEAR = re.compile(
    r"\s[—–-]\s|--|[a-z]-[A-Z]|\(in |[a-z]\d\b|[({]\d"
    r"|(?i:\A(?:consolidated )?as an? (?:%|percent)|\A(?:total )?(?:%|percent(?:age)?) of"
    r"|\A(?:net|total) (?:costs?|currently payable)\Z|\A(?:increases|decreases)\b"
    rf"|\A[a-z]+ed (?:to|in|as|by|with|from)\b|\b(?:{FULL_MONTHS})\b)"
)
_ENDS_IN_AMOUNT = re.compile(r"(?<!\d)(?!(?:19|20)\d\d\s*\Z)\d[\d,.]*\)?\s*\Z")
_SENTENCE_END = re.compile(r"(?<=[a-z)][.;])\s+(?=[A-Z(])")
# Words of a heading that are not what its table is about.
_FORM = frozenset(
    content_terms(
        "following table tables shows presents summarizes summary consists consisted comprised"
        " components includes included as follows years year ended fiscal dollars amounts"
        " thousands millions billions note notes detail details company certain respectively"
        f" {FULL_MONTHS.replace('|', ' ')}"
    )
)
_TOTALS = frozenset(content_terms("total net gross"))
# What a column head may say besides its year.
_PERIOD = re.compile(
    rf"\([^()]*\)|\b(?:{FULL_MONTHS}|[A-Z][a-z]{{2}}\.?(?= \d)|(?:for )?the|fiscal|years?|ended"
    r"|as of|at|in|amounts?|restated)\b|[^A-Za-z]",
    re.IGNORECASE,
)


def heading_of(table: Table) -> str:
    """Return the last sentence above a table, without lines that end in an amount."""
    lines = table.caption.split("\n")
    return _SENTENCE_END.split(
        " ".join(line for line in lines if not _ENDS_IN_AMOUNT.search(line.strip()))
    )[-1]


def key_of(label: str) -> str:
    """Return a label as it would be asked for: `Net income/(loss)` is `net income`."""
    bare = re.sub(r"/?\([^()]*\)/?", " ", label.lower())
    bare = re.sub(r"\A(?:net )?cash\b.*\b(?=\w+ activities)", "net cash ", bare)
    return " ".join(re.sub(r"\A\W*(?:total|consolidated)\b", "", bare).split())


def named_rows(
    tables: Sequence[Table],
) -> Iterator[tuple[Table, list[tuple[TableRow, list[StatedCell]]]]]:
    """Yield a text's tables, each with the rows that their labels alone name, and certain cells."""
    stated = _amounts_by_label(tables)
    of_statements: dict[tuple[str, str], list[Figure]] = {}
    for table in tables:
        is_statement = _is_statement(table)
        if is_statement:
            own = {
                (key, year): figures
                for (key, year), figures in _amounts_by_label([table]).items()
                if _SAME_IN_ALL.match(key) and figures[0].unit == "money"
            }
            if not all(_agree(figures, of_statements.get(key, ())) for key, figures in own.items()):
                continue  # a second statement, of the parent alone or of a subsidiary
            of_statements.update(own)
        yield table, _named(table, {} if is_statement else stated)


def _amounts_by_label(tables: Iterable[Table]) -> dict[tuple[str, str], list[Figure]]:
    """Return what tables state for each label and year."""
    stated: dict[tuple[str, str], list[Figure]] = {}
    for table in tables:
        for row, cells in stated_cells(table):
            for cell in cells:
                if figures := find_figures(cell.value):
                    stated.setdefault((key_of(row.label), cell.year), []).extend(figures)
    return stated


def _agree(own: Iterable[Figure], stated: Iterable[Figure]) -> bool:
    own = list(own)
    return all(any(same_figure(one, other) for one in own) for other in stated)


def _named(
    table: Table, stated: Mapping[tuple[str, str], Sequence[Figure]]
) -> list[tuple[TableRow, list[StatedCell]]]:
    """Return a table's rows, without cells that disagree with `stated`."""
    keys = Counter(key_of(row.label) for row in table.rows)
    bottom_lines = [key_of(row.label) for row in table.rows if _is_bottom_line(row)]
    if len(set(bottom_lines)) < len(bottom_lines):
        return []  # one of the whole, and others of its parts
    is_named = _namer(table)
    named = []
    for row, cells in stated_cells(table):
        key = key_of(row.label)
        if keys[key] > 1 or _UNCLEAR.search(row.label) or not is_named(row):
            continue
        certain = [
            cell
            for cell in cells
            if not _PERIOD.sub("", row.heads[cell.column])
            and _agree(find_figures(cell.value), stated.get((key, cell.year), ()))
        ]
        named.append((row, certain))
    return named


def _is_bottom_line(row: TableRow) -> bool:
    is_per_share = any("." in value for value in row.values)
    return bool(_BOTTOM_LINE.search(key_of(row.label))) and not is_per_share


def _is_statement(table: Table) -> bool:
    labels = [row.label for row in table.rows]
    n_lines = sum(_found(lines, labels) for lines in (_BALANCES, _RESULTS, _CASH))
    return n_lines > 1 and not _leads_on(labels) and not _OF_A_PART.search(heading_of(table))


def _leads_on(labels: Sequence[str]) -> bool:
    is_opened = any(_OPENS_OR_CLOSES.search(label) for label in labels)
    return is_opened and not _found(_CASH, labels)


def _found(lines: Iterable[re.Pattern[str]], labels: Sequence[str]) -> int:
    return sum(any(line.search(label) for label in labels) for line in lines)


def _namer(table: Table) -> Callable[[TableRow], bool]:
    """Say how a table's labels are to be read."""
    labels = [row.label for row in table.rows]
    has_balances = _found(_BALANCES, labels)
    if not _is_statement(table):
        return _namer_of_notes(table)
    if _found(_CASH, labels) and not has_balances:
        return lambda row: bool(
            _SAYS_DIRECTION.search(row.label) and not _HAS_TWO_SIGNS.search(row.label)
        )
    if not has_balances:
        return lambda row: bool(_SAYS_WHAT.search(row.label) or "tax" in row.label.lower())
    if _found(_RESULTS, labels):
        return lambda row: True
    return lambda row: not _GAIN.search(row.label)  # of all years


def _namer_of_notes(table: Table) -> Callable[[TableRow], bool]:
    heading = heading_of(table)
    topic = set(content_terms(heading)) - _FORM
    heads = " ".join(table.rows[0].heads)
    is_of_a_day = _DAY.search(f"{heading} {heads}") and "ended" not in f"{heading} {heads}".lower()
    part = _OF_A_PART.search(heading) or _POINTS.search(heading)
    if _leads_on([row.label for row in table.rows]):
        return lambda row: False

    def is_named(row: TableRow) -> bool:
        said = set(content_terms(row.label))
        if topic and topic <= said <= topic | _TOTALS:
            return True
        is_completed = row.section and not said & set(content_terms(row.section))
        is_of_part = part and part.group().lower() not in row.label.lower()
        return bool(_SAYS_WHAT.search(row.label)) and not (
            is_of_a_day or is_completed or is_of_part
        )

    return is_named
