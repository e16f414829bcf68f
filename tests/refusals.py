"""RefusalBench's rows in a lake: perturbations of invented questions, scripted votes and models."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from tasks.core.ids import stable_id
from tasks.core.rows import Case, Context, Document, Filing, Judgement
from tasks.inference.client import Client
from tasks.suites.refusalbench.cases import build_cases
from tasks.suites.refusalbench.generation import perturb
from tasks.suites.refusalbench.passages import context_of_passages
from tasks.suites.refusalbench.rows import BaseAnswer, BaseQuestion, Perturbation, VerifierVote
from tests.filled import filled
from tests.perturbed import base_question, generator, inputs_of, pair_of
from tests.sql.conftest import OK_RESPONSE, HandmadeLake, answer_request

SUITE = "refusalbench"
N_BASES = 6
GENERATORS = ("kind", "strict", "vain")
# A model: a case -> its code or `answer_attempt`, and its level of confidence.
Model = Callable[[Case], tuple[str | None, str]]
Votes = Callable[[str, Perturbation], bool | None]


def number_of(each: Perturbation) -> int:
    """Return the number of a perturbation's question."""
    assert each.query is not None
    return int(each.query.partition("plant ")[2].split()[0])


def panel(verifier: str, each: Perturbation) -> bool | None:
    """Vote: `kind` passes all, `strict` fails one question of two, `vain` all but its own."""
    is_good = number_of(each) % 2 == 0
    return {"kind": True, "strict": is_good, "vain": each.generator == "vain"}[verifier]


def perturbed(
    n_bases: int = N_BASES, generators: Sequence[str] = GENERATORS, **changes: Any
) -> tuple[list[BaseQuestion], list[Perturbation]]:
    """Perturb questions of both settings."""
    bases = [
        replace(base_question(number, setting), source_id=f"document-{number}")
        for number in range(n_bases)
        for setting in ("single", "multi")
    ]
    engines = [Client(generator(name), part=None) for name in generators]
    rows = [*bases, *map(pair_of, bases)]
    made = list(perturb(inputs_of(*rows, engines={"generator": engines})))  # type: ignore[dict-item]
    return bases, [replace(each, **changes) for each in made]


def filing_of(number: int) -> tuple[Filing, Document]:
    """Make the filing of a question, and its document."""
    filing = {"filing_id": f"filing {number}"}
    sic = "2000" if number % 2 else "7370"
    return (
        filled(Filing, **filing, company="Acme", sic=sic, form="10-K"),
        filled(Document, **filing, document_id=f"document-{number}"),
    )


def votes_on(
    made: Sequence[Perturbation], verifiers: Sequence[str], passes: Votes
) -> list[VerifierVote]:
    """Let verifiers vote; None is a vote that could not be read."""

    def vote(verifier: str, each: Perturbation) -> VerifierVote:
        passes_ = passes(verifier, each)
        return VerifierVote(
            verifier_vote_id=stable_id("vote", each.perturbation_id, verifier),
            perturbation_id=each.perturbation_id,
            verifier=verifier,
            passes=passes_,
            failed=() if passes_ else ("implementation_quality_sound",),
            predicted_behavior="REFUSE_OTHER",
            reason="" if passes_ else "It reads badly.",
            unread_reason="no JSON" if passes_ is None else None,
            request_id=f"vote {verifier} {each.perturbation_id}",
        )

    return [vote(verifier, each) for verifier in verifiers for each in made]


class Refusals:
    """A lake of perturbations, votes, cases and judged replies that hold together."""

    def __init__(
        self,
        lake: HandmadeLake,
        passes: Votes = lambda verifier, each: True,
        verifiers: Sequence[str] = GENERATORS,
        **options: Any,
    ) -> None:
        self.lake = lake
        self.bases, self.made = perturbed()
        votes = votes_on(self.made, verifiers, passes)
        pairs = [pair_of(base) for base in self.bases]
        found = list(build_cases(inputs_of(*self.bases, *pairs, *self.made, *votes, **options)))
        self.cases = [row for row in found if isinstance(row, Case)]
        contexts: dict[str, Context] = {}
        for base in self.bases:
            texts = [passage.text for passage in base.passages]
            context = context_of_passages("passages", base.passages, texts, "cl100k_base")
            contexts[context.context_id] = replace(context, document_ids=(base.source_id,))
        self._add(*self.bases, *contexts.values(), *pairs, *self.made, *votes, *found)
        answers = [
            filled(
                BaseAnswer,
                base_answer_id=f"answer to {base.base_question_id}",
                base_question_id=base.base_question_id,
                is_right=True,
                request_id=f"panel {base.base_question_id}",
            )
            for base in self.bases
        ]
        for number in range(N_BASES):
            lake.add(*filing_of(number), suite=None)
        asked = {each.request_id for each in (*self.made, *votes, *answers)}
        responses = [replace(OK_RESPONSE, request_id=name, engine="openai") for name in asked]
        self._add(*answers, *responses)

    def reply(self, name: str, model: Model, judge: str = "j", text: str | None = None) -> None:
        """Have a model reply to every case, and a judge read it; a reply of None is unscored.

        `text` is what it writes, if that is not its code.
        """
        for case in self.cases:
            predicted, confidence = model(case)
            operation = f"answer_{case.traits['prompt']}"
            request = replace(answer_request(case, name), operation=operation)
            is_attempt = predicted == "answer_attempt" and case.is_answerable
            is_multi = case.traits["setting"] == "multi"
            flag = 1 if is_attempt and is_multi else None
            details = {
                "quality": 5 if is_attempt and not is_multi else None,
                "eligibility": flag,
                "factuality_all": flag,
                "raf": flag,
                "confidence": confidence if case.traits["prompt"] == "confidence" else None,
            }
            self._add(
                request,
                replace(OK_RESPONSE, request_id=request.request_id, text=text or predicted or "?"),
                Judgement(
                    judgement_id=f"{request.request_id} {judge}",
                    request_id=request.request_id,
                    case_id=case.case_id,
                    model=name,
                    judge=judge,
                    label=predicted,
                    unscored_reason="no reading" if predicted is None else None,
                    details=json.dumps(details),
                ),
            )

    def _add(self, *rows: Any) -> None:
        self.lake.add(*rows, suite=SUITE)


def expected(case: Case) -> str:
    """Return the code that a case expects, or `answer_attempt`."""
    code: str = json.loads(case.details)["expected"]
    return "answer_attempt" if case.is_answerable else code
