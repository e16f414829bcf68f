"""Operations: how a model is asked, from rendering to parsing.

Every question to a model is an `Operation`: a template, typed inputs and a parser. `ask` returns
one `Reply` per subject, in the order asked, and drops none. Calls that share a prompt prefix form
a `Group` and are sent together.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Generic, Protocol, TypeVar

from tasks.core.budget import Purse
from tasks.core.ids import canonical_json, sha256_hex, stable_id
from tasks.core.rows import Field, Prefix, Request, Response, Sampling
from tasks.inference import prompts
from tasks.inference.images.images import Image, Images, marks_of
from tasks.inference.replies import ONLY_THOUGHTS, ParseError, answer_of
from tasks.text.tokens import count_tokens

Inputs = TypeVar("Inputs")
Value = TypeVar("Value")
Thing = TypeVar("Thing")

# Tokens below which a prefix is short, and calls per portion on a short prefix.
_SHORT_PREFIX = 1_024
_PORTION = 32

# The operation that warms up a group's prefix; its answer of one token is never read.
PRIME = "prime"

# Failures that would recur: the response cache keeps them like answers.
FINAL_ERRORS = frozenset({"context_overflow", "content_filter", "bad_request", "cut_before_answer"})
# Also kept, so that an answer of an earlier import does not come back.
NOT_IMPORTED_TYPE = "not_imported"


@dataclass(frozen=True)
class Operation(Generic[Inputs, Value]):
    """One kind of question to a model."""

    name: str  # unique, as in `requests.operation`
    template: str  # name of its file, without `.txt`; see `tasks.inference.prompts.read_template`
    inputs: type[Inputs]  # frozen dataclass; its fields are `str` and exactly the template's inputs
    parse: Callable[[str], Value]  # a reply's answer (`answer_of`) -> value; raises ParseError
    sampling: Sampling
    system: str | None = None  # file of a system message, without `.txt`; it has no inputs
    may_be_cut: bool = False  # whether a reply that hit `max_tokens` still counts
    schema: Mapping[str, Any] | None = None  # of a JSON reply, enforced by servers that can
    images: str | None = None  # the input that holds HTML and is shown as images, in the prefix
    cuts: str | None = None  # the input whose end may be left out to fit a window, in the prefix
    beside: tuple[str, ...] = ()  # prompt files, or folders of them, that its inputs quote

    @property
    def prompt_files(self) -> tuple[str, ...]:
        """The prompt files that it sends, with their extensions."""
        sent = tuple(f"{name}.txt" for name in (self.template, self.system) if name is not None)
        return (*sent, *self.beside)


@dataclass(frozen=True, slots=True)
class Call:
    """A request with its prefix's text, as an engine needs it.

    The prefix names its images by marks, but only `images` are sent: a mark in a filing's text is
    text.
    """

    request: Request
    prefix: Prefix
    schema: Mapping[str, Any] | None = None
    images: tuple[Image, ...] = ()
    serves: str | None = None  # of a primer: the piece of work of its group

    @property
    def prompt(self) -> str:
        return self.prefix.text + self.request.suffix

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The messages of a chat completion: system, if any, and user."""
        user = {"role": "user", "content": self.content()}
        system = self.prefix.system
        return [user] if system is None else [{"role": "system", "content": system}, user]

    def content(self, clean: Callable[[str], str] = str) -> str | list[dict[str, Any]]:
        """Return the user message: the prompt, or parts if it has images, between its halves."""
        if not self.images:
            return clean(self.prompt)
        texts = [
            {"type": "text", "text": clean(text)}
            for text in (self.prefix.text, self.request.suffix)
            if text
        ]
        return [texts[0], *(image.part for image in self.images), *texts[1:]]

    @property
    def key(self) -> str:
        """The key in the response cache; needs an engine with an identity."""
        assert self.request.key is not None
        return self.request.key

    @property
    def is_primer(self) -> bool:
        return self.request.operation == PRIME

    @property
    def work(self) -> str:
        """The piece of work for progress; repairs count separately."""
        is_repair = self.request.repairs is not None
        retries = ": retries of unreadable replies" if is_repair else ""
        return self.serves or self.request.operation + retries

    def placed(self, shard: int, seq: int) -> Call:
        """Return the call with its place in the step's rows."""
        return replace(self, request=replace(self.request, shard=shard, seq=seq))

    def inputs(self) -> dict[str, str]:
        """Return the operation's inputs, cut out of the prompt."""
        return cut_inputs(self.prompt, self.request.fields)


def cut_inputs(prompt: str, fields: Sequence[Field]) -> dict[str, str]:
    """Return a prompt's inputs by name, cut out at their recorded offsets."""
    return {field.name: prompt[field.start_char : field.end_char] for field in fields}


@dataclass(frozen=True, slots=True)
class Group:
    """Calls that share a prompt prefix and go to one replica.

    `open` renders its calls on demand, so that a run's prompts are never all in memory.
    """

    name: str
    work: str  # the piece of work that its calls count towards, primers aside
    weight: int  # tokens of the prefix
    n_calls: int
    open: Callable[[], Awaitable[Sequence[Call]]]


class Work(Protocol):
    """An engine's work: groups to open, and a receiver of answers."""

    groups: Sequence[Group]
    purse: Purse  # pays for its calls
    shared_prefixes: set[str]  # prefix_id of opened groups with more than one call to send

    def may_send(self) -> bool:
        """Return whether we surely hold the model's lease; raise `LeaseLost` if others do."""
        ...

    async def has_calls(self) -> bool:
        """Return whether an engine is needed; settle groups that need none."""
        ...

    async def open(self, group: Group) -> Sequence[Call]:
        """Open a group; return the calls to send."""
        ...

    async def answered(self, call: Call, response: Response) -> Sequence[Call]:
        """Keep an answer or final failure and have it read; return follow-ups to send next."""
        ...


class Engine(Protocol):
    """A model, or rules in its place, to use with `tasks.inference.client.ask`."""

    @property
    def model(self) -> str:
        """Its name, as in `requests.model`."""

    @property
    def identity(self) -> str | None:
        """Hash of what answers depend on besides prompt and sampling; None for rules."""


class Backend(Engine, Protocol):
    """An engine that answers calls itself."""

    async def answer(self, work: Work) -> None:
        """Answer every call of every group once, in any order, and follow-ups."""
        ...


@dataclass(frozen=True, slots=True)
class Reply(Generic[Value]):
    """The reply for one subject: a value, or why there is none."""

    subject_id: str
    request: Request
    response: Response
    value: Value | None
    error: str | None


@dataclass(frozen=True, slots=True)
class Question(Generic[Inputs]):
    """One subject's inputs to an operation."""

    subject_id: str
    inputs: Inputs
    case_id: str | None = None  # the subject's case, if it belongs to one
    # 0 the first time; on another occasion the same question is a call with an answer of its own
    occasion: int = 0
    schema: Mapping[str, Any] | None = None  # narrower than the operation's: what fits this subject


# --- render ------------------------------------------------------------------------------


def render(
    operation: Operation[Inputs, Any],
    model: str,
    questions: Sequence[Question[Inputs]],
    identity: str | None = None,
    prefix_tokens: Mapping[str, int] | None = None,
    images: Images | None = None,
) -> list[Call]:
    """Render questions as calls, in the same order.

    Args:
        identity: the engine's; without one the requests have no cache key.
        prefix_tokens: prefix_id -> tokens, if counted before.
        images: draws what the operation shows as images.
    """
    sampling = operation.sampling
    what = (operation.name, model, recorded(sampling))
    calls: list[Call] = []
    filled = _filled(operation, questions, prefix_tokens, images)
    for seq, (question, (prompt, prefix, prompt_sha256, shown)) in enumerate(
        zip(questions, filled, strict=True)
    ):
        again = (question.occasion,) if question.occasion else ()
        schema = question.schema or operation.schema
        request = Request(
            request_id=stable_id("req", *what, prompt_sha256, question.subject_id, *again),
            case_id=question.case_id,
            subject_id=question.subject_id,
            operation=operation.name,
            model=model,
            prefix_id=prefix.prefix_id,
            suffix=prompt.suffix,
            fields=prompt.fields,
            sampling=sampling,
            prompt_sha256=prompt_sha256,
            n_prompt_tokens=prefix.n_tokens + count_tokens(prompt.suffix),
            key=cache_key(identity, sampling, schema, prompt_sha256, question.occasion),
            repairs=None,
            shard=0,  # the step that writes the rows knows
            seq=seq,
        )
        calls.append(Call(request, prefix, schema, shown))
    return calls


def prefixes_of(
    operation: Operation[Inputs, Any],
    questions: Sequence[Question[Inputs]],
    prefix_tokens: Mapping[str, int] | None = None,
    images: Images | None = None,
) -> Iterator[Prefix]:
    """Yield the prefix of each question's prompt, as `render` makes it."""
    for _, prefix, *_ in _filled(operation, questions, prefix_tokens, images):
        yield prefix


def _filled(
    operation: Operation[Inputs, Any],
    questions: Sequence[Question[Inputs]],
    prefix_tokens: Mapping[str, int] | None,
    images: Images | None,
) -> Iterator[tuple[prompts.Prompt, Prefix, str, tuple[Image, ...]]]:
    """Yield each question's prompt, its prefix, the hash of both, and its images."""
    known = {} if prefix_tokens is None else prefix_tokens
    names = [field.name for field in dataclasses.fields(operation.inputs)]  # type: ignore[arg-type]
    system = None if operation.system is None else prompts.read_template(operation.system)
    heads = prompts.prefix_inputs_of(operation.template)
    # by the inputs of the prefix: a first prompt, its prefix and that one's hash
    filled: dict[tuple[str, ...], tuple[prompts.Prompt, Prefix, Any]] = {}
    for question in questions:
        inputs = {name: getattr(question.inputs, name) for name in names}
        shown: tuple[Image, ...] = ()
        if operation.images is not None:
            if images is None:
                raise TypeError(f"operation {operation.name} shows images, and nothing draws them")
            shown = images.of(inputs[operation.images])
            inputs[operation.images] = marks_of(shown)
        values = tuple(inputs[name] for name in heads)
        if values in filled:
            first, prefix, hashed = filled[values]
            prompt = prompts.fill(operation.template, inputs, first)
        else:
            prompt = prompts.fill(operation.template, inputs)
            text = (system or "") + prompt.prefix
            # hashed once, for the id and for every prompt that starts with it
            hashed = hashlib.sha256(text.encode("utf-8", "surrogatepass"))
            prefix_id = f"prefix-{hashed.hexdigest()[:16]}"
            n_tokens = known.get(prefix_id) or (
                count_tokens(text) + sum(image.n_tokens for image in shown)
            )
            prefix = Prefix(
                prefix_id=prefix_id, system=system, text=prompt.prefix, n_tokens=n_tokens
            )
            filled[values] = prompt, prefix, hashed
        whole = hashed.copy()
        whole.update(prompt.suffix.encode("utf-8", "surrogatepass"))
        yield prompt, prefix, whole.hexdigest(), shown


def prefix_id_of(text: str) -> str:
    """Return the id of a prompt prefix."""
    return f"prefix-{sha256_hex(text)[:16]}"


def cache_key(
    identity: str | None,
    sampling: Sampling,
    schema: Mapping[str, Any] | None,
    prompt_sha256: str,
    occasion: int = 0,
) -> str | None:
    """Return an answer's key in the response cache: 32 hexadecimal digits."""
    if identity is None:
        return None
    again = (occasion,) if occasion else ()
    return _key_of([identity, recorded(sampling), schema, prompt_sha256, *again])


def _key_of(parts: Sequence[Any]) -> str:
    return sha256_hex(canonical_json(parts))[:32]


@cache
def recorded(sampling: Sampling) -> dict[str, Any]:
    """Return a sampling as ids and keys use it, without what is not sent; there are few."""
    values = dataclasses.asdict(sampling)
    return {name: value for name, value in values.items() if value is not None}


def primer_id(first_request_id: str) -> str:
    """Return the primer's id for a group with this first request."""
    return stable_id(PRIME, first_request_id)


def primer(calls: Sequence[Call], identity: str) -> Call:
    """Return the call that warms up a group's prefix.

    Greedy answers on a cold and a warm prefix can differ; without a primer, that would count
    against whichever variant comes first.
    """
    first = calls[0]
    sampling = Sampling(temperature=0.0, max_tokens=1)
    request = replace(
        first.request,
        request_id=primer_id(first.request.request_id),
        case_id=None,
        subject_id=first.prefix.prefix_id,
        operation=PRIME,
        suffix="",
        fields=(),
        sampling=sampling,
        prompt_sha256=sha256_hex((first.prefix.system or "") + first.prefix.text),
        n_prompt_tokens=first.prefix.n_tokens,
        key=_key_of([PRIME, identity, first.request.key]),
        repairs=None,
    )
    return Call(request, first.prefix, images=first.images, serves=first.work)


def grouped(calls: Sequence[Call]) -> list[Group]:
    """Group calls by prefix and piece of work, in order of appearance."""
    by_prefix: dict[tuple[str, str], list[Call]] = {}
    for call in calls:
        by_prefix.setdefault((call.work, call.prefix.prefix_id), []).append(call)
    return [
        opened_group(part)
        for sharing in by_prefix.values()
        for part in portions(sharing, sharing[0].prefix.n_tokens)
    ]


def portions(calls: Sequence[Thing], n_prefix_tokens: int) -> Iterator[Sequence[Thing]]:
    """Yield the calls of one prefix together, or in portions if it is short.

    Hundreds of calls on a short prefix would keep one replica busy while others wait.
    """
    most = len(calls) if n_prefix_tokens >= _SHORT_PREFIX else _PORTION
    for start in range(0, len(calls), most):
        yield calls[start : start + most]


def opened_group(calls: Sequence[Call]) -> Group:
    """Return the group of calls that are already in memory."""

    async def opened() -> Sequence[Call]:
        return calls

    first = calls[0]
    return Group(first.prefix.prefix_id, first.work, first.prefix.n_tokens, len(calls), opened)


# --- read --------------------------------------------------------------------------------


def repair(call: Call, reply: Reply[Any]) -> Call:
    """Return the call that asks again and names the reply's problem."""
    added = prompts.fill(
        "repair", {"reply": reply.response.text or "", "problem": str(reply.error)}
    )
    suffix = call.request.suffix + added.suffix
    prompt_sha256 = sha256_hex((call.prefix.system or "") + call.prefix.text + suffix)
    request = replace(
        call.request,
        request_id=stable_id("req", "repair", call.request.request_id, prompt_sha256),
        suffix=suffix,
        prompt_sha256=prompt_sha256,
        n_prompt_tokens=call.request.n_prompt_tokens + count_tokens(added.suffix),
        key=call.request.key and _key_of([call.request.key, prompt_sha256]),
        repairs=call.request.request_id,
    )
    return Call(request, call.prefix, call.schema, call.images)


def read_reply(
    operation: Operation[Any, Value], request: Request, response: Response
) -> Reply[Value]:
    """Read a builder's or judge's response: its value, or the reason why it has none."""
    error: str | None = None
    value: Value | None = None
    if response.status != "ok" or response.text is None:
        error = f"the model did not answer: {response.error_type}: {response.error}"
    elif not response.text.strip() and response.reasoning:
        error = ONLY_THOUGHTS
    elif response.finish_reason == "length" and not operation.may_be_cut:
        error = f"the reply was cut off at {request.sampling.max_tokens} tokens"
    else:
        try:
            value = operation.parse(answer_of(response.text))
        except ParseError as unreadable:
            error = str(unreadable)
    return Reply(request.subject_id, request, response, value, error)
