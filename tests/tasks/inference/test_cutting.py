"""Prompts cut to fit a window: as long as can be, each on its own, with one shared prefix."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil

import pytest

from tasks.core.rows import Sampling
from tasks.inference.cutting import cut_to_fit, emptied, limit_answer
from tasks.inference.operation import Call, Operation, Question, render
from tasks.models.catalogue import Model
from tasks.models.windows import CHAT_TOKENS, LEAST_ANSWER, UNCOUNTED, prompt_room
from tasks.text.tokens import count_tokens, token_starts

MODEL = Model(name="narrow", engine="openai", description="")


@dataclass(frozen=True, slots=True)
class Inputs:
    context: str
    query: str
    example: str = ""


OPERATION = Operation(
    "answer",
    "tablequest/answer",
    Inputs,
    str.strip,
    Sampling(temperature=0.0, max_tokens=100),
    system="tablequest/chatbot",
    cuts="context",
)
TABLE = "<table>" + "<tr><td>Net sales</td><td>1,234</td></tr>" * 40 + "</table>"
HOSTILE = {
    "table": TABLE,
    "words": "Sales rose in every country. " * 60,
    "accents": "Ж漢字🙂é" * 80,
    "dashes": f"{'-' * 700}\n{'=' * 500}",
    "whitespace": f"{' ' * 300}\n\n\n{' ' * 300}\t\t\r\n" * 3,
    "marks": "[End of context]\n" * 60,
    "one mark, late": f"{'Sales rose. ' * 100}[End of context] Fees fell.",
}


def asked(context: str, *queries: str) -> list[Question[Inputs]]:
    return [
        Question(f"case {place}", Inputs(context, query), f"case {place}")
        for place, query in enumerate(queries)
    ]


def rendered(questions: list[Question[Inputs]]) -> list[Call]:
    return render(OPERATION, MODEL.name, questions, "identity")


def narrowed(n_prompt: int, **changes: float) -> Model:
    """A model whose window surely holds prompts of exactly so many tokens."""
    window = ceil(round(n_prompt * (1 + UNCOUNTED), 6)) + 100 + CHAT_TOKENS
    return replace(MODEL, window=window, **changes)  # type: ignore[arg-type]


def cut(questions: list[Question[Inputs]], model: Model) -> list[Call]:
    return cut_to_fit(OPERATION, model, questions, rendered(questions), "identity")


def counted(call: Call) -> int:
    """Tokens of the prompt, as a render counts them before a prefix is shared."""
    (again,) = rendered([Question("", Inputs(**call.inputs()))])
    assert again.prompt == call.prompt
    assert again.request.prompt_sha256 == call.request.prompt_sha256
    return again.request.n_prompt_tokens


@pytest.mark.parametrize("context", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("share", [0.05, 0.6, 0.97])
def test_a_cut_prompt_fits_and_no_longer_beginning_does(context: str, share: float) -> None:
    questions = asked(context, "How much?")
    (whole,), (least,) = rendered(questions), rendered([emptied(OPERATION, questions[0])])
    low, high = least.request.n_prompt_tokens, whole.request.n_prompt_tokens
    room = round(low + share * (high - low))
    (call,) = cut(questions, narrowed(room))
    assert counted(call) == call.request.n_prompt_tokens <= room
    kept = call.inputs()["context"]
    starts = token_starts(context)
    n_kept = len(starts) - (call.request.n_cut_tokens or 0)
    assert kept == context[: starts[n_kept]]
    longer = [Question("", Inputs(context[:end], "How much?")) for end in starts[n_kept + 1 :]]
    assert all(each.request.n_prompt_tokens > room for each in rendered(longer))


def test_one_token_less_of_window_cuts_and_the_whole_prompt_stays_where_it_fits() -> None:
    questions = asked(TABLE, "How much?")
    (whole,) = rendered(questions)
    n_tokens = whole.request.n_prompt_tokens
    assert cut(questions, narrowed(n_tokens)) == [whole]
    assert cut(questions, MODEL) == [whole]
    (shorter,) = cut(questions, narrowed(n_tokens - 1))
    assert shorter.request.n_cut_tokens
    assert shorter.request.key != whole.request.key
    assert shorter.request.request_id != whole.request.request_id


def test_a_prompt_that_is_too_long_without_its_context_stays_whole() -> None:
    questions = asked(TABLE, "How much? " * 300)
    assert cut(questions, narrowed(800)) == rendered(questions)


def test_questions_on_a_context_keep_one_prefix_and_each_its_own_prompt() -> None:
    queries = ("How much?", "By how much did net sales rise from 2015 to 2016? " * 8, "Why?")
    questions = asked(TABLE, *queries)
    model = narrowed(rendered(questions)[0].request.n_prompt_tokens)
    calls = cut(questions, model)
    assert [call.request.n_cut_tokens is None for call in calls] == [True, False, True]
    assert len({(call.prefix.prefix_id, call.request.prefix_id) for call in calls}) == 1
    prefix = calls[0].prefix
    assert prefix.n_tokens == count_tokens((prefix.system or "") + prefix.text)
    assert all(call.inputs()["query"] == query for call, query in zip(calls, queries, strict=True))
    assert prefix.text.endswith(calls[1].inputs()["context"])
    for call, question in zip(calls, questions, strict=True):
        (alone,) = cut([question], model)
        assert (alone.prompt, alone.request.key) == (call.prompt, call.request.key)
        assert counted(call) == call.request.n_prompt_tokens <= prompt_room(model, 100)


@pytest.mark.parametrize("ratio", [1.0, 1.07, 1.3])
@pytest.mark.parametrize("thinking", [0, 300])
def test_an_answer_gets_what_its_prompt_leaves_and_never_less_than_the_least(
    ratio: float, thinking: int
) -> None:
    longer = replace(OPERATION, sampling=Sampling(temperature=0.0, max_tokens=4_096))
    (call,) = render(longer, MODEL.name, asked(TABLE, "How much?"), "identity")
    limits = []
    for window in range(1_500, 9_000, 250):
        model = replace(MODEL, window=window, token_ratio=ratio, thinking_tokens=thinking)
        limited = limit_answer(call, model)
        limits.append(limited.request.sampling.max_tokens)
        assert limit_answer(limited, model) == limited
        assert (limited.request.key == call.request.key) == (limits[-1] == 4_096)
        used = call.request.n_prompt_tokens * ratio * 1.1 + limits[-1] + thinking + CHAT_TOKENS
        assert used <= window or limits[-1] == LEAST_ANSWER
        assert used > window - 1 or limits[-1] == 4_096
    assert limits == sorted(limits)
    assert (limits[0], limits[-1]) == (LEAST_ANSWER, 4_096)
    assert limit_answer(call, MODEL) == call
