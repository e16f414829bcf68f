"""The requests that a run really made, read from its lake, as groups for the simulator."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tasks.core.rows import Prefix, Request, Response
from tasks.inference.operation import PRIME
from tasks.lake.lake import Lake
from tasks.text.tokens import count_tokens, encoding
from tests.bench.scheduler.client import Call, PromptGroup
from tests.bench.scheduler.prompts import Numbering


@dataclass(frozen=True, slots=True)
class Logged:
    """What one step asked by one operation, in the order in which it asked.

    A judge's steps, one for each model or two, are one: their requests go out in one wave.
    """

    step: str
    operation: str
    groups: tuple[PromptGroup, ...]
    calls: tuple[Call, ...]


def read_log(lake: Path) -> list[Logged]:
    """Every step of every release that asked a model something, by operation.

    Tokens are cl100k's; an answer is as long as it was. Primers are left out: the simulated client
    makes its own.
    """
    store = Lake(lake)
    numbering = Numbering()
    found: dict[tuple[str, str, str, str], list[tuple[Request, Call]]] = {}
    tokens = {  # a prefix is written by the step that used it first
        prefix.prefix_id: encoding().encode_ordinary(prefix.text)
        for commit in store.commits()
        for prefix in store.each(commit, Prefix)
    }
    for commit in store.commits():
        if not commit.parts_of("requests"):
            continue
        answers = {response.request_id: response for response in store.read(commit, Response)}
        requests = [
            request for request in store.read(commit, Request) if request.operation != PRIME
        ]
        requests.sort(key=lambda request: (request.shard, request.seq))
        wave, is_judged, _ = commit.step.name.partition(".judge.")
        step = f"{wave}.judge" if is_judged else commit.step.name
        for request in requests:
            prompt = numbering.of_tokens(
                tokens[request.prefix_id], encoding().encode_ordinary(request.suffix)
            )
            call = Call(prompt, _n_output(answers.get(request.request_id)))
            key = commit.step.release, step, request.operation, request.model
            found.setdefault(key, []).append((request, call))
    logged = []
    for (_, step, operation, _), asked in found.items():
        grouped: dict[str, list[Call]] = {}
        for request, call in asked:
            grouped.setdefault(request.prefix_id, []).append(call)
        groups = [
            PromptGroup(prefix_id, numbering.of_tokens(tokens[prefix_id]), tuple(calls))
            for prefix_id, calls in grouped.items()
        ]
        logged.append(Logged(step, operation, tuple(groups), tuple(call for _, call in asked)))
    return logged


def _n_output(response: Response | None) -> int:
    """Tokens of an answer; one where there was none, for that is computed before anyone knows."""
    if response is None or not response.text:
        return 1
    return max(1, response.n_output or count_tokens(response.text))
