"""Limit an answer, or cut a context, for a model whose window is too small for both."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tasks.core.ids import canonical_json, sha256_hex
from tasks.core.rows import Prefix
from tasks.inference.operation import Call, Operation, Question, prefix_id_of, render
from tasks.models.catalogue import Model
from tasks.models.windows import UNCOUNTED, answer_limit, least_answer, prompt_room
from tasks.text.tokens import count_tokens, token_starts

# A text that ends elsewhere may have a few tokens more or fewer than the cut left it.
_NEAR = 16


def limit_answer(call: Call, model: Model) -> Call:
    """Return a call whose answer is limited to what its prompt leaves of the model's window.

    Its key says so; a call that fits as it is keeps its own.
    """
    request, sampling = call.request, call.request.sampling
    most = answer_limit(model, request.n_prompt_tokens, sampling.max_tokens)
    if most == sampling.max_tokens:
        return call
    key = request.key and sha256_hex(canonical_json([request.key, most]))[:32]
    return replace(
        call, request=replace(request, sampling=replace(sampling, max_tokens=most), key=key)
    )


def cut_to_fit(
    operation: Operation[Any, Any],
    model: Model,
    questions: Sequence[Question[Any]],
    calls: Sequence[Call],
    identity: str | None,
) -> list[Call]:
    """Return a group's calls, with less of the input `cuts` in each that the window cannot hold.

    Such a prompt has the longest beginning of the input, in whole tokens, that surely leaves room
    for the shortest answer; `n_cut_tokens` counts the others. Calls that would not fit without the
    input stay whole. `questions` are those of the calls, in the same order.
    """
    least = least_answer(operation.sampling.max_tokens)
    room = prompt_room(model, least + model.thinking_tokens, UNCOUNTED)
    fitting = [
        call
        if call.request.n_prompt_tokens <= room
        else _cut(operation, question, call, int(room), identity)
        for question, call in zip(questions, calls, strict=True)
    ]
    return _on_one_prefix(fitting)


def emptied(operation: Operation[Any, Any], question: Question[Any]) -> Question[Any]:
    """Return a question without the input that may be cut."""
    return _with(operation, question, "")


def _with(operation: Operation[Any, Any], question: Question[Any], text: str) -> Question[Any]:
    return replace(question, inputs=replace(question.inputs, **{str(operation.cuts): text}))


def _cut(
    operation: Operation[Any, Any],
    question: Question[Any],
    call: Call,
    room: int,
    identity: str | None,
) -> Call:
    def with_text(text: str) -> Call:
        questions = [_with(operation, question, text)]
        return render(operation, call.request.model, questions, identity)[0]

    text = getattr(question.inputs, str(operation.cuts))
    starts = token_starts(text)
    n_free = room - with_text("").request.n_prompt_tokens
    if n_free < 0:
        return call
    for n_kept in range(min(len(starts) - 1, n_free + _NEAR), -1, -1):
        shorter = with_text(text[: starts[n_kept]])
        if shorter.request.n_prompt_tokens <= room:
            n_cut = len(starts) - n_kept
            return replace(shorter, request=replace(shorter.request, n_cut_tokens=n_cut))
    return call


def _on_one_prefix(calls: Sequence[Call]) -> list[Call]:
    """Divide the prompts of a group so that all share one prefix; each prompt stays the same."""
    if len({call.prefix.prefix_id for call in calls}) == 1:
        return [*calls]
    system = calls[0].prefix.system
    texts = [call.prefix.text for call in calls]
    text = os.path.commonprefix(texts)  # noqa: RUF071
    whole = (system or "") + text
    prefix = Prefix(
        prefix_id=prefix_id_of(whole), system=system, text=text, n_tokens=count_tokens(whole)
    )
    return [
        replace(
            call,
            prefix=prefix,
            request=replace(
                call.request, prefix_id=prefix.prefix_id, suffix=call.prompt[len(text) :]
            ),
        )
        for call in calls
    ]
