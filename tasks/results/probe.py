"""Probe an endpoint: ask it once per kind of operation, and say what a models file should hold.

Ten questions on the packaged samples go through a suite's own operations, parsers and judge. Other
calls show its window, its schemas, its cache and its speed. Nothing is kept.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, is_dataclass, replace
from datetime import date
from statistics import median
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any

from tasks.core.errors import WrongUsage
from tasks.core.http_probe import NoAnswer, ask
from tasks.core.rows import Request, Response
from tasks.inference.client import Client, ask_each
from tasks.inference.engines import load_engine
from tasks.inference.engines.dispatch import ROOM_TO_THINK
from tasks.inference.engines.failures import GaveUp
from tasks.inference.engines.openai import key_of
from tasks.inference.engines.openai_protocol import most_tokens, window_in
from tasks.inference.operation import FINAL_ERRORS, Call, Question, grouped, read_reply, render
from tasks.models.catalogue import PROBE_HINT, Model, check_reachable, find_model
from tasks.pipeline.plan import check_options
from tasks.pipeline.resolved import settings_of
from tasks.results.estimate.counting import Counting, Rules
from tasks.results.estimate.trial_build import TrialBuild, sampled
from tasks.suites.judge import Answered
from tasks.suites.suite import AnyOperation, Suite

QUESTIONS = 10
# A person waits: a run would wait longer for a server that is slow or down.
_LONGEST_S, _PATIENCE_S = 300.0, 10.0
_SHORT_TOKENS = 64  # of answers that nobody reads
# What servers call the window: vLLM and SGLang, OpenRouter, Groq, LM Studio and Mistral.
_WINDOWS = ("max_model_len", "context_length", "context_window", "max_context_length")
# No answer to a question begins like this, so a reply that does was forced to.
_SCHEMA = {
    "type": "object",
    "properties": {"side": {"type": "string", "enum": ["left", "right"]}},
    "required": ["side"],
    "additionalProperties": False,
}
_OBEYING = ('{"side":"left"}', '{"side":"right"}')
# Counts within these of ours are another tokenizer's; others are odd.
_LEAST_RATIO, _MOST_RATIO = 0.5, 2.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Obedience:
    """How many of an operation's replies could be read at once, and why one could not."""

    operation: str
    asked: int
    readable: int
    problem: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Probed:
    """What an endpoint showed; None where it did not say."""

    model: Model
    window: int | None
    follows_schema: bool
    reports_cached: bool
    counts_tokens: bool  # whether its counts of prompt tokens can be those of our prompts
    token_ratio: float | None
    thinks: bool
    is_cut_short: bool  # a reply reached its limit of tokens before the answer
    answer_s: float  # what the longest answer takes, from one short answer
    tokens_per_s: float | None  # of the longest reply, after its first token if it was streamed
    first_token_s: float | None  # of the longest reply; None if it was not streamed
    n_left_out: int  # questions and judgements, since the server is slow
    obedience: tuple[Obedience, ...]

    @property
    def row(self) -> str:
        """The model's row in a models file, as TOML."""
        own = {
            column.name: getattr(self.model, column.name)
            for column in fields(self.model)
            if column.name not in ("name", "serving", "has_row")
            and getattr(self.model, column.name) != getattr(_PLAIN, column.name)
        }
        found = {
            "engine": self.model.engine,
            "description": self.model.description if self.model.has_row else "our endpoint",
            "served_as": self.model.served_as or self.model.repository,
            "window": self.window,
            "token_ratio": self.token_ratio,
            "has_schema": self.follows_schema or None,
            "counts_tokens": None if self.counts_tokens else False,
            "thinks": self.thinks or None,
            "thinking_tokens": ROOM_TO_THINK if self.is_cut_short else None,
        }
        keys = own | {key: value for key, value in found.items() if value is not None}
        lines = [f"{key} = {_toml(value)}" for key, value in keys.items()]
        if self.model.key_env is None:
            lines.append('# key_env = "VARIABLE"  # the environment variable that holds its key')
        return "\n".join([f"[models.{json.dumps(self.model.name)}]", *lines])


_PLAIN = Model(name="", engine="", description="")


def _toml(value: Any) -> str:
    """Write a value of a model's row; JSON's texts, numbers and booleans are TOML's, too."""
    if is_dataclass(value) and not isinstance(value, type):
        value = {name: each for name, each in asdict(value).items() if each is not None}
    if isinstance(value, Mapping):
        inner = ", ".join(f"{json.dumps(key)} = {_toml(each)}" for key, each in value.items())
        return f"{{ {inner} }}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_toml, value))}]"
    return value.isoformat() if isinstance(value, date) else json.dumps(value)


def probe(model: Model, suite: str) -> Probed:
    """Ask a model some thirty calls, and say what they show.

    Raises:
        UnreachableModel, GaveUp: the model cannot be asked; the message says what helps.
    """
    if model.engine not in ("openai", "litellm"):
        raise WrongUsage(
            f"{model.name} has no endpoint (engine {model.engine}). Name a running server: "
            "NAME@http://host:port/v1"
        )
    check_reachable(model)
    quick = replace(model, patience_s=_PATIENCE_S, prime=False)
    with TemporaryDirectory() as folder:
        try:
            return _Probing(quick, suite, folder).probed(model)
        except GaveUp as gave_up:
            raise GaveUp(str(gave_up).replace(PROBE_HINT, "")) from gave_up


class _Probing:
    def __init__(self, model: Model, suite: str, folder: str) -> None:
        self.run = check_options(settings_of(suite=suite, lake=folder, workers=1))
        self.suite: Suite = self.run.suite
        self.model = model
        self.client = self._client(model)
        self.until = monotonic() + _LONGEST_S
        self.answer_s = 0.0  # what the longest answer takes
        self.n_left_out = 0

    def _client(self, model: Model) -> Client:
        return Client(load_engine(model, self.suite.operations), part=None, remembers=True)

    def probed(self, row: Model) -> Probed:
        """Ask everything, and say what the replies show of the model in this row."""
        build = self._build()
        cases = {case.case_id: case for case in build.cases if case.context_id is not None}
        cases = {case_id: cases[case_id] for case_id in sampled(cases, QUESTIONS)}
        contexts = build.contexts({case.context_id for case in cases.values() if case.context_id})
        texts = {context.context_id: context.text for context in contexts}
        groups: dict[AnyOperation, list[Question]] = {}
        for case_id, case in cases.items():
            operation = self.suite.operation_of(case, self.run.options)
            inputs = operation.inputs.of(case, texts[case.context_id or ""])
            groups.setdefault(operation, []).append(Question(case_id, inputs, case_id))
        operation, questions = next(iter(groups.items()))
        (call,) = render(operation, self.client.model, questions[:1], self.client.identity)
        short = _limited(call, _SHORT_TOKENS)
        counts = self._counts(short)
        again = replace(short, request=replace(short.request, request_id="again"))
        alone = [*self._send(short), *self._send(again)]
        if alone[0].status != "ok" and alone[0].error_type not in FINAL_ERRORS:
            raise GaveUp(f"{row.name} answered none of its calls: {alone[0].error}")
        short_s = max(reply.latency_ms or 0.0 for reply in alone) / 1000
        self.answer_s = short_s * most_tokens(call, self.model) / _SHORT_TOKENS
        follows_schema = self._follows_schema(short)
        in_time = [(operation, self._in_time(some)) for operation, some in groups.items()]
        replies = [reply for some in ask_each(self.client, in_time) for reply in some]
        self._judge(build, cases, replies, texts)
        asked = [
            (record.requests[key], response)
            for record in self.client.records.values()
            for key, response in record.responses.items()
        ]
        tokens_per_s, first_token_s = _speed([*alone, *(response for _, response in asked)])
        return Probed(
            model=row,
            window=_stated(asked) or row.window or _listed_window(self.model),
            follows_schema=follows_schema,
            reports_cached=any(response.n_cached is not None for response in alone),
            counts_tokens=counts,
            token_ratio=_ratio(asked) if counts else None,
            thinks=any(response.reasoning for _, response in asked),
            is_cut_short=any(response.error_type == "cut_before_answer" for _, response in asked),
            answer_s=self.answer_s,
            tokens_per_s=tokens_per_s,
            first_token_s=first_token_s,
            n_left_out=self.n_left_out,
            obedience=tuple(self._obedience()),
        )

    def _build(self) -> TrialBuild:
        rules = Rules(self.run)
        return TrialBuild(self.run, lambda name: Counting(find_model(name), None, rules.play))

    def _send(self, call: Call, client: Client | None = None) -> list[Response]:
        """Send a call; nobody but us asks for its answer, so the client need not know it."""
        chosen = client or self._client(self.model)

        async def sent() -> list[Response]:
            async with asyncio.timeout(self.until - monotonic()):
                return [response async for _, response in chosen.stream(grouped([call]))]

        try:
            return asyncio.run(sent())
        except TimeoutError as error:
            raise GaveUp(
                f"{self.model.name} is too slow for a probe, or hangs: its answers of at most "
                f"{_SHORT_TOKENS} tokens were not there after {_LONGEST_S:.0f} s. Read its log. A "
                "run waits as long as tokens come"
            ) from error

    def _in_time(self, some: list[Any]) -> list[Any]:
        """Return as many as a slow server answers in time, one after the other."""
        n = int((self.until - monotonic()) / self.answer_s) if self.answer_s else len(some)
        self.n_left_out += max(0, len(some) - n)
        return some[: max(0, n)]

    def _counts(self, call: Call) -> bool:
        """Return whether its counts of prompt tokens can be right; if not, ask without them."""
        (response,) = self._send(call)
        if response.error_type != "prompt_truncated":
            return True
        self.model = replace(self.model, counts_tokens=False)
        self.client = self._client(self.model)
        return False

    def _follows_schema(self, call: Call) -> bool:
        client = self._client(replace(self.model, has_schema=True))
        (response,) = self._send(replace(call, schema=_SCHEMA), client)
        return _obeys(response)

    def _judge(
        self, build: TrialBuild, cases: dict[str, Any], replies: Sequence[Any], texts: Any
    ) -> None:
        """Have the model judge its own answers, if the suite has a judge of single answers."""
        judges = [
            (judge.is_usual, name)
            for name, judge in self.suite.model_judges.items()
            if judge.unit == "answer"
        ]
        if not judges:
            return
        judge = self.suite.judges[max(judges, key=lambda each: each[0])[1]]
        answered = [
            Answered(
                case=case,
                pair=build.pairs[case.qa_pair_id],
                request=reply.request,
                response=reply.response,
                judge=self.model.name,
                context=texts[case.context_id],
            )
            for reply in replies
            for case in [cases[reply.subject_id]]
        ]
        list(judge.run(self._in_time(answered), self.client, self.run.options))

    def _obedience(self) -> Iterator[Obedience]:
        for name, record in self.client.records.items():
            operation = self.suite.operations[name]
            firsts = [
                read_reply(operation, request, record.responses[key])
                for key, request in record.requests.items()
                if request.repairs is None
                and record.responses[key].error_type != "context_overflow"  # no reply
            ]
            problems = [reply.error for reply in firsts if reply.error is not None]
            yield Obedience(
                operation=name,
                asked=len(firsts),
                readable=len(firsts) - len(problems),
                problem=problems[0] if problems else None,
            )


def _stated(asked: Sequence[tuple[Request, Response]]) -> int | None:
    """Return the smallest window that the server named as it refused a prompt, or None."""
    refusals = (
        response.error or "" for _, response in asked if response.error_type == "context_overflow"
    )
    return min(filter(None, map(window_in, refusals)), default=None)


def _speed(replies: Sequence[Response]) -> tuple[float | None, float | None]:
    """Return tokens a second of the longest reply, and seconds to its first token; None: unknown.

    Calls of a probe are in flight together, as those of a run are.
    """
    timed = [reply for reply in replies if reply.n_output and reply.latency_ms]
    longest = max(timed, key=lambda reply: reply.n_output or 0, default=None)
    if longest is None or longest.n_output is None or longest.latency_ms is None:
        return None, None
    first_ms = longest.first_token_ms
    if first_ms is None:
        return 1000 * longest.n_output / longest.latency_ms, None
    ms = longest.latency_ms - first_ms  # of all tokens but the first
    return (1000 * (longest.n_output - 1) / ms if ms > 0 else None), first_ms / 1000


def _listed_window(model: Model) -> int | None:
    """Return the window that the server lists for the model, or None."""
    if model.base_url is None:
        return None
    key = key_of(model)
    try:
        listed = ask(
            f"{model.base_url.rstrip('/')}/models",
            headers={"Authorization": f"Bearer {key}"} if key else {},
        ).json()
    except NoAnswer:
        return None
    rows = listed.get("data") if isinstance(listed, dict) else None
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, dict) and row.get("id") == model.called:
            found = (row.get(name) for name in _WINDOWS)
            return next((n for n in found if isinstance(n, int) and n > 0), None)
    return None


def _limited(call: Call, max_tokens: int) -> Call:
    sampling = replace(call.request.sampling, max_tokens=max_tokens)
    return replace(call, request=replace(call.request, sampling=sampling))


def _obeys(reply: Response) -> bool:
    """Whether a reply was forced into `_SCHEMA`, which small models fill with whitespace."""
    text = "".join((reply.text or "").split())
    is_begun = reply.finish_reason == "length" and text != ""
    return text in _OBEYING or (is_begun and any(whole.startswith(text) for whole in _OBEYING))


def _ratio(asked: Sequence[tuple[Request, Response]]) -> float | None:
    """Return the ratio of the server's token counts to ours, or None if they are not credible."""
    found = [
        response.n_prompt / request.n_prompt_tokens
        for request, response in asked
        if response.n_prompt and request.n_prompt_tokens
    ]
    ratio = round(median(found), 2) if found else None
    return ratio if ratio and _LEAST_RATIO <= ratio <= _MOST_RATIO else None
