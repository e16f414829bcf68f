"""The match of figures: by example, and by its laws."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Decimal

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tasks.quantities.figures import find_figures
from tasks.suites.shared import figure_match
from tasks.suites.shared.figure_match import (
    A_BOUND,
    A_DATE,
    A_RANGE,
    ANOTHER_CURRENCY,
    ANOTHER_NUMBER,
    ANOTHER_UNIT,
    EMPTY,
    NO_FIGURE,
    OPPOSITE_SIGN,
    SAME_FIGURE,
    SAME_TEXT,
    SEVERAL_FIGURES,
    TOO_LONG,
    TRUTH_NOT_READ,
    UNIT_APART,
    read_figure,
)
from tasks.suites.shared.figure_match import match_figures as match

REASONS = {
    value
    for name, value in vars(figure_match).items()
    if name.isupper() and not name.startswith("_") and isinstance(value, str)
}


@pytest.mark.parametrize(
    ("truth", "answer", "reason"),
    [
        ("$60.9 billion", "$60,922 million", SAME_FIGURE),
        ("$60.9 billion", "60.9", ANOTHER_NUMBER),
        ("$1.2 billion", "$1.251 billion", ANOTHER_NUMBER),
        ("62 percent", "0.62194332", SAME_FIGURE),
        # rounded to two digits, or right at two digits of the truth
        ("$549,995 thousand", "$1 billion", ANOTHER_NUMBER),
        ("$549,995 thousand", "$0.55 billion", SAME_FIGURE),
        ("0.96", "1.0", SAME_FIGURE),
        ("6 employees", "10 employees", ANOTHER_NUMBER),
        # equal figures are one, and citations are none
        ("$209 thousand", "$209 thousand ($0.209 million)", SAME_FIGURE),
        ("$209 thousand", "$209 thousand ($0.3 million)", SEVERAL_FIGURES),
        ("5", "5 or 6", A_RANGE),
        ("12%", "12% [Table 1]", SAME_FIGURE),
        ("$12,345,678", "$12,345,678 [10-K, p. 45]", SAME_FIGURE),
        ("12%", "12% ¹", SAME_FIGURE),
        ("1,200", "1,200 m²", SEVERAL_FIGURES),
        ("12", "12 [million]", UNIT_APART),
        ("12%", "costs = 5, margin = 12%", SEVERAL_FIGURES),
        ("0.12%", "12 basis points", SAME_FIGURE),
        ("0.25%", '25% ("bps")', UNIT_APART),
        ("2.7x", "270%", ANOTHER_UNIT),
        ("152.0 MBOE per day", "152.0 MBOE per year", ANOTHER_UNIT),
        ("1.5 million square feet", "1.5 million", SAME_FIGURE),
        ("$5 million", "5 million increase", SAME_FIGURE),
        ("$5 million", "$5 million (CAD)", ANOTHER_CURRENCY),
        ("J$5 million", "$5 million", TRUTH_NOT_READ),
        ("S$5 million", "SGD 5 million", SAME_FIGURE),
        ("€5 million", "EUR: 5 million", SAME_FIGURE),
        ("$5.20", "EPS 5.20", SAME_FIGURE),
        ("$5", "$5 dozen", ANOTHER_UNIT),
        ("$12.3 million", "$12.3 million revenue", SAME_FIGURE),
        ("150%", "1.5x", ANOTHER_UNIT),
        ("(5) million", "a net loss of $5 million", SAME_FIGURE),
        ("-$5 million", "$5 million loss", SAME_FIGURE),
        ("-$5 million", "a decrease of $5 million", SAME_FIGURE),
        ("-$5 million", "minus $5 million", SAME_FIGURE),
        ("$5 million", "５ million", SAME_FIGURE),
        ("$5 million", "\u202e\u200f$5\u00a0million\u202c", SAME_FIGURE),
        ("$5 million", "  $5  MILLION ", SAME_TEXT),
        ("$5 million", "$4-6 million", A_RANGE),
        ("$5 million", "$5 million, $6 million, $7 million", SEVERAL_FIGURES),
        ("$5 million", "$5 million in 2023 and 2022", SEVERAL_FIGURES),
        ("2023", "in 2023", SAME_FIGURE),
        ("5", "2½", ANOTHER_NUMBER),
        ("5.5%", "5 1/2%", SAME_FIGURE),
        ("6 1/4%", "6-1/4%", SAME_FIGURE),
        ("$12 billion", "$12 Bil.", SAME_FIGURE),
        ("4.7%", "4.7 points", ANOTHER_UNIT),
        ("5", "5²", SEVERAL_FIGURES),
        ("$5 million", "over $5 million", A_BOUND),
        ("31", "December 31", A_DATE),
        ("$5 million", "5 (%)", UNIT_APART),
        ("$5 million", "5 million thousand", UNIT_APART),
        ("$5 million", "", EMPTY),
        ("€5", "$5", ANOTHER_CURRENCY),
        ("$5 million", "NaN", NO_FIGURE),
        ("$5 million", "5 million " * 30, TOO_LONG),
        ("5", "1e999999", SEVERAL_FIGURES),
        ("10", "10Q", NO_FIGURE),
        ("30 days", "30days", SAME_FIGURE),
        ("N/A", "5", TRUTH_NOT_READ),
    ],
)
def test_an_answer_is_right_or_wrong_for_a_reason(truth: str, answer: str, reason: str) -> None:
    found = match(answer, truth)
    assert (found.correct, found.reason) == (reason in (SAME_FIGURE, SAME_TEXT), reason)


@pytest.mark.parametrize(
    ("truth", "answer", "reason"),
    [
        ("11.7%", "12%", ANOTHER_NUMBER),
        ("12%", "11.7%", SAME_FIGURE),
        ("4.219%", "4.2%", ANOTHER_NUMBER),
        ("4.219%", "4.22%", SAME_FIGURE),
        ("$1,234,567", "$1.23 million", SAME_FIGURE),
    ],
)
def test_a_calculation_takes_three_digits(truth: str, answer: str, reason: str) -> None:
    assert match(answer, truth, is_calculated=True).reason == reason


@pytest.mark.parametrize(
    ("question", "truth", "answer", "reason"),
    [
        ("By what percentage did sales decrease?", "4.2%", "-4.2%", SAME_FIGURE),
        ("By what percentage did sales decrease?", "-4.2%", "4.2%", SAME_FIGURE),
        ("What was the decrease in A?", "$5", "-$5", SAME_FIGURE),
        ("By what percentage did sales decrease?", "4.2%", "a decrease of 4.2%", SAME_FIGURE),
        ("By what percentage did sales decrease?", "4.2%", "an increase of 4.2%", OPPOSITE_SIGN),
        ("By what percentage did sales increase?", "4.2%", "-4.2%", OPPOSITE_SIGN),
        ("By what percentage did sales change?", "-4.2%", "4.2%", OPPOSITE_SIGN),
        ("How did sales increase or decrease?", "4.2%", "-4.2%", OPPOSITE_SIGN),
        # a change that is not what is asked
        ("What was the decrease-adjusted margin?", "4.2%", "-4.2%", OPPOSITE_SIGN),
        ("What was the margin after sales declined?", "4.2%", "-4.2%", OPPOSITE_SIGN),
        ("By what percentage did it change after prices fell?", "4.2%", "-4.2%", OPPOSITE_SIGN),
    ],
)
def test_the_questions_direction_is_known(
    question: str, truth: str, answer: str, reason: str
) -> None:
    assert match(answer, truth, question=question, is_calculated=True).reason == reason


def test_a_negative_cell_is_no_positive_one() -> None:
    question = "What was the decrease in inventory?"
    assert match("5", "-5", question=question).reason == OPPOSITE_SIGN


def test_a_figure_is_negative_as_it_is_written() -> None:
    texts = ("-3.5%", "(3.5)%", "$(5) million", "3.5 percent")
    assert [read_figure(text).value < 0 for text in texts] == [True, True, True, False]
    assert read_figure("none") is None


# --- laws -----------------------------------------------------------------------------

numbers = st.integers(1, 10**9)
decimals = st.decimals(min_value="0.001", max_value="999999", places=3)
figure_texts = st.builds(
    lambda lead, number, tail: f"{lead}{number}{tail}",
    st.sampled_from(["", "$", "€", "-", "-$", "(", "about ", "US$"]),
    st.one_of(decimals.map(str), numbers.map("{:,}".format), numbers.map(str)),
    st.sampled_from(["", "%", " million", "B", ")", " bps", " MMBOE", " per share", " days"]),
)


def spelled(thousands: int) -> list[str]:
    """One amount in several scales."""
    exact = Decimal(thousands)
    return [
        f"${thousands:,} thousand",
        f"${exact / 1000:f} million",
        f"{exact / 10**6:f}bn",
        f"USD {exact / 10**6:f} billion",
        f"${exact / 10**9:f}T",
        f"{thousands * 1000:,} dollars",
    ]


@settings(max_examples=60)
@given(numbers, st.data())
def test_an_amount_is_itself_in_every_scale(thousands: int, data: st.DataObject) -> None:
    a, b = (data.draw(st.sampled_from(spelled(thousands))) for _ in range(2))
    assert match(a, b).correct


@settings(max_examples=150)
@given(st.integers(10, 10**6), decimals, st.sampled_from(["", "$", "€"]))
def test_zeros_say_what_their_scale_says(n: int, other: Decimal, sign: str) -> None:
    for zeros, scale in (("000", "thousand"), ("000,000", "million")):
        named, unnamed = f"{sign}{n} {scale}", f"{sign}{n:,},{zeros}"
        for answer in (f"{other} {scale}", f"{other * 1000:f}", named):
            assert match(answer, unnamed).correct is match(answer, named).correct


@settings(max_examples=150)
@given(decimals, st.integers(1, 6), st.booleans(), st.sampled_from(["", "%", " million", " bps"]))
def test_a_figure_equals_itself_rounded_to_two_digits_or_three(
    value: Decimal, n_digits: int, is_calculated: bool, unit: str
) -> None:
    places = n_digits - 1 - value.adjusted()
    assume(places >= 0)
    rounded = value.quantize(Decimal(1).scaleb(-places), ROUND_HALF_EVEN)
    verdict = match(f"{rounded:f}{unit}", f"{value}{unit}", is_calculated=is_calculated)
    least = 3 if is_calculated else 2
    is_near = abs(rounded - value) * 2 <= Decimal(10) ** (value.adjusted() - least + 1)
    is_carried = rounded.adjusted() > value.adjusted()  # 9.96 is 10.0: a digit more
    assert verdict.correct is (n_digits + is_carried >= least or is_near)


@settings(max_examples=60)
@given(decimals, st.sampled_from(["%", " million", " bps", ""]))
def test_a_figure_is_never_its_opposite(value: Decimal, unit: str) -> None:
    negative = [
        f"-{value}{unit}",
        f"−{value}{unit}",
        f"({value}){unit}",
        f"({value}{unit})",
        f"– {value}{unit}",
    ]
    for text in negative:
        assert match(text, f"{value}{unit}").reason == OPPOSITE_SIGN
        assert match(text, negative[0]).correct


@settings(max_examples=60)
@given(decimals, st.integers(2, 30))
def test_another_number_is_wrong(value: Decimal, n_units: int) -> None:
    other = value + Decimal("0.001") * n_units
    assert match(f"{other} million", f"{value} million").reason == ANOTHER_NUMBER


@settings(max_examples=200)
@given(st.text(alphabet="0123456789.,$€%()-– million|\nBkMxOEdaysbp", max_size=60))
def test_every_figure_that_a_text_states_is_itself(text: str) -> None:
    for figure in find_figures(text):
        assert match(f"it was {figure.text}", figure.text).correct, figure


@settings(max_examples=150)
@given(
    st.one_of(
        st.text(max_size=250),
        st.text(alphabet="0123456789.,$%()-–½²٥eE+xmMbB [MASK]{}\"'", max_size=80),
    ),
    st.one_of(figure_texts, st.text(max_size=40)),
)
def test_no_text_breaks_it(answer: str, truth: str) -> None:
    assert match(answer, truth).reason in REASONS
