"""Figures proved from tables, and restored without being seen."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from tasks.quantities.figures import find_figures
from tasks.suites.faith.derivations import search
from tasks.suites.faith.derivations.forms import NEITHER, PERCENTAGE
from tasks.suites.faith.derivations.passage import Passage, read_passage
from tasks.suites.faith.derivations.search import Proof, prove, restore
from tasks.suites.shared.tables.sheets import Sheet

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
    ),
)


def passage(sentence: str, before: str = "") -> tuple[Passage, str]:
    """Split a sentence with the figure in double brackets into passage and figure."""
    start, end = sentence.index("[["), sentence.index("]]")
    return Passage(before, f"{sentence[:start]}[MASK]{sentence[end + 2 :]}", ""), sentence[
        start + 2 : end
    ]


def proofs(sentence: str, before: str = "", figure: str = "") -> list[Proof]:
    read, text = passage(sentence, before)
    return prove(read, find_figures(figure or text)[0], [SALES])


@pytest.mark.parametrize(
    ("sentence", "operation", "scenario"),
    [
        ("Pump sales were [[$426.4 million]] in 2023.", "lookup", "direct lookup"),
        ("Pump sales were [[$426 million]] in 2023.", "lookup", "direct lookup"),
        (
            "Valve sales were $213.6 million in 2023, compared with [[$219.9 million]] in 2022.",
            "lookup",
            "direct lookup",
        ),
        ("Interest expense decreased by [[$2.6 million]] in 2023.", "difference", "comparative"),
        (
            "Pump sales increased [[12%]] in 2023 compared with 2022.",
            "percent_change",
            "comparative",
        ),
        ("Valve sales represented [[33%]] of total net sales in 2023.", "share", "bivariate"),
        (
            "Gross margin percentage increased [[1.5 percentage points]] in 2023.",
            "point_difference",
            "comparative",
        ),
        (
            "Gross margin percentage increased [[150 basis points]] in 2023.",
            "basis_points",
            "comparative",
        ),
        ("Valve sales as a percentage of pump sales were [[50.1%]] in 2023.", "share", "bivariate"),
        ("R&D was [[12%]] of pump sales in 2023.", "share", "bivariate"),
        ("R&D was [[$44.7 million]] in 2022.", "lookup", "direct lookup"),
        ("Total R&D and interest expense for 2023 was [[$64.1 million]].", "sum", "bivariate"),
        # of two figures and one year, the year is the later one's
        (
            "In 2023, interest expense fell to $12.9 million from [[$15.5 million]].",
            "lookup",
            "direct lookup",
        ),
        # a year in the cause of a change is not the change's
        (
            (
                "The increase in pump sales of [[$46.2 million]] was due "
                "to shops opened subsequent to January 1, 2022."
            ),
            "difference",
            "comparative",
        ),
        ("Pump sales of [[$426.4 million]] with growth of 12% in 2023.", "lookup", "direct lookup"),
        (
            (
                "Table of Contents In 2023 and 2022, "
                "pump sales were [[$426.4 million]] and $380.2 million, respectively."
            ),
            "lookup",
            "direct lookup",
        ),
    ],
)
def test_proves_figures_that_the_tables_give(sentence: str, operation: str, scenario: str) -> None:
    best = proofs(sentence)[0]
    assert (best.operation, best.scenario) == (operation, scenario)


QUARTERS = Sheet(
    index=0,
    pre_text="Quarterly results (in millions):",
    cells=(
        (
            "",
            *(
                f"Quarter Ended {end}, {year}"
                for year in (2022, 2023)
                for end in ("Mar 31", "Jun 30", "Sep 30", "Dec 31")
            ),
        ),
        ("Net income", "$10.1", "11.3", "12.4", "13.9", "$14.2", "15.5", "16.1", "18.3"),
    ),
)


@pytest.mark.parametrize(
    ("sentence", "operation"),
    [
        ("Net income was [[$64.1 million]] in 2023.", "sum"),
        ("Net income increased [[34%]] in 2023.", "percent_change_of_sums"),
        (
            "Net income increased by [[$16.4 million]] in 2023 compared with 2022.",
            "difference_of_sums",
        ),
    ],
)
def test_a_year_is_the_sum_of_its_four_quarters(sentence: str, operation: str) -> None:
    read, text = passage(sentence)
    best = prove(read, find_figures(text)[0], [QUARTERS])[0]
    assert (best.operation, best.scenario) == (operation, "multivariate")
    assert not prove(
        read,
        find_figures(text)[0],
        [replace(QUARTERS, cells=tuple(row[:-1] for row in QUARTERS.cells))],
    )


def test_reads_a_stated_year_instead_of_adding_quarters() -> None:
    year = Sheet(
        index=1, pre_text="(in millions)", cells=(("", "2023"), ("Net income", "$64.0"))
    )  # rounded by itself
    read, _ = passage("Net income was [[$64.0 million]] in 2023.")
    assert [
        found.operation for found in prove(read, find_figures("$64.0 million")[0], [QUARTERS, year])
    ] == ["lookup"]
    assert not prove(read, find_figures("$64.1 million")[0], [QUARTERS, year])


def test_looks_up_a_change_that_its_row_states() -> None:
    cells = (
        ("", "2023", "2022", "% Change, ’23 vs. ’22"),
        ("Pump sales", "$426.4", "$380.2", "12.2%"),
    )
    sheet = Sheet(index=0, pre_text="(in millions)", cells=cells)
    hidden = Passage("", "Pump sales increased [MASK] in 2023.", "")
    best = prove(hidden, find_figures("12%")[0], [sheet])[0]
    assert (best.operation, best.scenario, best.operands[0].column) == (
        "lookup",
        "direct lookup",
        3,
    )


def test_a_figure_of_one_digit_is_likelier_by_chance() -> None:
    one, three = (find_figures(text)[0] for text in ("$5 million", "$5.17 million"))
    assert search.chance(one) > 10 * search.chance(three)


def test_finds_a_column_by_what_it_excludes() -> None:
    cells = (("", "Total Change", "Total Change Excl. Exchange"), ("Pumps", "6.3%", "13.0%"))
    hidden = Passage("", "Excluding the effect of foreign exchange, pumps grew [MASK].", "")
    sheet = Sheet(index=0, pre_text="Changes in sales", cells=cells)
    assert prove(hidden, find_figures("13.0%")[0], [sheet])
    assert not prove(hidden, find_figures("6.3%")[0], [sheet])


def test_lists_are_read_in_order() -> None:
    sentence = (
        "Interest expense was {} and {} for the years ended December 31, "
        "2023 and 2022, respectively."
    )
    assert proofs(sentence.format("[[$12.9 million]]", "$15.5 million"))[0].operands[0].column == 1
    assert proofs(sentence.format("$12.9 million", "[[$15.5 million]]"))[0].operands[0].column == 2


@pytest.mark.parametrize(
    "wrong",
    [
        "$426.5 million",
        "$426.3 million",
        "$427 million",
        "$380.2 million",
        "$426.4 thousand",
        "426.4%",
    ],
)
def test_another_figure_is_not_proved(wrong: str) -> None:
    assert proofs("Pump sales were [[$426.4 million]] in 2023.", figure=wrong) == []


@pytest.mark.parametrize(
    "sentence",
    [
        "Pump sales decreased [[12%]] in 2023 compared with 2022.",  # they increased
        "Legal settlements were [[$12.9 million]] in 2023.",  # the value stands under another name
        "The [[12%]] increase in pump sales per unit in 2023 was due to prices.",  # of all units
        # each in the other's place
        "Pump sales were [[$213.6 million]] and valve sales were $426.4 million in 2023.",
        (
            "Pump sales were [[$213.6 million]] in 2023, "
            "while valve sales were $426.4 million in 2022."
        ),  # nearly
    ],
)
def test_matching_value_alone_is_no_proof(sentence: str) -> None:
    assert proofs(sentence) == []


def test_what_would_be_is_rather_in_no_table() -> None:
    is_, would_be = (
        search.rank(
            read_passage(Passage("", f"Pump sales {words} [MASK] in 2023.", "")),
            search.tables_of((SALES,)),
            "money",
        ).none
        for words in ("were", "would be")
    )
    assert would_be > is_ + 0.2


def test_tables_in_dollars_prove_no_other_currency() -> None:
    sentence = "Interest expense was [[$12.9 million]] in 2023."
    assert proofs(sentence)
    for amount in (
        "€12.9 million",
        "SEK 12.9 million",
        "C$12.9 million",
        "12.9 million Swedish kronor",
    ):
        figure = find_figures(amount)[0]
        read, _ = passage(sentence)
        assert prove(read, figure, [SALES]) == []
        assert prove(read, figure, [replace(SALES, pre_text=f"(in millions of {amount})")])


def test_reads_an_amount_per_share_if_the_words_ask_for_it() -> None:
    sheet = Sheet(
        index=0,
        pre_text="Results (in millions, except per share data):",
        cells=(
            ("", "2023", "2022"),
            ("Net income", "$817.9", "$1,112.0"),
            ("Net income per diluted share", "$6.86", "$8.96"),
        ),
    )
    for sentence, answer in (
        ("Net income was [MASK] in 2023.", "$817.9 million"),
        ("Net income was [MASK] per diluted share in 2023.", "$6.86"),
    ):
        guess = restore(Passage("", sentence, ""), [sheet], NEITHER)
        assert guess is not None
        assert guess.answer == answer


@pytest.mark.parametrize(
    ("sentence", "answer"),
    [
        ("Pump unit sales were [MASK] in 2023.", "54,132 thousand"),
        ("Valve sales were [MASK] per valve in 2023.", "$7,000 thousand"),  # a total, but no count
    ],
)
def test_money_for_one_thing_is_no_count(sentence: str, answer: str) -> None:
    sheet = Sheet(
        index=0,
        pre_text="Sales (dollars and units in thousands, except sales per pump):",
        cells=(
            ("", "2023", "2022"),
            ("Pump unit sales", "54,132", "54,828"),
            ("Pump sales", "$8,091", "$9,153"),
            ("Pump sales per pump sold", "$149", "$167"),
            ("Valve unit sales", "54", "55"),
            ("Valve sales", "$7,000", "$8,000"),
        ),
    )
    guess = restore(Passage("", sentence, ""), [sheet], NEITHER)
    assert guess is not None
    assert guess.answer == answer


def test_answers_a_count_with_its_unit() -> None:
    sheet = Sheet(
        index=0, pre_text="", cells=(("", "2023"), ("Equivalent production (MMBOE)", "55.5"))
    )
    guess = restore(Passage("", "Equivalent production was [MASK] in 2023.", ""), [sheet], NEITHER)
    assert guess is not None
    assert guess.answer == "55.5 MMBOE"


def test_tables_with_the_years_down_are_read_alike() -> None:
    cells = (("", "Pump sales", "Valve sales"), ("2023", "$426", "$214"), ("2022", "$380", "$220"))
    sheet = Sheet(index=0, pre_text="(in millions)", cells=cells)
    passage = Passage("", "Pump sales were [MASK] in 2022.", "")
    found = prove(passage, find_figures("$380 million")[0], [sheet])
    assert [proof.operation for proof in found] == ["lookup"]


@pytest.mark.parametrize(
    ("sentence", "texts", "value"),
    [
        ("Pump sales increased [[12%]] in 2023.", ["$426.4", "$380.2"], "12.1515"),
        (
            "Valve sales represented [[33%]] of total net sales in 2023.",
            ["213.6", "$640.0"],
            "33.3750",
        ),
        (
            "Interest expense decreased by [[$2.6 million]] in 2023.",
            ["12.9", "15.5"],
            "-2600000.0000",
        ),
    ],
)
def test_proof_names_its_cells_and_their_value(sentence: str, texts: list[str], value: str) -> None:
    best = proofs(sentence)[0]
    assert [cell.text for cell in best.operands] == texts
    assert best.value.quantize(Decimal("0.0001")) == Decimal(value)


def test_a_neighbours_figures_tell_the_table() -> None:
    first, second = (
        Sheet(
            index=place,
            pre_text="(in millions)",
            cells=(("", "2023"), ("Sales", sales), ("Operating income", income)),
        )
        for place, sales, income in ((0, "$426.4", "51.7"), (1, "$213.6", "40.9"))
    )
    for sales, income in (("$426.4 million", "51.7"), ("$213.6 million", "40.9")):
        before = f"Sales were {sales} in 2023."
        hidden = Passage(before, "Operating income was [MASK] in 2023.", "")
        guess = restore(hidden, [first, second], NEITHER)
        assert guess is not None
        assert guess.operands[0].text == income


def test_what_the_passage_states_elsewhere_is_no_answer() -> None:
    sentence = "Pump sales were [[$426.4 million]] in 2023."
    assert proofs(sentence)
    assert not proofs(sentence, "Orders were $426.4 million.")


def test_a_figure_exchanged_with_a_neighbours_is_not_proved() -> None:
    sentence, before = "Valve sales were [[{}]] in 2023.", "Pump sales were {} in 2023."
    assert proofs(sentence.format("$213.6 million"), before.format("$426.4 million"))
    assert not proofs(sentence.format("$426.4 million"), before.format("$213.6 million"))


def test_named_period_leaves_no_rival() -> None:
    assert proofs("Pump sales were [[$426.4 million]] in 2023.")[0].is_unique


def test_guess_without_the_figure_agrees_with_the_proof() -> None:
    read, _ = passage("Pump sales increased [[12%]] in 2023 compared with 2022.")
    guess = restore(read, [SALES], PERCENTAGE)
    assert guess is not None
    assert guess.operation == "percent_change"
    assert guess.answer == "12.15%"
    assert guess.references == (
        "Table 0, Pump sales, 2023: $426.4",
        "Table 0, Pump sales, 2022: $380.2",
    )


def test_the_readers_answer_states_the_scale_of_the_table() -> None:
    read, _ = passage("Pump sales were [[$426.4 million]] in 2023.")
    guess = restore(read, [SALES], NEITHER)
    assert guess is not None
    assert guess.answer == "$426.4 million"


def test_guesses_nothing_if_no_cell_is_named() -> None:
    read, _ = passage("Headquarters moved [[$5 million]] away.")
    assert restore(read, [SALES], NEITHER) is None


def test_searches_a_sentence_of_many_figures_only_a_few_times(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read = []
    monkeypatch.setattr(
        search,
        "read_passage",
        lambda passage, **said: read.append(passage) or read_passage(passage, **said),
    )
    listed = ", ".join(f"${place}.7 million" for place in range(1, 16))
    assert proofs(f"Pump sales were [[$426.4 million]] in 2023; contracts were for {listed}.")
    assert len(read) < 10


def test_a_sentence_without_a_mask_is_refused() -> None:
    with pytest.raises(ValueError, match="no \\[MASK\\]"):
        prove(Passage("", "Sales rose.", ""), find_figures("$5")[0], [SALES])


def test_rounds_by_half_a_unit_of_the_figures_precision() -> None:
    assert proofs("Pump sales were [[$0.4 billion]] in 2023.")
    assert not proofs("Pump sales were [[$0.43 billion]] in 2022.", figure="$0.43 billion")
    assert proofs("Pump sales were [[$426.40 million]] in 2023.")[0].value == Decimal("426400000.0")


def test_names_words_in_an_order_that_no_hash_seed_changes() -> None:
    sheet = Sheet(
        index=0,
        pre_text="(in millions)",
        cells=(
            ("", "2023"),
            ("Prepaid royalties, deferred rent, unearned premiums and insured deposits", "42.7"),
        ),
    )
    read, text = passage(
        "Prepaid royalties, deferred rent, "
        "unearned premiums and insured deposits were [[$42.7 million]] in 2023."
    )
    (proof,) = prove(read, find_figures(text)[0], [sheet])
    assert len(proof.named_by) >= 7
    assert list(proof.named_by) == sorted(proof.named_by)
