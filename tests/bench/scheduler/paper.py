"""The paper's workload in tokens: 220 contexts, seven questions each; judging 24 models.

Sizes of contexts, OCR copies and answers are the paper's (000, "Dataset"); those of instructions,
rubrics and marks are our templates', counted. What varies is drawn once, from a fixed seed.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import cache

from tasks.inference import prompts
from tasks.text.tokens import count_tokens
from tests.bench.scheduler.client import Call, PromptGroup
from tests.bench.scheduler.prompts import Numbering, Span

N_PAIRS = 220
N_MODELS = 24
ANSWERABLE = ("baseline", "misspelled", "incomplete", "out_of_domain", "ocr")
VARIANTS = (*ANSWERABLE, "missing_context", "irrelevant_context")

_texts: dict[tuple[object, ...], int] = {}


def _text(*name: object) -> int:
    """The number of a text: the same for the same name."""
    return _texts.setdefault(name, len(_texts))


@dataclass(frozen=True, slots=True)
class Answering:
    """Groups as the plan has them, and the calls variant by variant within each pair."""

    groups: tuple[PromptGroup, ...]
    calls: tuple[Call, ...]


@cache
def answering() -> Answering:
    """1,540 requests of one model.

    A pair's baseline, misspelled, incomplete and out-of-domain queries stand on its context, its
    query again on an OCR copy of 1.3 times the tokens and on the empty context; another pair's
    query stands on its context too. Groups are in the order in which a pair's requests are listed.
    """
    rng = random.Random("220 contexts")
    head = prompts.fill("failsafeqa/neutral", {"context": "", "query": ""})
    opening: Span = (_text("answering"), count_tokens(head.prefix.split("\n[End of document]")[0]))
    closing: Span = (_text("end of document"), count_tokens("\n[End of document]\n"))
    asking: Span = (_text("question"), count_tokens("Question:"))
    numbering = Numbering()
    grouped: dict[tuple[Span, ...], list[Call]] = {}
    calls: list[Call] = []
    short = rng.sample(range(N_PAIRS), 14)  # the other 93.6 % are longer than 16,000 tokens
    for pair in range(N_PAIRS):
        n_tokens = rng.randint(4_100, 16_000) if pair in short else rng.randint(16_001, 27_000)
        n_query = rng.randint(12, 60)
        heads: dict[str, tuple[Span, ...]] = {
            variant: (opening, (_text("context", pair), n_tokens), closing) for variant in VARIANTS
        }
        heads["ocr"] = (opening, (_text("ocr", pair), int(n_tokens * 1.3)), closing)
        heads["missing_context"] = (opening, closing)
        for variant in VARIANTS:
            query: Span = (_text("query", pair, variant), n_query + rng.randint(-4, 4))
            prompt = numbering.of_spans(heads[variant], (asking, query))
            call = Call(prompt, _answer_tokens(rng))
            grouped.setdefault(heads[variant], []).append(call)
            calls.append(call)
    groups = tuple(
        PromptGroup(f"group {index}", numbering.of_spans(spans), tuple(found))
        for index, (spans, found) in enumerate(grouped.items())
    )
    return Answering(groups, tuple(calls))


def _answer_tokens(rng: random.Random, typical: int = 110) -> int:
    """Most answers are a sentence or a paragraph, some are cut off at 256 tokens."""
    return min(256, 20 + int(rng.expovariate(1 / (typical - 20))))


@dataclass(frozen=True, slots=True)
class Judging:
    """The answers of all models to be judged, as groups over all models and as one pass a model."""

    wave: tuple[PromptGroup, ...]
    by_model: tuple[tuple[PromptGroup, ...], ...]

    @property
    def calls(self) -> list[Call]:
        return [call for group in self.wave for call in group.calls]

    @property
    def passes(self) -> list[tuple[tuple[PromptGroup, ...], list[Call]]]:
        """Groups and calls, a model each."""
        return [
            (groups, [call for group in groups for call in group.calls]) for groups in self.by_model
        ]


@cache
def judging(typical_answer: int) -> Judging:
    """36,960 requests to one judge: rubric, citation, question, reference, then the answer.

    The citation, the report's first ten sentences and the cited spans, is as long as it was for 72
    pairs of twenty real filings: 812 tokens at least, 1,069 on average, 3,396 at most; the
    reference 10 to 165, 49 on average.

    Args:
        typical_answer: tokens of an answer, on average over those that were not cut off at 256.
    """
    rng = random.Random(f"judging answers of {typical_answer} tokens")
    numbering = Numbering()
    shown = {"rubric": "", "citation": "", "query": "", "reference": "", "fence": "", "answer": ""}
    frame = prompts.fill("failsafeqa/verdict", shown)
    lead: Span = (_text("before the mark"), count_tokens(frame.suffix.split("mark")[0] + "mark"))
    rest = count_tokens(frame.suffix) - lead[1]
    wave: list[PromptGroup] = []
    models: list[list[PromptGroup]] = [[] for _ in range(N_MODELS)]
    for pair in range(N_PAIRS):
        citation = min(3_396, 812 + int(rng.expovariate(1 / 257)))
        query = rng.randint(12, 60)
        reference = min(165, 10 + int(rng.expovariate(1 / 39)))
        for rubric, variants in (
            ("answerable", ANSWERABLE),
            ("missing_context", ("missing_context",)),
            ("irrelevant_context", ("irrelevant_context",)),
        ):
            text = prompts.read_template(f"failsafeqa/rubrics/{rubric}").strip()
            opening = prompts.fill("failsafeqa/verdict", shown | {"rubric": text}).prefix
            is_own = rubric != "irrelevant_context"
            spans: tuple[Span, ...] = (
                (
                    _text("rubric", rubric),
                    count_tokens(opening.split("\n[End of the passages]")[0]),
                ),
                (_text("citation", pair), citation),
                (_text("query", pair, is_own), query),
                (_text("reference", pair, is_own), reference),
                (_text("end of reference"), 20),
            )
            prefix = numbering.of_spans(spans)
            calls: list[list[Call]] = [[] for _ in range(N_MODELS)]
            for variant in variants:
                for model in range(N_MODELS):
                    answer: Span = (
                        _text("answer", pair, variant, model),
                        rest + _answer_tokens(rng, typical_answer),
                    )
                    prompt = numbering.of_spans(spans, (lead, answer))
                    calls[model].append(Call(prompt, rng.randint(40, 140)))
            name = f"{pair} {rubric}"
            wave.append(
                PromptGroup(
                    name,
                    prefix,
                    [calls[m][v] for v in range(len(variants)) for m in range(N_MODELS)],
                )
            )
            for model in range(N_MODELS):
                models[model].append(PromptGroup(name, prefix, calls[model]))
    return Judging(tuple(wave), tuple(tuple(groups) for groups in models))
