"""The one road to a model: render -> infer -> parse.

Every question put to a model is an `Operation`: a template, typed inputs, a parser, and
the rule-based counterpart that plays it without a model. A part asks through `ask`, which
returns one `Reply` per subject, in the order asked; nothing is dropped on the way.
"""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from tasks import prompts
from tasks.ids import sha256_hex, stable_id
from tasks.progress import announce
from tasks.schemas import Prefix, Request, Response, Sampling
from tasks.text.tokens import count_tokens

Inputs = TypeVar("Inputs")
Value = TypeVar("Value")


class ParseError(ValueError):
    """A reply that cannot be read. The message is one plain sentence; it ends up in `rejects` or `unscored_reason`."""


@dataclass(frozen=True)
class Operation(Generic[Inputs, Value]):
    """One kind of question to a model.

    name        what `requests.operation` says; unique
    template    file of `tasks/prompts`, without `.txt`
    inputs      frozen dataclass whose fields are all `str` and are exactly the template's
    parse       reply text -> value; raises ParseError
    rule        inputs -> reply text, as the weightless engine would write it
    sampling    temperature and most new tokens
    may_be_cut  whether a reply that hit `max_tokens` still counts
    """

    name: str
    template: str
    inputs: type[Inputs]
    parse: Callable[[str], Value]
    rule: Callable[[Inputs], str]
    sampling: Sampling
    may_be_cut: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """A request with its prefix's text: what an engine needs to send it."""

    request: Request
    prefix: Prefix

    @property
    def prompt(self) -> str:
        return self.prefix.text + self.request.suffix

    def inputs(self) -> dict[str, str]:
        """The operation's inputs, cut out of the prompt: nothing that is not in the prompt."""
        prompt = self.prompt
        return {field.name: prompt[field.start_char : field.end_char] for field in self.request.fields}


class Engine(Protocol):
    """Something that answers calls. Responses may come in any order; each call gets exactly one."""

    model: str

    def generate(self, calls: Sequence[Call]) -> AsyncIterator[Response]: ...


@dataclass(frozen=True, slots=True)
class Reply(Generic[Value]):
    """What came back for one subject: a value, or the reason why there is none."""

    subject_id: str
    request: Request
    response: Response
    value: Value | None
    error: str | None


@dataclass(frozen=True, slots=True)
class Question(Generic[Inputs]):
    """One subject's inputs to an operation. `case_id` is set where the subject belongs to a case."""

    subject_id: str
    inputs: Inputs
    case_id: str | None = None


def render(
    operation: Operation[Inputs, Any], model: str, questions: Sequence[Question[Inputs]]
) -> list[Call]:
    """Questions -> calls, in the questions' order. Tokens of a shared prefix are counted once."""
    prefixes: dict[str, Prefix] = {}
    calls: list[Call] = []
    for seq, question in enumerate(questions):
        inputs = {f.name: getattr(question.inputs, f.name) for f in dataclasses.fields(operation.inputs)}  # type: ignore[arg-type]
        prompt = prompts.fill(operation.template, inputs)
        prefix_id = stable_id("prefix", prompt.prefix)
        if prefix_id not in prefixes:
            prefixes[prefix_id] = Prefix(
                prefix_id=prefix_id, text=prompt.prefix, n_tokens=count_tokens(prompt.prefix)
            )
        prefix = prefixes[prefix_id]
        prompt_sha256 = sha256_hex(prompt.prefix + prompt.suffix)
        sampling = operation.sampling
        request = Request(
            request_id=stable_id(
                "req", operation.name, model, dataclasses.asdict(sampling), prompt_sha256, question.subject_id
            ),
            case_id=question.case_id,
            subject_id=question.subject_id,
            operation=operation.name,
            model=model,
            prefix_id=prefix_id,
            suffix=prompt.suffix,
            fields=prompt.fields,
            sampling=sampling,
            prompt_sha256=prompt_sha256,
            n_prompt_tokens=prefix.n_tokens + count_tokens(prompt.suffix),
            shard=0,  # the step that writes the rows knows
            seq=seq,
        )
        calls.append(Call(request, prefix))
    return calls


def read_reply(operation: Operation[Any, Value], request: Request, response: Response) -> Reply[Value]:
    """Response -> value, or the reason why it has none."""
    error: str | None = None
    value: Value | None = None
    if response.status != "ok" or response.text is None:
        error = f"the model did not answer: {response.error_type}: {response.error}"
    elif response.finish_reason == "length" and not operation.may_be_cut:
        error = f"the reply was cut off at {operation.sampling.max_tokens} tokens"
    else:
        try:
            value = operation.parse(response.text)
        except ParseError as unreadable:
            error = str(unreadable)
    return Reply(request.subject_id, request, response, value, error)


def ask(
    engine: Engine, operation: Operation[Inputs, Value], questions: Sequence[Question[Inputs]]
) -> list[Reply[Value]]:
    """Put an operation's questions to an engine; one reply per question, in order.

    Raises:
        RuntimeError: the engine lost a call or answered one twice.
    """
    calls = render(operation, engine.model, questions)
    if not calls:
        return []
    # the same question of the same subject, asked twice in one breath, is one call
    unique = list({call.request.request_id: call for call in calls}.values())
    responses = asyncio.run(collect(engine, unique))
    return [read_reply(operation, call.request, responses[call.request.request_id]) for call in calls]


async def collect(engine: Engine, calls: Sequence[Call]) -> dict[str, Response]:
    """All responses by request_id.

    Raises:
        RuntimeError: the engine lost a call or answered one twice.
    """
    responses: dict[str, Response] = {}
    what = f"{calls[0].request.operation} by {engine.model}" if calls else ""
    async for response in engine.generate(calls):
        if response.request_id in responses:
            raise RuntimeError(f"engine {engine.model} answered request {response.request_id} twice")
        responses[response.request_id] = response
        announce(what, len(responses), len(calls))
    lost = [call.request.request_id for call in calls if call.request.request_id not in responses]
    if lost:
        raise RuntimeError(
            f"engine {engine.model} lost {len(lost)} of {len(calls)} requests, first {lost[0]}"
        )
    return responses
