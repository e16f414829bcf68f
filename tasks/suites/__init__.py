"""Suites: one value per benchmark that names its parts, prompts and metrics."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tasks.errors import WrongUsage
from tasks.operations import Engine, Operation
from tasks.schemas import AttackVerdict, Case, Context, Judgement, QAPair, Reject

Perturbation = Callable[..., Iterator[Case | Context | Reject]]


@dataclass(frozen=True, kw_only=True)
class Suite:
    """One benchmark.

    name            also the name of its `sql/metrics/<name>.sql`
    description     one line for `tenkbench suites`
    write           contexts -> question-answer pairs
    cite            pairs -> pairs with citations
    perturbations   name -> part; the order is the order of reports
    answer          the operation with which a model under test answers a case
    answer_inputs   (case, its context's text) -> the operation's inputs
    judge           answered cases -> judgements
    attacks         a judge -> its verdicts on the standing set of attacks
    operations      every operation of the suite by name: what the engines may be asked
    load_dataset    published file -> rows, where the suite has a published layout
    reports         its relations of `sql/reports`, in reading order
    headlines       those that a run ends with on the terminal
    """

    name: str
    description: str
    write: Callable[..., Iterator[QAPair | Reject]]
    cite: Callable[..., Iterator[QAPair | Reject]]
    perturbations: Mapping[str, Perturbation]
    answer: Operation[Any, str]
    answer_inputs: Callable[[Case, str], Any]
    judge: Callable[..., Iterator[Judgement]]
    attacks: Callable[[Engine], Iterator[AttackVerdict]]
    operations: Mapping[str, Operation[Any, Any]]
    load_dataset: Callable[..., Any]
    reports: tuple[str, ...]
    headlines: tuple[str, ...]


def by_name(*operations: Operation[Any, Any]) -> dict[str, Operation[Any, Any]]:
    """Operations as a registry.

    Raises:
        ValueError: two operations share a name.
    """
    registry: dict[str, Operation[Any, Any]] = {}
    for operation in operations:
        if operation.name in registry:
            raise ValueError(f"two operations are named {operation.name}")
        registry[operation.name] = operation
    return registry


class UnknownSuite(WrongUsage):
    """A suite that does not exist (yet)."""


def load_suite(name: str) -> Suite:
    """A suite by name; its parts are imported here, not before.

    Raises:
        UnknownSuite: there is none of this name; the message lists what there is.
    """
    if name not in SUITES:
        raise UnknownSuite(f"no suite is named {name!r}; `tenkbench suites` lists them: {', '.join(SUITES)}")
    return SUITES[name]()


def _failsafeqa() -> Suite:
    from tasks.suites.failsafeqa import SUITE

    return SUITE


SUITES: dict[str, Callable[[], Suite]] = {"failsafeqa": _failsafeqa}
