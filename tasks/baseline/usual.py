"""Replies of a usual model, for estimates: it finds something to ask where rules do not.

How often it finds nothing, or is told no, is an able model's, by READMEs' rows under "Measured".
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial

from tasks.baseline import tablequest
from tasks.baseline.refusalbench import answering
from tasks.core.ids import stable_rng
from tasks.inference.engines.extractive import Rule, Rules
from tasks.suites.failsafeqa.perturbations.rewriting import QueryToRewrite
from tasks.suites.failsafeqa.questions.operations import MOST_EXCHANGES, WANTED, DialogueInputs
from tasks.suites.refusalbench.base.questions import MOST_FACTS, FactInputs
from tasks.suites.refusalbench.generation import GenerateInputs
from tasks.suites.refusalbench.verification import QUESTIONS, CheckInputs
from tasks.suites.shared.contexts import ContextInputs
from tasks.suites.tablequest.questions.rounds import RoundInputs
from tasks.text.sentences import split_sentences

ASKED = 0.85  # of TableQuest's rounds: 93 of 109 drafts were kept
FITTING = 0.67  # of RefusalBench's levers: 282 of 420
PASSED = 0.77  # of its perturbations: 216 of 282


def _sentences(text: str) -> list[Sequence[str]]:
    """Return the words of plain sentences of usual length."""
    sentences = (text[start:end].split() for start, end in split_sentences(text))
    return [words for words in sentences if 12 <= len(words) <= 40 and "|" not in words]


def _chance(*of: object) -> float:
    return stable_rng(0, "usual", *of).random()


def write_dialogue(inputs: DialogueInputs) -> str:
    """Ask what a context says, or for a note on it."""
    sentences = _sentences(inputs.context)
    some = stable_rng(0, "usual", inputs.number, inputs.focus).sample(
        sentences, min(MOST_EXCHANGES, len(sentences))
    )
    is_text = inputs.wanted in WANTED["tg"].values()
    asked = "write a note on" if is_text else "what do we say about"
    turns = [
        {"USER": f"{asked} {' '.join(words[2:12])}", "ASSISTANT": " ".join(words)} for words in some
    ]
    return "\n".join(json.dumps(turn, ensure_ascii=False) for turn in turns)


def say_plainly(inputs: QueryToRewrite) -> str:
    """Word a query otherwise."""
    return f"Query: Say it plainly: {inputs.query}"


def write_question(level: str, inputs: RoundInputs) -> str:
    """Ask for words, which nothing computes, or nothing."""
    if _chance(level, inputs.context) > ASKED:
        return json.dumps({"question": "", "answer": ""})
    asked = {"question": f"What does a {level} reading of it show?", "steps": "Read it."}
    return json.dumps(asked | {"answer": "a rise"})


def ask_of_passage(inputs: FactInputs) -> str:
    """Ask which words follow others."""
    asked = [
        {"query": f"What follows “{' '.join(words[:6])}”?", "answer": " ".join(words[6:9])}
        for words in _sentences(inputs.passage)[:MOST_FACTS]
    ]
    return json.dumps({"questions": asked}, ensure_ascii=False)


def answer_of_panel(inputs: ContextInputs) -> str:
    """Give the words that follow."""
    quoted = inputs.query.partition("“")[2].partition("”")[0]
    after = " ".join(inputs.context.split()).partition(quoted)[2].split()
    return json.dumps({"answer": " ".join(after[:3])}, ensure_ascii=False)


def perturb(inputs: GenerateInputs) -> str:
    """Change question or passage a little, or say that the lever does not fit."""
    if _chance(inputs.lever, inputs.query) > FITTING:
        return json.dumps({"lever_selected": "none"})
    text = inputs.passages.partition("[S1]\n")[2].partition("\n[N1]\n")[0]
    return json.dumps(
        {
            "lever_selected": inputs.lever.partition(":")[0],
            "perturbed_query": f"{inputs.query} And why?",
            "perturbed_passages": [{"passage": "S1", "perturbed_text": f"{text} It may change."}]
            if inputs.stratum.startswith(("contradiction", "missing_info"))
            else [],
        }
    )


def verify(inputs: CheckInputs) -> str:
    """Pass a perturbation or not: all verifiers alike."""
    passes = _chance(inputs.lever, inputs.query) < FITTING * PASSED
    verdict = json.loads(answering.verify(inputs)) | dict.fromkeys(QUESTIONS, passes)
    return json.dumps(verdict | {"verification_result": "PASS" if passes else "FAIL"})


USUAL: dict[str, Rules] = {
    "failsafeqa": {
        "write_dialogue": Rule(write_dialogue),
        "perturb_out_of_domain": Rule(say_plainly),
    },
    "tablequest": {
        **{f"write_{level}": Rule(partial(write_question, level)) for level in ("medium", "hard")},
        "rederive": Rule(tablequest.answer),
    },
    "refusalbench": {
        "base_questions": Rule(ask_of_passage),
        "panel_answer": Rule(answer_of_panel),
        "generate": Rule(perturb),
        "verify": Rule(verify),
    },
}
