"""Figures proved from tables: by named cells, and not by a value that merely matches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal

import pytest

from tasks.core.ids import stable_rng
from tasks.core.rows import Context
from tasks.filings.reader.filing import ParsedFiling
from tasks.quantities.figures import Figure, find_figures
from tasks.suites.faith.contexts import show_tables
from tasks.suites.faith.derivations.expressions import Expression
from tasks.suites.faith.derivations.passage import FigurePassage, read_passage
from tasks.suites.faith.derivations.search import MOST_BY_CHANCE, chance, prove, rank
from tasks.suites.faith.questions.masked_spans import FoundSpan, find_spans, given_away
from tasks.suites.shared.tables.sheets import Sheet, read_sheets

SALES = Sheet(
    index=0,
    pre_text="Sales and expenses (in millions):",
    cells=(
        ("", "2023", "2022", "2021"),
        ("Pump sales", "$426.4", "$380.2", "$361.0"),
        ("Valve sales", "213.6", "219.9", "201.3"),
        ("Total net sales", "$640.0", "$600.1", "$562.3"),
        ("Research and development", "51.2", "44.7", "40.9"),
        ("Interest expense", "12.9", "15.5", "14.8"),
        ("Gross margin percentage", "41.3%", "39.8%", "40.1%"),
        ("Percentage of decrease:", "", "", ""),
        ("Interest expense", "17", "-5", "2"),
    ),
)


def proofs(
    sentence: str, before: str = "", figure: str = "", sheets: Sequence[Sheet] = (SALES,)
) -> list[Expression]:
    """Prove the figure in double brackets, or another in its place."""
    start, end = sentence.index("[["), sentence.index("]]")
    masked = f"{sentence[:start]}[MASK]{sentence[end + 2 :]}"
    truth = find_figures(figure or sentence[start + 2 : end])[0]
    return prove(FigurePassage(before, masked, ""), truth, sheets)


@pytest.mark.parametrize(
    ("sentence", "operation", "scenario", "texts"),
    [
        ("Pump sales were [[$426.4 million]] in 2023.", "lookup", "direct lookup", ["$426.4"]),
        ("Pump sales were [[$426 million]] in 2023.", "lookup", "direct lookup", ["$426.4"]),
        ("Valve sales were $213.6 million in 2023, compared with [[$219.9 million]] in 2022.",
         "lookup", "direct lookup", ["219.9"]),
        ("Pump sales increased [[12%]] in 2023 compared with 2022.",
         "percent_change", "comparative", ["$426.4", "$380.2"]),
        # one cell states it, too: nothing needs to be calculated
        ("Interest expense decreased [[17%]] in 2023 compared with 2022.",
         "lookup", "direct lookup", ["17"]),
        ("Valve sales represented [[33%]] of total net sales in 2023.",
         "share", "bivariate", ["213.6", "$640.0"]),
        ("Gross margin percentage increased [[1.5 percentage points]] in 2023.",
         "point_difference", "comparative", ["41.3%", "39.8%"]),
        ("Gross margin percentage increased [[150 basis points]] in 2023.",
         "basis_points", "comparative", ["41.3%", "39.8%"]),
    ],
)  # fmt: skip
def test_proves_figures_that_named_cells_give(
    sentence: str, operation: str, scenario: str, texts: list[str]
) -> None:
    best = proofs(sentence)[0]
    assert (best.operation, best.scenario) == (operation, scenario)
    assert sorted(cell.text for cell in best.operands) == sorted(texts)


@pytest.mark.parametrize(
    "wrong", ["$426.5 million", "$426.3 million", "$427 million", "$426.4 thousand", "426.4%"]
)
def test_another_figure_is_not_proved(wrong: str) -> None:
    assert proofs("Pump sales were [[$426.4 million]] in 2023.", figure=wrong) == []


@pytest.mark.parametrize(
    "sentence",
    [
        "Pump sales decreased [[12%]] in 2023 compared with 2022.",  # they increased
        "Legal settlements were [[$12.9 million]] in 2023.",  # the value stands under another name
        "Pump sales rose [[5%]] a month.",  # one digit: chance gives it
    ],
)
def test_matching_value_alone_is_no_proof(sentence: str) -> None:
    assert proofs(sentence) == []


def test_a_quarters_cell_gives_only_what_the_passage_says_of_a_quarter() -> None:
    sheets = [replace(SALES, cells=(("", "Quarter Ended Dec 31, 2023"), ("Interest", "$12.9")))]
    sentence = "Interest was [[$12.9 million]]."
    assert not proofs(sentence, sheets=sheets)
    assert proofs(sentence, before="The last quarter was weak.", sheets=sheets)


@pytest.mark.parametrize(
    ("sentence", "year"),
    [
        ("Sales were $380 million and [MASK] in 2022 and 2023.", 2023),
        ("In 2023 and 2022, sales were $426 million and [MASK].", 2022),
        ("Sales rose by $46 million or [MASK] during 2023 compared to 2022.", 2023),
    ],
)
def test_years_in_a_list_are_those_of_the_figures_in_turn(sentence: str, year: int) -> None:
    years = read_passage(FigurePassage("", sentence, "")).years
    assert max(years, key=years.__getitem__) == year


def test_a_change_from_one_year_to_another_ends_in_the_later_one() -> None:
    passage = FigurePassage("", "Pump sales increased [MASK] from 2022 to 2023.", "")
    best, *_ = rank(passage, [SALES], "money", is_in_points=False)
    assert [cell.text for cell in best.operands] == ["$426.4", "$380.2"]


def test_chance_is_benfords_law_and_few_digits_need_few_rivals() -> None:
    one, two, four = (find_figures(text)[0] for text in ("5%", "12%", "$5.173 million"))
    assert chance(one) == pytest.approx(0.0792, abs=1e-4)
    assert chance(one) > MOST_BY_CHANCE > chance(two) > MOST_BY_CHANCE / 2 > chance(four)


def test_tables_in_dollars_prove_no_other_currency() -> None:
    sentence = "Interest expense was [[$12.9 million]] in 2023."
    assert proofs(sentence)
    for amount in ("€12.9 million", "SEK 12.9 million", "12.9 million Swedish kronor"):
        assert proofs(sentence, figure=amount) == []
        others = [replace(SALES, pre_text=f"(in millions of {amount})")]
        assert proofs(sentence, figure=amount, sheets=others)


def test_rounds_by_half_a_unit_of_the_figures_precision() -> None:
    assert not proofs("Pump sales were [[$0.43 billion]] in 2022.")
    assert proofs("Pump sales were [[$426.40 million]] in 2023.")[0].value == Decimal("426400000")


def figures_tried(
    spans: Sequence[FoundSpan], others: Sequence[Figure], name: str
) -> Iterator[tuple[str, FoundSpan, Figure]]:
    """Yield each figure, and wrong ones in its place: another filing's, or a last digit off."""
    rng = stable_rng(1, "wrong figures", name)
    for span in spans:
        yield "true", span, span.figure
        alike = [figure for figure in others if figure.unit == span.figure.unit]
        if alike:
            yield "another filing's", span, rng.choice(alike)
        step = Decimal(1).scaleb(-span.figure.decimals)
        yield "last digit", span, replace(span.figure, value=span.figure.value + step)


def test_few_wrong_figures_of_real_filings_are_proved(real_filings: list[ParsedFiling]) -> None:
    names = ("apple_2009", "carbo_2017", "nvidia_2024")
    chosen = [each for each in real_filings if each.filing.source_uri.startswith(names)]
    assert len(chosen) == len(names)
    spans = {
        parsed.filing.source_uri: [
            span for span in find_spans(parsed.document) if not given_away(span)
        ][:60]
        for parsed in chosen
    }
    tried, proved = Counter[str](), Counter[str]()
    for parsed in chosen:
        name = parsed.filing.source_uri
        context = show_tables(parsed.document, parsed.tables, encoding="cl100k_base")
        assert isinstance(context, Context)
        sheets = read_sheets(context.text)
        others = [span.figure for other in spans if other != name for span in spans[other]]
        for kind, span, figure in figures_tried(spans[name], others, name):
            tried[kind] += 1
            proved[kind] += bool(prove(FigurePassage.read(span.query), figure, sheets))
    assert tried["true"] > 150
    assert proved["true"] > 0.15 * tried["true"]
    for kind in ("another filing's", "last digit"):
        assert proved[kind] <= 0.02 * tried[kind], f"{kind}: {proved[kind]} of {tried[kind]}"
