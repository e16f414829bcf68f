"""Shapes of an Item's number: each is read, and prose about an Item is not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.tasks.filings.conftest import FORM, PROSE, items_of

ROMAN = "I II III IV V VI VII VIII IX X XI XII XIII XIV XV XVI".split()  # noqa: SIM905
SPELLED = (  # noqa: SIM905
    "One Two Three Four Five Six Seven Eight Nine Ten Eleven Twelve Thirteen Fourteen Fifteen "
    "Sixteen"
).split()


def apart(item: str) -> tuple[int, str]:
    letter = item.lstrip("0123456789")
    return int(item.removesuffix(letter)), letter


def numbered(form: str, joint: str = "") -> Callable[[str, str], str]:
    """Return a heading's shape; `form` has {n} or {roman} or {spelled}, {letter} and {title}."""

    def heading(item: str, title: str) -> str:
        n, letter = apart(item)
        return form.format(
            n=n,
            spaced=" ".join(str(n)),
            roman=ROMAN[n - 1],
            spelled=SPELLED[n - 1],
            letter=joint + letter if letter else "",
            title=title,
        )

    return heading


SHAPES = [
    numbered("Item Number {n}{letter}: {title}"),
    numbered("Item #{n}{letter} {title}"),
    numbered("ltem {n}{letter}. {title}"),
    numbered("Item {n:02}{letter}. {title}"),
    numbered("ITEM {roman}{letter}. {title}"),
    numbered("ITEM {spelled}{letter} - {title}", "-"),
    numbered("Item {n}{letter}. {title}", "."),
    numbered("Item {n}{letter}. {title}", " - "),
    numbered("Item {n}{letter} {title}", " – "),
    numbered("Item ({n}{letter}) {title}"),
    numbered("Item {spaced}{letter}. {title}"),
    numbered("Item {n}{letter}{title}"),
    numbered('"Item {n}{letter}. {title}"'),
    numbered("“Item {n}{letter}. {title}.”"),
]


@pytest.mark.parametrize("heading", SHAPES, ids=lambda heading: heading("1A", "Risks"))
def test_reads_every_item_in_any_shape_of_its_number(heading: Callable[[str, str], str]) -> None:
    body = [block for item, title in FORM.items() for block in (heading(item, title), PROSE)]
    found = items_of("FORM 10-K", *body, "SIGNATURES")
    assert list(found) == list(FORM)
    assert all(text.count(PROSE) == 1 for text in found.values())


@pytest.mark.parametrize(
    "prose",
    [
        "Item I believe to be the most telling is the price of clay.",
        "Item 1 A look at our kilns shows how much gas they burn.",
        'Item 8, "Financial Statements", tells more.',
        "Item 2 4-inch tiles are sold by the yard.",
        "Item No one has read since.",
        "Item (c) of the list above.",
        'Item 1, "Business--Governmental Standards". Included among the matters are claims.',
        "Items 10, 11, 12 and 13 are incorporated by reference to the proxy statement.",
        "Item 14(a)(1): Financial Statements",
    ],
)
def test_prose_that_begins_like_a_heading_is_none(prose: str) -> None:
    body = [block for item, title in FORM.items() for block in (f"Item {item}. {title}", PROSE)]
    place = body.index(PROSE) + 1
    found = items_of("FORM 10-K", *body[:place], prose, PROSE, *body[place:], "SIGNATURES")
    assert list(found) == list(FORM)
    assert found["1"].count(PROSE) == 2
