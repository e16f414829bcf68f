"""A suite's own judge for answers that another tool has: one row of its task file at a time."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from tasks.core.errors import WrongUsage
from tasks.core.rows import Case, QAPair, Request, Response, Sampling
from tasks.core.tables import from_record
from tasks.inference.client import Client
from tasks.inference.engines import load_engine
from tasks.inference.operation import Call, Work
from tasks.models.catalogue import find_model
from tasks.pipeline.clients import rules_of
from tasks.pipeline.resolved import ResolvedRun, resolve
from tasks.pipeline.settings import RunSettings
from tasks.suites.shared.judging import Answered

# (system message or None, prompt) -> the grader's reply
Ask = Callable[[str | None, str], Coroutine[Any, Any, str]]


class Judged(NamedTuple):
    """A judge's verdict on one answer; `value` is from 0 (wrong) to 1, None if unscored."""

    value: float | None
    said: str  # the rating, label or score, or why there is none
    reason: str | None  # the judge's own


def judge_answer(
    suite: str, row: Mapping[str, Any], answer: str, *, is_cut: bool = False, ask: Ask | None = None
) -> Judged:
    """Judge an answer to a row of the suite's task file by the suite's default judge.

    Args:
        is_cut: whether the answer hit its limit of tokens.
        ask: asks the model that plays the judge; None: tenkbench's rules play it, or the judge is
            a rule anyhow. Called from another thread than the one that waits for this function.

    Raises:
        WrongUsage: `ask` is given, but a rule judges the suite.
    """
    run = _resolved(suite)
    named = run.judges[0]
    case = from_record(Case, json.loads(row["case"]))
    request = Request(
        request_id=case.case_id,
        case_id=case.case_id,
        subject_id=case.case_id,
        operation=row["operation"],
        model="under test",
        prefix_id="",
        suffix="",
        fields=(),
        sampling=Sampling(temperature=0.0, max_tokens=1),
        prompt_sha256="",
        n_prompt_tokens=0,
        key=None,
        repairs=None,
        shard=0,
        seq=0,
    )
    answered = Answered(
        case=case,
        pair=from_record(QAPair, json.loads(row["pair"])),
        request=request,
        response=_response(request.request_id, answer, "length" if is_cut else "stop"),
        judge=named.name,
    )
    if ask is not None and named.model is None:
        raise WrongUsage(f"The rule '{named.name}' judges {suite}. Leave out the grader.")
    engine = None
    if named.model is not None:
        engine = _rules(suite) if ask is None else Client(_Grader(ask), part=None)
    (judgement,) = named.judge.run([answered], engine, run.options)
    said = next(
        each
        for each in (
            judgement.unscored_reason,
            judgement.rating,
            judgement.label,
            judgement.score,
        )
        if each is not None
    )
    return Judged(named.judge.right(case, judgement), str(said), judgement.rationale)


@cache
def _resolved(suite: str) -> ResolvedRun:
    return resolve(RunSettings(suite=suite))


def _rules(suite: str) -> Client:
    run = _resolved(suite)
    model = run.judges[0].model
    assert model is not None
    rules = rules_of(run.settings, model)
    return Client(
        load_engine(find_model(model), run.suite.operations, workers=1, rules=rules), part=None
    )


def _response(request_id: str, text: str, finish_reason: str) -> Response:
    return Response(
        request_id=request_id,
        status="ok",
        text=text,
        finish_reason=finish_reason,
        attempts=1,
        engine="another tool",
    )


@dataclass(frozen=True)
class _Grader:
    """A model that another tool asks."""

    ask: Ask
    model: str = "grader"
    identity: str = "another tool's grader"

    async def answer(self, work: Work) -> None:
        calls: Sequence[Call] = [call for each in work.groups for call in await work.open(each)]
        while calls:
            more: list[Call] = []
            for call in calls:
                text = await self.ask(call.prefix.system, call.prompt)
                response = _response(call.request.request_id, text, "stop")
                more += await work.answered(call, response)
            calls = more


def in_loop(loop: asyncio.AbstractEventLoop, ask: Ask) -> Ask:
    """Let `ask` run in the loop of the tool that has the model, called from any other loop."""

    async def asked(system: str | None, prompt: str) -> str:
        asking = asyncio.run_coroutine_threadsafe(ask(system, prompt), loop)
        return await asyncio.wrap_future(asking)

    return asked
