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
        case = self._case(
            name, task, number, variant, json.dumps(sorted(needles)), bool(needles),
            {"length": str(length), "needles": str(len(needles))},
            {"group": f"background {length} {number}"},
        )  # fmt: skip
        articles = dict.fromkeys(needles, ("needle", None)) | dict(negatives or {})
        self._add(
            Record(
                case_id=case.case_id,
                query_id=self._query(task, number),
                background_id=f"background {length} {number}",
                length=length,
                number=number,
                n_articles=N_ARTICLES,
                articles=(),
                n_tokens=length,
                budget=length,
                n_needles=len(needles),
                n_negatives=len(negatives or {}),
                negative_tokens=0,
                is_short_of_negatives=False,
            ),
            *(
                PlacedArticle(
                    case_id=case.case_id,
                    article_id=f"article {each}",
                    number=each,
                    depth=each / N_ARTICLES,
                    kind=kind,  # type: ignore[arg-type]
                    reason=reason,
                    shown_date=None,
                )
                for each, (kind, reason) in articles.items()
            ),
        )
        return case

    def add_single(self, name: str, fits: bool, task: str = "company", number: int = 0) -> Case:
        """Add a case with one article."""
        target = "yes" if fits else "no"
        return self._case(f"{task} {name}", task, number, "single", target, True, {}, {})

    def reply(self, case: Case, text: str, model: str = "m", finish_reason: str = "stop") -> None:
        """Add a model's reply and both judgements of it."""
        request = replace(answer_request(case, model), operation=f"answer_{case.variant}")
        response = replace(
            OK_RESPONSE, request_id=request.request_id, text=text, finish_reason=finish_reason
        )
        self._judged(case, request, response)

    def fail(self, case: Case, model: str = "m") -> None:
        """Add a call that failed, and both judgements of it."""
        request = replace(answer_request(case, model), operation=f"answer_{case.variant}")
        failed = replace(
            OK_RESPONSE, request_id=request.request_id, status="error", text=None,
            finish_reason=None, error_type="Timeout", error="no reply",
        )  # fmt: skip
        self._judged(case, request, failed)

    def _judged(self, case: Case, request: Any, response: Any) -> None:
        self._add(request, response)
        pair = QAPair(qa_pair_id=case.qa_pair_id, context_id="", query="", answer="", task="")
        for name, judge in JUDGES.items():
            given = Answered(case=case, pair=pair, request=request, response=response, judge=name)
            self._add(*judge.run([given], None, LongContextOptions()))

    def _query(self, task: str, number: int) -> str:
        return f"{task} query {number % self.n_queries}"

    def _case(
        self, name: str, task: str, number: int, variant: str, target: str, is_answerable: bool,
        traits: Mapping[str, str], details: Mapping[str, str],
    ) -> Case:  # fmt: skip
        if name not in {pair.qa_pair_id for pair in self.lake.of(QAPair)}:
            self._add(
                Context(
                    context_id=f"text of {name}", document_ids=(), kind="haystack", text=name,
                    n_tokens=1, encoding="cl100k_base", start_char=0, details=json.dumps(details),
                ),
                QAPair(
                    qa_pair_id=name, context_id=f"text of {name}", query="Which?", answer=target,
                    task=task, traits=traits,
                ),
            )  # fmt: skip
        case = Case(
            case_id=f"{name} {variant}",
            qa_pair_id=name,
            suite="longcontext",
            variant=variant,
            query="Which?",
            context_id=f"text of {name}",
            target=target,
            is_answerable=is_answerable,
            details=json.dumps({"head_chars": 0, "query_id": self._query(task, number)}),
        )
        self._add(case)
        return case

    def _add(self, *rows: Any) -> None:
        self.lake.add(*rows, suite="longcontext")
