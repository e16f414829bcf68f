"""Facts are what a report's tables state for a measure and a year, and nothing that they doubt."""

from __future__ import annotations

import tomllib
from importlib.resources import files

import pytest

from tasks.baseline.facts import facts_of


def stated(text: str) -> set[tuple[str, str, str]]:
    return {(fact.label, fact.time, fact.value) for fact in facts_of(text)}


def table(*rows: str, lead: str = "In thousands of dollars:", head: str = "2017 | 2016") -> str:
    lines = "\n".join(rows)
    return f"{lead}\n\n| {head}\n{lines}"


@pytest.mark.parametrize(
    ("rows", "options"),
    [
        (["Widgets | 1,200 | 1,100", "Bolts | 900 | 800"], {}),
        (["Net loss | (1,200) | (1,100)", "Gross profit | (40) | (30)"], {}),
        (["Net sales | 1,200 | 1,100", "Net sales | 900 | 800"], {}),
        (["Net sales | 1,200 | 1,100", "Costs | 90 | 80"], {"lead": "By segment, in $ thousand:"}),
        (["Deferred tax asset:", "Depreciation | 120 | 110", "Inventories | 90 | 80"], {}),
        (["Inventories | 40 | 30", "Net cash used in operating activities | (7) | (9)"], {}),
        (["Net sales | 1,200 | 1,100", "Gross profit | 90 | 80"], {"lead": "Dollars fell."}),
    ],
    ids=["no measure", "negative", "twice", "segments", "deferred taxes", "changes", "no scale"],
)  # fmt: skip
def test_what_is_doubtful_is_no_fact(rows: list[str], options: dict[str, str]) -> None:
    assert not stated(table(*rows, **options))


def test_two_tables_that_disagree_state_nothing_and_a_rounded_one_agrees() -> None:
    first = table("Net sales | 1,234 | 1,100", "Gross profit | 90 | 80")
    other = table("Net sales | 1,300 | 1,100", "Cost of sales | 70 | 60")
    values = {(label, time) for label, time, _ in stated(f"{first}\n\nMore.\n\n{other}")}
    assert ("net sales", "in 2016") in values
    assert ("net sales", "in 2017") not in values
    rounded = table(
        "Net sales | 1.2 | 1.1", "Cost of sales | 0.7 | 0.6", lead="In millions of dollars:"
    )
    assert ("net sales", "in 2017", "$1,234 thousand") in stated(f"{first}\n\nMore.\n\n{rounded}")


def test_a_table_without_totals_or_with_two_net_incomes_may_be_of_parts() -> None:
    profits = ("Automotive", "Net income | 7 | 6", "Lending", "Net income | 2 | 1")
    total = "Total assets | 70 | 60"
    for more, is_of_company in ((), False), ((total,), True), ((total, *profits), False):
        facts = facts_of(table("Inventories | 40 | 30", "Accounts receivable | 9 | 8", *more))
        assert {fact.is_of_company for fact in facts} == {is_of_company}


def test_the_list_has_at_most_100_measures_and_each_form_once() -> None:
    text = files("tasks.baseline").joinpath("measures.toml").read_text(encoding="utf-8")
    listed = [(name, forms) for of in tomllib.loads(text).values() for name, forms in of.items()]
    assert 80 <= len(listed) <= 100
    forms = [form for name, (_, *others) in listed for form in (name, *others)]
    assert len(forms) == len(set(forms))
    assert not set(forms) & {form for form in forms if form != form.lower()}
    plain = [plain for _, (plain, *_) in listed]
    assert len(set(plain)) == len(plain)
    assert not [each for each in plain if each.startswith(("every", "what"))]  # after `Apple's`
