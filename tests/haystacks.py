"""A hand-made lake of the long-context suite: haystacks, replies about them, and their judgements.

The suite's own judges judge the replies, so a test says only what a model wrote.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tasks.core.rows import Case, Context, QAPair
from tasks.suites.judge import Answered
from tasks.suites.longcontext.judge import JUDGES
from tasks.suites.longcontext.options import LongContextOptions
from tasks.suites.longcontext.rows import PlacedArticle, Record
from tests.filled import filled
from tests.sql.conftest import OK_RESPONSE, HandmadeLake, answer_request

N_ARTICLES = 100


def ids(numbers: Iterable[int]) -> str:
    """Write a reply that lists articles."""
    return json.dumps({"article_ids": [str(number) for number in numbers]})


class Haystacks:
    """Adds cases and replies to a lake."""

    def __init__(self, lake: HandmadeLake, n_queries: int = 5) -> None:
        self.lake = lake
        self.n_queries = n_queries

    def add(
        self,
        task: str = "company",
        length: int = 4_000,
        number: int = 0,
        *,
        needles: Sequence[int] = (),
        negatives: Mapping[int, tuple[str, str]] | None = None,
        variant: str = "best_practices",
    ) -> Case:
        """Add one haystack of 100 articles.

        Args:
            needles: the numbers of articles that fit.
            negatives: number of an article -> kind and reason of a hard negative.
        """
        name = f"{task} {length} {number} {'needles' if needles else 'twin'}"
        background = f"background {length} {number}"
        case = self._case(
            name,
            self._query(task, number),
            variant,
            json.dumps(sorted(needles)),
            bool(needles),
            {"group": background},
            task=task,
            traits={"length": str(length), "needles": str(len(needles))},
        )
        articles = dict.fromkeys(needles, ("needle", None)) | dict(negatives or {})
        of_case = {"case_id": case.case_id}
        record = filled(
            Record,
            **of_case,
            query_id=self._query(task, number),
            background_id=background,
            length=length,
            number=number,
            n_articles=N_ARTICLES,
            n_needles=len(needles),
            n_negatives=len(negatives or {}),
            negative_tokens=len(negatives or {}),
        )
        self._add(record)
        for each, (kind, reason) in articles.items():
            placed = filled(PlacedArticle, **of_case, article_id=f"article {each}", number=each)
            self._add(replace(placed, depth=each / N_ARTICLES, kind=kind, reason=reason))
        return case

    def add_single(self, name: str, fits: bool, task: str = "company", number: int = 0) -> Case:
        """Add a case with one article."""
        target = "yes" if fits else "no"
        query = self._query(task, number)
        return self._case(f"{task} {name}", query, "single", target, True, {}, task=task)

    def reply(self, case: Case, text: str, model: str = "m", finish_reason: str = "stop") -> None:
        """Add a model's reply and both judgements of it."""
        self._judged(case, model, text=text, finish_reason=finish_reason)

    def fail(self, case: Case, model: str = "m") -> None:
        """Add a call that failed, and both judgements of it."""
        nothing = dict.fromkeys(("text", "finish_reason"))
        self._judged(case, model, status="error", error_type="Timeout", error="no reply", **nothing)

    def _judged(self, case: Case, model: str, **response_: Any) -> None:
        request = replace(answer_request(case, model), operation=f"answer_{case.variant}")
        response = replace(OK_RESPONSE, request_id=request.request_id, **response_)
        self._add(request, response)
        pair = filled(QAPair, qa_pair_id=case.qa_pair_id)
        for name, judge in JUDGES.items():
            given = Answered(case=case, pair=pair, request=request, response=response, judge=name)
            self._add(*judge.run([given], None, LongContextOptions()))

    def _query(self, task: str, number: int) -> str:
        return f"{task} query {number % self.n_queries}"

    def _case(
        self,
        name: str,
        query_id: str,
        variant: str,
        target: str,
        is_answerable: bool,
        details: Mapping[str, str],
        **of_pair: Any,
    ) -> Case:
        shown = {"context_id": f"text of {name}"}
        asked = {"qa_pair_id": name, "query": "Which?"}
        if not self.lake.of(QAPair, qa_pair_id=name):
            text = {"kind": "haystack", "text": name, "details": json.dumps(details)}
            text["n_tokens"] = N_ARTICLES
            pair = filled(QAPair, **asked, **shown, answer=target, **of_pair)
            self._add(filled(Context, **shown, **text), pair)
        case = filled(
            Case,
            **asked,
            **shown,
            case_id=f"{name} {variant}",
            suite="longcontext",
            variant=variant,
            target=target,
            is_answerable=is_answerable,
            details=json.dumps({"head_chars": 0, "query_id": query_id}),
        )
        self._add(case)
        return case

    def _add(self, *rows: Any) -> None:
        self.lake.add(*rows, suite="longcontext")
