"""A finished lake that nobody ran, in seconds: filings, pairs, and any models' rated answers.

It has what readers of a lake need (tables, commits, metrics by the project's own SQL), with any
number of rows. It needs no model, no network and no Prefect. Its words follow the frequencies of
English, so that it compresses as prose does.
"""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from tasks.core.rows import (
    Case,
    Citation,
    Context,
    Document,
    Filing,
    Item,
    Judgement,
    Paragraph,
    Prefix,
    QAPair,
    Reject,
    Request,
    Response,
    Sampling,
)
from tasks.core.tables import table_of
from tasks.filings.samples import sample_folder
from tasks.lake.lake import Commit, Lake, LakeStep
from tasks.scoring.results import results_of
from tasks.suites.registry import load_suite
from tasks.warehouse.connection import open_warehouse
from tasks.warehouse.raw_tables import row_types
from tests.filled import filled
from tests.scored import as_tables

ANSWERABLE = ("baseline", "misspelled", "incomplete", "out_of_domain", "ocr")
UNANSWERABLE = ("missing_context", "irrelevant_context")
RELEASE = "invented-dev"
SUITE = "failsafeqa"


@dataclass(frozen=True, kw_only=True)
class Invented:
    """What a lake is to hold.

    skill     model -> the chance that its answer is compliant, before the variant takes its share
    contrary_judge    a second judge, if any, that rates 6 what the first rates 1
    answers   texts that stand in place of the first answers, in the order of cases and models
    paid      whether calls have latency and cost
    """

    n_filings: int = 3
    pairs_per_filing: int = 2
    skill: Mapping[str, float] = field(
        default_factory=lambda: {"extractive": 0.6, "alpha-70b": 0.9, "beta-8b": 0.75}
    )
    judge: str = "judge-72b"
    contrary_judge: str | None = None
    answers: Sequence[str] = ()
    is_paid: bool = True
    asked_by: str = "answer_neutral"  # the operation that asks the models


def invent(root: Path, what: Invented | None = None) -> Lake:
    """Write the lake."""
    invented = what or Invented()
    lake = Lake(root)
    lake.make()
    writing = _Writing(lake, invented)
    writing.filings()
    writing.pairs()
    writing.answers()
    score(lake, {"beta": 0.5})
    return lake


def score(lake: Lake, parameters: Mapping[str, float]) -> None:
    """Compute and commit the release's metrics, as the step `score` does."""
    opened = open_warehouse(lake.files(RELEASE), parameters=parameters)
    with opened as warehouse, as_tables(warehouse):
        made = {"options": parameters, "version": 0, "tenkbench": "invented"}
        results = results_of(warehouse, load_suite(SUITE), RELEASE, **made)  # type: ignore[arg-type]
    step = LakeStep(RELEASE, f"{SUITE}.score")
    judged = [commit for commit in lake.commits(RELEASE) if ".judge." in commit.step.name]
    identity = {
        "parameters": dict(parameters),
        "inputs": {commit.step.name: commit.content for commit in judged},
        "sql": "0" * 12,
    }
    tables = results.result_sets, results.metrics, results.comparisons, results.agreements
    parts = [
        lake.write(step, identity, type(rows[0]), rows, suite=SUITE) for rows in tables if rows
    ]
    lake.commit(step, identity, parts)


class _Writing:
    def __init__(self, lake: Lake, invented: Invented) -> None:
        self.lake = lake
        self.invented = invented
        self.random = Random(5)
        self.documents: list[Document] = []
        self.qa_pairs: list[QAPair] = []
        self.cases: list[Case] = []

    def commit(
        self,
        name: str,
        tables: Mapping[str, Sequence[Any]],
        inputs: Mapping[str, str] | None = None,
        **parameters: Any,
    ) -> Commit:
        """Write and commit one step."""
        step, packages = LakeStep(RELEASE, name), {"tiktoken": "0.14.0"}
        identity = {"parameters": parameters, "inputs": inputs or {}, "packages": packages}
        keys = {"operation": self.invented.asked_by, "candidate": "none"}
        keys["suite"] = "all" if name == "ingest" else SUITE
        if name.startswith("failsafeqa.infer."):
            keys["model"] = parameters["model"]["name"]
        parts = []
        for shard, (table, rows) in enumerate(tables.items()):
            of_part: dict[tuple[str, ...], list[Any]] = {}
            row_type = row_types()[table]
            names = table_of(row_type).keys[1:]
            for row in rows:
                values = tuple(getattr(row, name, None) or keys[name] for name in names)
                of_part.setdefault(values, []).append(row)
            for values, some in of_part.items():
                found = dict(zip(names, values, strict=True))
                parts.append(self.lake.write(step, identity, row_type, some, shard=shard, **found))
        return self.lake.commit(step, identity, parts)

    def words(self, n: int) -> str:
        vocabulary, weights = _english()
        return " ".join(self.random.choices(vocabulary, cum_weights=weights, k=n))

    def sentence(self, n: int) -> str:
        return f"{self.words(n).capitalize()} ${self.random.randrange(10, 9999) / 10:,.1f} million."

    def filings(self) -> None:
        """Each filing is 1 of 3 companies' report of one year; a paragraph has some 60 words."""
        filings = []
        for number in range(self.invented.n_filings):
            year = 1996 + number % 30
            company = f"{self.words(1).capitalize()} & {self.words(1).capitalize()} <Holdings> Inc."
            known: dict[str, Any] = {
                "filing_id": f"00000{number:05d}-{year % 100:02d}-{number:06d}",
                "cik": f"{1000 + number}",
                "company": company,
                "form": "10-K",
                "period_end": date(year, 12, 31),
                "filed_date": date(year + 1, 2, 28),
                "format": ("text", "html", "ixbrl")[number % 3],
                "source_uri": f"invented-{number}.txt",
                "sha256": f"{number:064d}",
                "n_bytes": 1,
            }
            filing = filled(Filing, **known)
            filings.append(filing)
            self.documents.append(self.document(filing))
        torn = {"reject_id": "torn", "parent_id": "torn.gz", "reason": "truncated gzip"}
        rejects = [filled(Reject, **torn, stage="ingest")]
        tables = {"filings": filings, "documents": self.documents, "rejects": rejects}
        self.commit("ingest", tables)

    def document(self, filing: Filing) -> Document:
        texts = ["Item 7. Management's Discussion"]
        texts += [" ".join(self.sentence(18) for _ in range(3)) for _ in range(6)]
        paragraphs, place = [], 0
        for text in texts:
            end = place + len(text)
            paragraphs.append(Paragraph(start_char=place, end_char=end, n_tokens=len(text) // 4))
            place = end + 2
        text = "\n\n".join(texts)
        return Document(
            document_id=f"document-{filing.filing_id}",
            filing_id=filing.filing_id,
            text=text,
            n_tokens=len(text) // 4,
            encoding="cl100k_base",
            items=(
                Item(item="7", title="Management's Discussion", start_char=0, end_char=len(text)),
            ),
            paragraphs=tuple(paragraphs),
        )

    def pairs(self) -> None:
        contexts = []
        for number, document in enumerate(self.documents):
            clean, scanned = self.contexts(number, document)
            contexts += [clean, scanned]
            for place in range(self.invented.pairs_per_filing):
                pair = self.pair(number, place, clean, document)
                self.qa_pairs.append(pair)
                self.cases += self.cases_of(pair, scanned)
        self.commit("failsafeqa.build.contexts", {"contexts": contexts}, context_tokens=25_000)
        pairs = {"qa_pairs": self.qa_pairs}
        self.commit("failsafeqa.build.qa_pairs", pairs, generator="writer-405b")
        self.commit("failsafeqa.build.cases", {"cases": self.cases}, seed=17)

    def contexts(self, number: int, document: Document) -> tuple[Context, Context]:
        clean = filled(
            Context,
            context_id=f"context-{number:016x}",
            document_ids=(document.document_id,),
            kind="truncated",
            text=document.text,
            n_tokens=document.n_tokens,
            encoding=document.encoding,
        )
        struck = list(document.text)
        for place in range(0, len(struck), 37):
            struck[place] = "~"
        details = json.dumps({"clean_context_id": clean.context_id, "n_chars": len(struck)})
        scan = {"context_id": f"context-{number:012x}scan", "kind": "ocr", "text": "".join(struck)}
        scanned = replace(clean, **scan, details=details)
        return clean, scanned

    def pair(self, number: int, place: int, context: Context, document: Document) -> QAPair:
        paragraph = document.paragraphs[1 + place % (len(document.paragraphs) - 1)]
        start = paragraph.start_char
        end = context.text.index("million.", start) + len("million.")
        quote = context.text[start:end]
        verb, thing = self.random.choice(["list", "describe", "calculate"]), self.words(1)
        return QAPair(
            qa_pair_id=f"pair-{number:010x}{place:06x}",
            context_id=context.context_id,
            query=f"{verb.capitalize()} the {thing} of {self.words(9)}?",
            answer=self.sentence(12),
            task="tg" if place % 4 == 3 else "qa",
            citations=(Citation(start_char=start, end_char=end, quote=quote),),
            citation_text=quote,
            quality=5,
        )

    def cases_of(self, pair: QAPair, scanned: Context) -> Iterator[Case]:
        misspelled = pair.query.replace("the", "teh", 1)
        short = " ".join(pair.query.split()[1::2])
        queries = {"misspelled": misspelled, "incomplete": short}
        queries["irrelevant_context"] = self.words(9) + "?"
        details: dict[str, Any] = {
            "incomplete": {"dropped": ["company"], "same_answer": {"verdict": "same"}},
            "out_of_domain": {"same_answer": {"verdict": "same"}},
            "irrelevant_context": {"donor_qa_pair_id": self.qa_pairs[0].qa_pair_id},
        }
        contexts = {"ocr": scanned.context_id, "missing_context": None}
        for variant in (*ANSWERABLE, *UNANSWERABLE):
            yield Case(
                case_id=f"case-{pair.qa_pair_id.removeprefix('pair-')}-{variant}",
                qa_pair_id=pair.qa_pair_id,
                suite=SUITE,
                variant=variant,
                query=queries.get(variant, pair.query),
                context_id=contexts.get(variant, pair.context_id),
                target=pair.answer,
                is_answerable=variant in ANSWERABLE,
                details=json.dumps(details.get(variant, {})),
            )

    def answers(self) -> None:
        texts = iter(self.invented.answers)
        answered = {
            model: [(case, next(texts, None)) for case in self.cases]
            for model in self.invented.skill
        }
        for place, (model, cases) in enumerate(answered.items()):
            rows = [self.answer(model, place, number, *case) for number, case in enumerate(cases)]
            requests, responses, judgements = zip(*rows, strict=True)
            told = "Answer from the filing alone.\n"
            prefix = Prefix(prefix_id="prefix-0", text=told, n_tokens=8)
            tables = {"requests": requests, "responses": responses, "prefixes": [prefix]}
            of = {"model": {"name": model, "engine": "openai"}}
            answered_by = self.commit(f"failsafeqa.infer.{model}", tables, **of)
            self.judge(self.invented.judge, model, judgements, answered_by)
            if self.invented.contrary_judge is not None:
                self.judge(self.invented.contrary_judge, model, judgements, answered_by)

    def judge(
        self, name: str, model: str, judgements: Sequence[Judgement], answers: Commit
    ) -> None:
        """One judge's ratings of a model's answers, reversed if it is the contrary judge."""
        if name == self.invented.contrary_judge:
            judgements = [contrary(judgement, name) for judgement in judgements]
        parameters = {"judge": {"name": name, "engine": "openai"}, "model": model}
        read = {answers.step.name: answers.content}
        tables = {"judgements": judgements}
        self.commit(f"failsafeqa.judge.{name}.{model}", tables, read, **parameters)

    def rating(self, model: str, case: Case) -> int:
        """Draw a rating by the model's skill and the variant's harm."""
        harm = {"baseline": 0.0, "misspelled": 0.04, "ocr": 0.12, "irrelevant_context": 0.2}
        share = self.invented.skill[model] - harm.get(case.variant, 0.07)
        if self.random.random() < share:
            return self.random.choices((6, 5, 4), (6, 3, 1))[0]
        return self.random.randint(1, 3)

    def answer(
        self, model: str, place: int, number: int, case: Case, text: str | None
    ) -> tuple[Request, Response, Judgement]:
        rating = self.rating(model, case)
        called = self.invented.is_paid and model != "extractive"
        request = filled(
            Request,
            request_id=f"request-{place}-{case.case_id}",
            case_id=case.case_id,
            subject_id=case.case_id,
            operation=self.invented.asked_by,
            model=model,
            prefix_id="prefix-0",
            suffix=case.query,
            sampling=Sampling(temperature=0.0, max_tokens=2048),
            prompt_sha256="0" * 64,
            n_prompt_tokens=20,
            key=f"{place}-{number}" if called else None,
            seq=number,
        )
        paid: dict[str, Any] = {
            "n_prompt": 25_000,
            "n_cached": 20_000,
            "n_output": 100,
            "latency_ms": 400.0 + 90 * place + number % 50,
            "first_token_ms": 60.0 + 10 * place,
            "cost_usd": 0.002 * (place + 1),
        }
        response = filled(
            Response,
            request_id=request.request_id,
            status="ok",
            text=self.words(self.random.randint(8, 120)) if text is None else text,
            finish_reason="stop",
            attempts=1,
            engine="openai" if called else "extractive",
            engine_version="1",
            **paid if called else {},
        )
        if number % 97 == 96:
            verdict: dict[str, Any] = {"unscored_reason": "the reply had no rating"}
        else:
            verdict = {"rating": rating, "rationale": self.words(self.random.randint(10, 50))}
        judgement = Judgement(
            judgement_id=f"judgement-{place}-{case.case_id}",
            request_id=request.request_id,
            case_id=case.case_id,
            model=model,
            judge=self.invented.judge,
            **verdict,
        )
        return request, response, judgement


def contrary(judgement: Judgement, judge: str) -> Judgement:
    rating = None if judgement.rating is None else 7 - judgement.rating
    named = {"judgement_id": f"contrary-{judgement.judgement_id}", "judge": judge}
    return replace(judgement, **named, rating=rating)


@cache
def _english() -> tuple[list[str], list[int]]:
    """The words of the packaged sample filings, and how often they come, added up."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(sample_folder().glob("*-*"))]
    counts = Counter(re.findall(r"\b[a-z]{2,}\b", re.sub(r"<[^>]*>", " ", " ".join(texts))))
    return list(counts), list(itertools.accumulate(counts.values()))
