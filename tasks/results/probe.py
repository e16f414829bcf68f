"""Probe an endpoint: ask it once per kind of operation, and say what a models file should hold.

Ten questions on the packaged samples go through a suite's own operations, parsers and judge. Other
calls show its window, its schemas, its cache and its speed. Nothing is kept.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any

from tasks.core.errors import WrongUsage
from tasks.core.http_probe import NoAnswer, ask
from tasks.core.rows import Case, Context, QAPair, Request, Response
from tasks.inference.client import Client, ask_each
from tasks.inference.engines import load_engine
from tasks.inference.engines.dispatch import ROOM_TO_THINK
from tasks.inference.engines.failures import GaveUp
from tasks.inference.engines.openai import key_of
from tasks.inference.engines.openai_protocol import most_tokens, window_in
from tasks.inference.operation import FINAL_ERRORS, Call, grouped, read_reply, render
from tasks.models.catalogue import Model, check_reachable, find_model
from tasks.pipeline.plan import check_options
from tasks.pipeline.resolved import settings_of
from tasks.results.estimate.call_costs import Counting, by_rules, questions_of
from tasks.results.estimate.trial_build import TrialBuild, spread
from tasks.suites.judge import Answered

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
_LEAST_RATIO, _MOST_RATIO = 0.5, 2.5  # to our counts, of another tokenizer's; others are odd


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
    token_ratio: float | None
    thinks: bool
    is_cut_short: bool  # a reply reached its limit of tokens before the answer
    answer_s: float  # what the longest answer takes, from one short answer
    n_left_out: int  # questions and judgements, since the server is slow
    obedience: tuple[Obedience, ...]

    @property
    def row(self) -> str:
        """The model's row in a models file, as TOML; other keys of a row that it has stay as is."""
        keys = {
            "engine": self.model.engine,
            "description": self.model.description if self.model.has_row else "our endpoint",
            "base_url": self.model.base_url,
            "served_as": self.model.served_as or self.model.repository,
            "key_env": self.model.key_env,
            "window": self.window,
            "token_ratio": self.token_ratio,
            "has_schema": self.follows_schema or None,
            "thinks": self.thinks or None,
            "thinking_tokens": ROOM_TO_THINK if self.is_cut_short else None,
        }
        # JSON's texts, numbers and booleans are TOML's, too
        lines = [f"{key} = {json.dumps(value)}" for key, value in keys.items() if value is not None]
        if self.model.key_env is None:
            lines.append('# key_env = "VARIABLE"  # the environment variable that holds its key')
        if self.model.has_row:
            lines.append("# and what else is in its row now")
        return "\n".join([f"[models.{json.dumps(self.model.name)}]", *lines])


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
    with TemporaryDirectory() as folder:
        return _Probing(model, suite, folder).probed()


class _Probing:
    def __init__(self, model: Model, suite: str, folder: str) -> None:
        self.row = model
        self.model = replace(model, patience_s=_PATIENCE_S, prime=False)
        self.run = check_options(settings_of(suite=suite, lake=folder, workers=1))
        rules = by_rules(self.run)
        self.build = TrialBuild(self.run, lambda name: Counting(find_model(name), None, rules))
        self.texts = {context.context_id: context.text for context in self.build.all_rows(Context)}
        cases = [case for case in self.build.all_rows(Case) if case.context_id in self.texts]
        self.cases = {case.case_id: case for case in spread(cases, QUESTIONS)}
        self.client = self._client(self.model)
        self.until = monotonic() + _LONGEST_S
        self.answer_s = 0.0  # what the longest answer takes
        self.n_left_out = 0

    def _client(self, model: Model) -> Client:
        return Client(load_engine(model, self.run.suite.operations), part=None, remembers=True)

    def probed(self) -> Probed:
        """Ask everything, and say what the replies show."""
        groups = questions_of(self.run, "text", self.cases.values(), self.texts)
        operation, questions = next(iter(groups.items()))
        (call,) = render(operation, self.client.model, questions[:1], self.client.identity)
        sampling = replace(call.request.sampling, max_tokens=_SHORT_TOKENS)
        short = replace(call, request=replace(call.request, sampling=sampling))
        first = self._send(short, self.model)
        if first.status != "ok" and first.error_type not in FINAL_ERRORS:
            wrong, line = first.error_type == "prompt_truncated", "counts_tokens = false"
            remedy = f". If its counts are wrong: {self.row.remedy(line, line)}" if wrong else ""
            raise GaveUp(f"{self.row.name} answered none of its calls: {first.error}{remedy}")
        alone = [first, self._send(short, self.model)]
        short_s = max(reply.latency_ms or 0.0 for reply in alone) / 1000
        self.answer_s = short_s * most_tokens(call, self.model) / _SHORT_TOKENS
        strict = self._send(replace(short, schema=_SCHEMA), replace(self.model, has_schema=True))
        in_time = [(operation, self._in_time(some)) for operation, some in groups.items()]
        replies = [reply for some in ask_each(self.client, in_time) for reply in some]
        self._judge({reply.subject_id: (reply.request, reply.response) for reply in replies})
        answered = [
            (record.requests[key], response)
            for record in self.client.records.values()
            for key, response in record.responses.items()
        ]
        errors = {reply.error_type: reply.error or "" for _, reply in answered}
        refused = window_in(errors.get("context_overflow", ""))
        return Probed(
            model=self.row,
            window=refused or self.row.window or _listed_window(self.model),
            follows_schema=_obeys(strict),
            reports_cached=any(response.n_cached is not None for response in alone),
            token_ratio=_ratio(answered),
            thinks=any(response.reasoning for _, response in answered),
            is_cut_short="cut_before_answer" in errors,
            answer_s=self.answer_s,
            n_left_out=self.n_left_out,
            obedience=tuple(self._obedience()),
        )

    def _send(self, call: Call, model: Model) -> Response:
        """Send a call; nobody but us asks for its answer, so the client need not know it."""

        async def sent() -> Response:
            async with asyncio.timeout(self.until - monotonic()):
                stream = self._client(model).stream(grouped([call]))
                (response,) = [response async for _, response in stream]
                return response

        try:
            return asyncio.run(sent())
        except TimeoutError as error:
            raise GaveUp(
                f"{model.name} is too slow for a probe, or hangs: its answers of at most "
                f"{_SHORT_TOKENS} tokens were not there after {_LONGEST_S:.0f} s. Read its log. A "
                "run waits as long as tokens come"
            ) from error

    def _in_time(self, some: list[Any]) -> list[Any]:
        """Return as many as a slow server answers in time, one after the other."""
        n = int((self.until - monotonic()) / self.answer_s) if self.answer_s else len(some)
        self.n_left_out += max(0, len(some) - n)
        return some[: max(0, n)]

    def _judge(self, replies: Mapping[str, tuple[Request, Response]]) -> None:
        """Have the model judge its own answers, if the suite has a judge of single answers."""
        judges = [j for j in self.run.suite.model_judges.values() if j.unit == "answer"]
        if not judges:
            return
        pairs = {pair.qa_pair_id: pair for pair in self.build.all_rows(QAPair)}
        answered = [
            Answered(
                case=self.cases[case_id],
                pair=pairs[self.cases[case_id].qa_pair_id],
                request=request,
                response=response,
                judge=self.model.name,
                context=self.texts[self.cases[case_id].context_id or ""],
            )
            for case_id, (request, response) in replies.items()
        ]
        judge = max(judges, key=lambda judge: judge.is_usual)
        list(judge.run(self._in_time(answered), self.client, self.run.options))

    def _obedience(self) -> Iterator[Obedience]:
        for name, record in self.client.records.items():
            firsts = [
                read_reply(self.run.suite.operations[name], request, record.responses[key])
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


def _listed_window(model: Model) -> int | None:
    """Return the window that the server lists for the model, or None."""
    if model.base_url is None:
        return None
    key = key_of(model)
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    try:
        rows = ask(f"{model.base_url.rstrip('/')}/models", headers=headers).json()["data"]
        of_model: dict[str, Any] = next((row for row in rows if row["id"] == model.called), {})
        windows = [of_model[name] for name in _WINDOWS if name in of_model]
    except (NoAnswer, LookupError, TypeError):  # or not in OpenAI's form
        return None
    return next((window for window in windows if isinstance(window, int) and window > 0), None)


def _obeys(reply: Response) -> bool:
    """Whether a reply was forced into `_SCHEMA`, which small models fill with whitespace."""
    text = "".join((reply.text or "").split())
    is_begun = reply.finish_reason == "length" and text != ""
    return text in _OBEYING or (is_begun and any(whole.startswith(text) for whole in _OBEYING))


def _ratio(answered: Sequence[tuple[Request, Response]]) -> float | None:
    """Return the ratio of the server's token counts to ours, or None if they are not credible."""
    ratios = [
        response.n_prompt / request.n_prompt_tokens
        for request, response in answered
        if response.n_prompt and request.n_prompt_tokens
    ]
    ratio = round(median(ratios), 2) if ratios else None
    return ratio if ratio and _LEAST_RATIO <= ratio <= _MOST_RATIO else None
