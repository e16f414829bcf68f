"""A context of an invented company, and engines for tests of the questions."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tasks.core.rows import Context
from tests.scripted import Scripted, by_operation

DOCUMENT = """Wexcombe Mills, Inc. spins and dyes wool for carpet makers.

Employees

As of December 31, 2017, Wexcombe Mills had 310 full-time employees. None of the employees of \
Wexcombe Mills is represented by a union. Wexcombe Mills believes that relations with its \
employees are good.

Competition

Wexcombe Mills competes with four larger spinning mills, among them Orrin Yarns and Dunmere Fibre. \
Price and delivery times decide most orders for carpet wool. Imports of carpet wool increased \
their share of the market in the last decade.

Results of Operations

Net sales increased 5.1% to $4,100 thousand in 2017 from $3,900 thousand in 2016, primarily due to \
higher prices of dyed wool. Customers in Canada accounted for 23% of net sales in 2017. In March \
2017, Wexcombe Mills acquired the dye works of Tarn Colour for $640 thousand.

The following table shows the results, in thousands:

| 2017 | 2016 | 2015
Net sales | $ 4,100 | $ 3,900 | $ 3,750
Cost of sales | 3,010 | 2,840 | 2,790
Gross profit | 1,090 | 1,060 | 960
Interest expense | 41 | 46 | 52

The dye works are located in Tarnford, Ontario."""


@pytest.fixture
def canned() -> Callable[[Callable[[str, dict[str, str]], str]], Scripted]:
    return lambda reply: Scripted(by_operation(reply), model="canned")


@pytest.fixture
def make_context() -> Callable[..., Context]:
    def make(text: str = DOCUMENT, name: str = "wexcombe") -> Context:
        return Context(
            context_id=f"ctx-{name}",
            document_ids=(f"doc-{name}",),
            kind="truncated",
            text=text,
            n_tokens=0,
            encoding="cl100k_base",
            start_char=0,
        )

    return make


@pytest.fixture
def document() -> str:
    return DOCUMENT
