"""What every engine keeps to, whatever it answers with: one suite over the whole registry.

A new engine in `ENGINES` needs an entry in `READY`: how to get one that answers here and now.
"""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from tasks.baseline import load_rules
from tasks.core.rows import Response
from tasks.inference.engines import ENGINES, load_engine
from tasks.inference.operation import Call, Engine, Group, Question, primer, render
from tasks.models.catalogue import IMPORTED, Model
from tasks.suites.failsafeqa.answer import OPERATION
from tasks.suites.shared.contexts import ContextInputs
from tests.handed import Handed
from tests.servers.served import served
from tests.servers.serving import serving

KEY_ENV = "TENKBENCH_CONTRACT_KEY"
RULES = {"extractive"}


# --- one of each that answers ----------------------------------------------------------------


@contextmanager
def _rules(folder: Path, request: pytest.FixtureRequest) -> Iterator[Model]:
    yield Model(name="extractive", engine="extractive", description="")


@contextmanager
def _openai(folder: Path, request: pytest.FixtureRequest) -> Iterator[Model]:
    with serving(delay_ms=5) as server:
        yield Model(name="local", engine="openai", description="", base_url=server.url, in_flight=8)


@contextmanager
def _litellm(folder: Path, request: pytest.FixtureRequest) -> Iterator[Model]:
    with serving(delay_ms=5) as server, pytest.MonkeyPatch.context() as patched:
        patched.setenv(KEY_ENV, "sk-contract")
        yield Model(
            name="provider",
            engine="litellm",
            description="",
            served_as="openai/local",
            base_url=server.url,
            key_env=KEY_ENV,
            in_flight=8,
        )


@contextmanager
def _vllm(folder: Path, request: pytest.FixtureRequest) -> Iterator[Model]:
    request.getfixturevalue("ray_cluster")
    row = served(folder, "local", ("--delay-ms", "5"), on_cpu=True)
    yield replace(row, in_flight=8)
    from tasks.inference.engines.vllm import end_fleets

    end_fleets()


READY = {"extractive": _rules, "openai": _openai, "litellm": _litellm, "vllm": _vllm}


def test_every_engine_of_the_registry_is_held_to_the_contract() -> None:
    assert READY.keys() == ENGINES.keys() - {IMPORTED}  # which answers nothing but its file


@pytest.fixture(params=sorted(READY), scope="module")
def row(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Model]:
    """A model's row that its engine can answer for."""
    with READY[request.param](tmp_path_factory.mktemp(request.param), request) as made:
        yield made


def engine_of(row: Model) -> Engine:
    return load_engine(row, {OPERATION.name: OPERATION}, load_rules("failsafeqa"))


# --- calls -----------------------------------------------------------------------------------


def calls_of(row: Model, document: str, n_calls: int, asker: str = "") -> list[Call]:
    """So many questions to one document, rendered as a step renders them."""
    context = f"{document}. Net sales rose to $12 million in 2019. Costs fell."
    questions = [
        Question(
            f"{asker}{document}/{number}",
            ContextInputs(context=context, query=f"How high were net sales, {number}?"),
        )
        for number in range(n_calls)
    ]
    engine = engine_of(row)
    return render(OPERATION, engine.model, questions, engine.identity)


@dataclass
class Asked:
    """Groups as an engine is given them, and what it did with them."""

    groups: list[Group]
    opened: Counter[str] = field(default_factory=Counter)
    settled: list[tuple[Call, Response]] = field(default_factory=list)
    more: dict[str, list[Call]] = field(
        default_factory=dict
    )  # request_id -> what its answer gives rise to

    @classmethod
    def of(cls, groups: Sequence[Sequence[Call]]) -> Asked:
        asked = cls([])
        asked.groups = [
            asked._noted(f"group-{number}", calls) for number, calls in enumerate(groups)
        ]
        return asked

    def _noted(self, name: str, calls: Sequence[Call]) -> Group:
        async def opened() -> Sequence[Call]:
            self.opened[name] += 1
            await asyncio.sleep(0)
            return calls

        weight = calls[0].prefix.n_tokens if calls else 10
        return Group(name, OPERATION.name, weight, len(calls) or 3, opened)

    async def settle(self, call: Call, response: Response) -> Sequence[Call]:
        await asyncio.sleep(0)
        self.settled.append((call, response))
        return self.more.pop(call.request.request_id, ())

    def texts(self) -> dict[str, str | None]:
        return {call.request.subject_id: response.text for call, response in self.settled}


# --- the contract ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "sizes",
    [[], [1], [9], [1] * 25, [3, 1, 7, 2], [0, 2, 0, 0, 3, 0], [0, 0]],
    ids=lambda sizes: "-".join(map(str, sizes)) or "none",
)
def test_each_call_is_answered_once_in_any_number_of_groups(row: Model, sizes: list[int]) -> None:
    asked = Asked.of([calls_of(row, f"Report {number}", size) for number, size in enumerate(sizes)])
    asyncio.run(engine_of(row).answer(Handed(asked.groups, asked.settle)))
    wanted = Counter(
        call.request.request_id for group in asked.groups for call in asyncio.run(_calls(group))
    )
    assert Counter(call.request.request_id for call, _ in asked.settled) == wanted
    assert len(wanted) == sum(sizes)
    for call, response in asked.settled:
        assert response.request_id == call.request.request_id
        assert (response.status, response.error_type, response.error) == ("ok", None, None)
        assert response.text
        assert response.engine == row.engine
        assert response.attempts == 1
        assert (response.n_prompt or 0) > 0
        assert (response.n_output or 0) > 0


async def _calls(group: Group) -> Sequence[Call]:
    return await group.open()


def test_calls_that_answers_give_rise_to_are_answered_too(row: Model) -> None:
    *groups, late = [calls_of(row, f"Report {number}", 3) for number in range(4)]
    asked = Asked.of(groups)
    first, second = groups[0][0], groups[1][2]
    asked.more = {
        first.request.request_id: late[:2],
        late[0].request.request_id: late[2:],
        second.request.request_id: [],
    }
    asyncio.run(engine_of(row).answer(Handed(asked.groups, asked.settle)))
    order = [call.request.request_id for call, _ in asked.settled]
    assert Counter(order) == Counter(
        call.request.request_id for calls in (*groups, late) for call in calls
    )
    cause, *effects = (order.index(call.request.request_id) for call in (first, *late))
    assert all(cause < effect for effect in effects)
    assert {response.status for _, response in asked.settled} == {"ok"}


def test_only_rules_have_no_identity(row: Model) -> None:
    engine = engine_of(row)
    assert engine.model == row.name
    assert (engine.identity is None) == (row.engine in RULES)
    keys = {call.request.key for call in calls_of(row, "Report", 2)}
    assert keys == {None} if row.engine in RULES else None not in keys


@pytest.mark.parametrize("row", sorted(READY.keys() - RULES), indirect=True)
def test_a_group_with_a_primer_is_answered_primer_and_all(row: Model) -> None:
    engine = engine_of(row)
    assert engine.identity is not None
    calls = calls_of(row, "Primed", 3)
    asked = Asked.of([[primer(calls, engine.identity), *calls]])
    asyncio.run(engine.answer(Handed(asked.groups, asked.settle)))
    assert [call.is_primer for call, _ in asked.settled] == [True, False, False, False]


# --- imports -----------------------------------------------------------------------------


def test_engines_are_imported_when_they_are_used() -> None:
    import subprocess

    heavy = ["ray", "litellm", "aiohttp", "prefect"]
    script = (
        "import sys, tasks.inference.engines; "
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    said = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert said.stdout.strip() == "[]"
