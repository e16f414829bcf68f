"""Base questions on invented passages, and scripted generators and verifiers of RefusalBench."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from tasks.core.ids import stable_id
from tasks.core.rows import QAPair
from tasks.inference.operation import Call
from tasks.suites.refusalbench.passages import context_of_passages
from tasks.suites.refusalbench.rows import BasePassage, BaseQuestion
from tasks.suites.refusalbench.strata import Setting
from tasks.suites.refusalbench.verification import QUESTIONS
from tests.scripted import Scripted
from tests.step_inputs import step_inputs

SIGNAL = "Net sales of Acme were $7.7 billion in fiscal 2023, up from $7.1 billion in fiscal 2022."


def base_question(number: int = 0, setting: Setting = "single", n_signal: int = 2) -> BaseQuestion:
    """Make a question on one passage, or on ten of which some are signal."""
    text = f"{SIGNAL} Plant {number} opened in May."
    texts = [(text, True)]
    if setting == "multi":
        others = [f"Noise {place} of question {number}: we lease offices." for place in range(9)]
        signal = [f"{SIGNAL} Region {place} led." for place in range(1, n_signal)]
        # noise first, so that places among all passages differ from those among signal passages
        texts = [(others[0], False), (text, True), *((each, True) for each in signal)]
        texts += [(each, False) for each in others[1 : 11 - len(texts)]]
    return BaseQuestion(
        base_question_id=stable_id("base_question", number, setting),
        setting=setting,
        source="filings",
        source_id="document-1",
        query=f"What were the net sales of Acme in fiscal 2023, as plant {number} opened?",
        answers=("$7.7 billion",),
        passages=tuple(
            BasePassage(text=each, is_signal=is_signal, document_id="document-1", start_char=0)
            for each, is_signal in texts
        ),
        answer_kind="money",
    )


def pair_of(base: BaseQuestion) -> QAPair:
    """Make the pair of a question that is in the base set."""
    texts = [passage.text for passage in base.passages]
    context = context_of_passages("passages", base.passages, texts, "cl100k_base")
    return QAPair(
        qa_pair_id=base.base_question_id,
        context_id=context.context_id,
        query=base.query,
        answer=" OR ".join(base.answers),
        task=base.setting,
    )


inputs_of = partial(step_inputs, "refusalbench")


def written(call: Call, **changes: Any) -> dict[str, Any]:
    """Write a reply that keeps to the target, with the lever that was told."""
    shown = call.inputs()
    name = shown["stratum"].partition(", ")[0]
    passages = dict(_passages(shown["passages"]))
    in_query, in_noise = name == "false_premise", name == "contradiction" and "N1" in passages
    reply: dict[str, Any] = {
        "perturbed_query": shown["query"] + (" And when?" if in_query else ""),
        "lever_selected": shown["lever"].partition(": ")[0],
        "implementation_reasoning": "A sentence was added.",
    }
    reply["perturbed_passages"] = [
        {"passage": name, "perturbed_text": f"{text} So we say."}
        for name, text in passages.items()
        if not in_query and (name == "N1" if in_noise else name.startswith("S"))
    ]
    return reply | changes


def _passages(shown: str) -> Iterable[tuple[str, str]]:
    for part in shown.split("\n\n["):
        mark, _, text = part.removeprefix("[").partition("]\n")
        yield mark, text


def generator(
    model: str = "writer", change: Callable[[Call], dict[str, Any]] = lambda call: {}
) -> Scripted:
    """Make a generator that keeps to the target, but for `change` of its reply."""
    return Scripted(
        lambda call: json.dumps(written(call, **change(call))), model=model, identity=model
    )


def check(call: Call, passes: bool, failed: str = "implementation_quality_sound") -> str:
    """Write a verifier's reply."""
    return json.dumps(
        {name: passes or name != failed for name in QUESTIONS}
        | {
            "predicted_rag_behavior": "REFUSE_OTHER",
            "identified_issues": "none" if passes else "It reads badly.",
            "verification_result": "PASS",
        }
    )


def verifier(model: str, passes: Callable[[Call], bool] = lambda call: True) -> Scripted:
    """Make a verifier that passes what `passes` says."""
    return Scripted(lambda call: check(call, passes(call)), model=model, identity=model)
