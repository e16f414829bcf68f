"""A small invented newsroom, and the build steps of records over it without a lake."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from typing import Any

from tasks.core.ids import stable_id, stable_rng
from tasks.suites.longcontext.records import haystacks, queries, single
from tasks.suites.longcontext.rows import Article, Mention, PlannedRecord
from tasks.suites.suite import StepInputs
from tests.step_inputs import step_inputs

FAMILIES = ("Halvorsen", "Brightwell", "Castellan", "Dunmore", "Evergild", "Farrowby")
FORMS = ("Corp", "LLC", "Holdings", "Capital", "Foods")
SENTIMENTS = {
    "positive": ("raises its outlook after a strong quarter", "wins a large order"),
    "negative": ("cuts its dividend", "warns of a much weaker second half than its plan had said"),
    "neutral": ("will hold its annual meeting", "names a new head of investor relations"),
}


def newsroom(
    n: int = 900, source: Any = "invented", companies: Sequence[str] | None = None
) -> list[Article]:
    """Invent articles of two years; each is about one company."""
    rng = stable_rng(3, "newsroom")
    companies = companies or [f"{family} {form}" for family in FAMILIES for form in FORMS]
    found = []
    for number in range(n):
        company = companies[int(rng.random() * len(companies))]
        sentiment = list(SENTIMENTS)[int(rng.random() * 3)]
        said = SENTIMENTS[sentiment][int(rng.random() * 2)]
        more = " and " + "more " * int(rng.random() * 9)
        title = f"{company} {said}{more}on day {number}"
        day = (date(2023, 1, 1) + timedelta(days=int(rng.random() * 730))).isoformat()
        found.append(
            Article(
                article_id=stable_id("article", title, day),
                source=source,
                title=title,
                published=day,
                is_date_drawn=False,
                mentions=(Mention(company=company, sentiment=sentiment),),
            )
        )
    return found


class Built:
    """Rows of the three steps, by type; `shards` are the blocks of the plan."""

    def __init__(
        self,
        articles: Iterable[Article],
        *,
        seed: int = 0,
        encoding: str = "cl100k_base",
        only_queries: bool = False,
        **options: Any,
    ) -> None:
        self.options = options
        self.seed, self.encoding = seed, encoding
        self.found: dict[type, list[Any]] = {Article: list(articles)}
        self.of_shards: list[list[Any]] = []
        self.keep(queries.build_queries(self.inputs()))
        for shard in () if only_queries else self.shards():
            self.of_shards.append(list(haystacks.build_haystacks(self.inputs(shard))))
            self.keep(self.of_shards[-1])
        self.keep(single.build_single(self.inputs()))

    def keep(self, rows: Iterable[Any]) -> None:
        for row in rows:
            self.found.setdefault(type(row), []).append(row)

    def of(self, row_type: type) -> list[Any]:
        return self.found.get(row_type, [])

    def shards(self) -> list[list[PlannedRecord]]:
        blocks: dict[str, list[PlannedRecord]] = {}
        for planned in self.of(PlannedRecord):
            blocks.setdefault(planned.block, []).append(planned)
        return list(blocks.values())

    def inputs(self, shard: Sequence[Any] = ()) -> StepInputs:
        rows = [row for rows in self.found.values() for row in rows]
        known = {"seed": self.seed, "encoding": self.encoding, "single": True, **self.options}
        return step_inputs("longcontext", *rows, shard=shard, parts=self.of_shards, **known)
