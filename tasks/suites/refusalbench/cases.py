"""The step that makes cases of the perturbations that all verifiers pass, drawn by strata."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from tasks.core.ids import canonical_json, stable_id, stable_rng
from tasks.core.rejects import reject_of
from tasks.core.rows import Case, Context, QAPair, Reject
from tasks.suites.refusalbench.generation import GENERATOR, NO_LEVER
from tasks.suites.refusalbench.options import AnswerPrompt, RefusalBenchOptions
from tasks.suites.refusalbench.passages import context_of_passages, perturbed_texts
from tasks.suites.refusalbench.rows import BaseQuestion, Perturbation, VerifierVote
from tasks.suites.refusalbench.strata import STRATA, Stratum, expected_code
from tasks.suites.suite import Step, StepInputs

UNREAD = "the generator's reply could not be read"
NO_VOTE = "no verifier voted"
UNREAD_VOTE = "a verifier's reply could not be read"
NOT_PASSED = "a verifier did not pass it"
KIND = "perturbed"  # of contexts
NOT_DRAWN = "its stratum and generator have enough cases"
NOT_ASKED = "none of its perturbations is a case"


def build_cases(inputs: StepInputs) -> Iterator[Case | Context | Reject]:
    """Yield the cases of the perturbations that are drawn, and a reject for each other one.

    A pair without any case is a reject, too.
    """
    options: RefusalBenchOptions = inputs.options
    pairs = {pair.qa_pair_id: pair for pair in inputs.rows(QAPair)}
    questions = inputs.rows(BaseQuestion, ("base_question_id", pairs.keys()))
    bases = {base.base_question_id: base for base in questions}
    votes: dict[str, list[VerifierVote]] = defaultdict(list)
    for vote in inputs.rows(VerifierVote):
        votes[vote.perturbation_id].append(vote)
    passed: dict[tuple[str, str], list[Perturbation]] = defaultdict(list)
    for perturbation in inputs.rows(Perturbation):
        if fault := _fault(perturbation, votes[perturbation.perturbation_id]):
            yield reject_of("cases", perturbation.perturbation_id, *fault)
        else:
            passed[perturbation.setting, perturbation.generator].append(perturbation)
    contexts: set[str] = set()
    query_ids: set[str] = set()
    for key, perturbations in sorted(passed.items()):
        drawn = draw(perturbations, options, inputs.seed, *key)
        for perturbation in perturbations:
            if perturbation.perturbation_id not in drawn:
                yield reject_of("cases", perturbation.perturbation_id, NOT_DRAWN)
                continue
            base = bases[perturbation.base_question_id]
            query_ids.add(base.base_question_id)
            context_id = pairs[perturbation.base_question_id].context_id
            if perturbation.changes:
                texts = perturbed_texts(base, perturbation.changes)
                context = context_of_passages(KIND, base.passages, texts, inputs.encoding)
                context_id = context.context_id
                if context_id not in contexts:
                    contexts.add(context_id)
                    yield context
            for prompt in options.answer_prompts:
                yield case_of_perturbation(perturbation, base, context_id, prompt, inputs.suite)
    for pair_id in sorted(pairs.keys() - query_ids):
        yield reject_of("cases", pair_id, NOT_ASKED)


def _fault(perturbation: Perturbation, votes: Sequence[VerifierVote]) -> tuple[str, str] | None:
    """Return why a perturbation is no case, with particulars; None if all verifiers pass it.

    A vote that was not read is no vote for it.
    """
    unread = perturbation.unread_reason
    if unread is not None:
        return (NO_LEVER, "") if unread == NO_LEVER else (UNREAD, unread)
    if not votes:
        return NO_VOTE, ""
    against = [vote for vote in votes if vote.passes is False]
    if against:
        named = (f"{vote.verifier} ({', '.join(vote.failed)})" for vote in against)
        return NOT_PASSED, ", ".join(named)
    unread_votes = [vote for vote in votes if vote.passes is None]
    if unread_votes:
        return UNREAD_VOTE, f"{unread_votes[0].verifier}: {unread_votes[0].unread_reason}"
    return None


def draw(
    perturbations: Sequence[Perturbation],
    options: RefusalBenchOptions,
    seed: int,
    setting: str,
    generator: str,
) -> set[str]:
    """Draw a generator's cases: so many of each stratum, then any until it has its number.

    As the authors' sampling (MECHANICS, 003): strata in order, random in each.
    """
    by_stratum: dict[Stratum, list[str]] = {stratum: [] for stratum in STRATA}
    for perturbation in perturbations:
        by_stratum[perturbation.perturbation_class, perturbation.intensity].append(
            perturbation.perturbation_id
        )
    first: list[str] = []
    rest: list[str] = []
    for stratum, ids in by_stratum.items():
        rng = stable_rng(seed, "stratum", setting, generator, *stratum)
        shuffled = rng.sample(sorted(ids), len(ids))
        first += shuffled[: options.per_stratum]
        rest += shuffled[options.per_stratum :]
    rng = stable_rng(seed, "fill", setting, generator)
    return {*first, *rng.sample(rest, len(rest))[: max(0, options.per_generator - len(first))]}


def case_of_perturbation(
    perturbation: Perturbation,
    base: BaseQuestion,
    context_id: str,
    prompt: AnswerPrompt,
    suite: str,
    **details: Any,
) -> Case:
    """Make the case that asks a perturbed question of its perturbed passages."""
    return Case(
        case_id=stable_id("case", perturbation.perturbation_id, suite, prompt),
        qa_pair_id=base.base_question_id,
        suite=suite,
        variant=f"{perturbation.perturbation_class}_{perturbation.intensity}",
        query=perturbation.query or "",
        context_id=context_id,
        target=" OR ".join(base.answers),
        is_answerable=perturbation.intensity == "low",
        traits={
            "setting": base.setting,
            "perturbation_class": perturbation.perturbation_class,
            "intensity": perturbation.intensity,
            "lever": perturbation.lever,
            "generator": perturbation.generator,
            "answer_kind": base.answer_kind,
            "prompt": prompt,
        },
        details=canonical_json(
            {
                "perturbation_id": perturbation.perturbation_id,
                "expected": expected_code(perturbation.perturbation_class, perturbation.intensity),
                "relevant": [n for n, passage in enumerate(base.passages) if passage.is_signal],
                "answers": base.answers,
                **details,
            }
        ),
    )


STEP = Step(
    name="cases",
    run=build_cases,
    version=3,
    writes=(Case, Context),
    reads=("questions", "base", "perturbations", "verification"),
    options=("per_stratum", "per_generator", "answer_prompts", "seed", "encoding"),
    most=lambda options, models: (
        options.per_generator
        * len(models[GENERATOR.name])
        * len(options.settings)
        * len(options.answer_prompts)
    ),
)
