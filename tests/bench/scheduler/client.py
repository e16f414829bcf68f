"""Replicas and the client that keeps them busy: closed loop, some calls in flight at each replica.

Time is modelled (`Hardware`), and only decides which replica's step comes next; hits, tokens and
preemptions are the scheduler's. An answer is known at the end of the step that finished it, and the
next call arrives before the next step.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol, cast

from tasks.inference.engines.scheduling import Queues
from tests.bench.scheduler.prompts import BLOCK, Prompt, least_computed
from tests.bench.scheduler.replica import Replica, Step, Work


@dataclass(frozen=True, slots=True, kw_only=True)
class Hardware:
    """One replica of a model on H100s: its cache size, and the (modelled) time of a step."""

    name: str
    parameters_b: float
    weights_gb: float
    kv_bytes: int  # per token, over all layers and GPUs
    attention_width: int  # layers x hidden size
    gpus: int
    replicas: int

    @property
    def cache_blocks(self) -> int:
        """Blocks that fit beside the weights in 90 % of 80 GB a GPU."""
        return int((80e9 * 0.9 * self.gpus - self.weights_gb * 1e9) / (self.kv_bytes * BLOCK))

    def seconds(self, step: Step) -> float:
        """Modelled: half of 989 TFLOP/s, 80 % of 3.35 TB/s, 3 ms of overhead."""
        flops = (
            2 * self.parameters_b * 1e9 * step.n_tokens + 4 * self.attention_width * step.n_attended
        )
        n_bytes = self.weights_gb * 1e9 + self.kv_bytes * step.n_resident
        return (
            max(flops / (self.gpus * 989e12 * 0.5), n_bytes / (self.gpus * 3.35e12 * 0.8)) + 0.003
        )


LLAMA_8B = Hardware(
    name="8 x 8B",
    parameters_b=8,
    weights_gb=16,
    kv_bytes=128 * 1024,
    attention_width=32 * 4096,
    gpus=1,
    replicas=8,
)
QWEN_72B = Hardware(
    name="2 x 72B TP4",
    parameters_b=72.7,
    weights_gb=145.4,
    kv_bytes=320 * 1024,
    attention_width=80 * 8192,
    gpus=4,
    replicas=2,
)


@dataclass(frozen=True, slots=True)
class Call:
    """One call: its prompt, and how many tokens it will answer with."""

    prompt: Prompt
    n_output: int


@dataclass(frozen=True, slots=True)
class PromptGroup:
    """Calls that share a prefix; named and weighted as `tasks.inference.operation.Group` is."""

    name: str
    prefix: Prompt
    calls: Sequence[Call]

    @property
    def weight(self) -> int:
        return self.prefix.n_tokens

    @property
    def n_calls(self) -> int:
        return len(self.calls)


class Feed(Protocol):
    """What the client sends to one replica next."""

    def next_call(self) -> Call | None:
        """The next call, or None where none may be sent now."""
        ...

    def answered(self, call: Call) -> None: ...


class InOrder:
    """Calls one after the other, whatever they share."""

    def __init__(self, calls: Sequence[Call]) -> None:
        self._calls = deque(calls)

    def next_call(self) -> Call | None:
        return self._calls.popleft() if self._calls else None

    def answered(self, call: Call) -> None:
        pass


@dataclass(slots=True)
class _Open:
    group: PromptGroup
    unsent: deque[Call]
    primer: Call
    n_unanswered: int
    is_warm: bool = False


class InGroups:
    """Group after group; a group's calls go out when its primer has been answered.

    Another group is opened when no open one has a call to send, as long as the prefixes of the open
    ones together stay below `open_tokens`; one group at least is always open. Which group is next
    the dispatcher's own `Queues` say, so a replica that has begun all its groups takes others'.
    """

    def __init__(self, queues: Queues, own: int, open_tokens: float) -> None:
        self._queues = queues
        self._own = own
        self._open_tokens = open_tokens
        self._opened: list[_Open] = []
        self._open_of: dict[int, _Open] = {}  # id of a call in flight -> its group
        self._n_tokens = 0
        self._next: PromptGroup | None = None  # begun, as soon as it fits

    def next_call(self) -> Call | None:
        for opened in self._opened:
            if opened.is_warm and opened.unsent:
                call = opened.unsent.popleft()
                self._open_of[id(call)] = opened
                return call
        group = self._next or cast(
            "PromptGroup | None", self._queues.next(self._own, len(self._opened))
        )
        if group is None:
            return None
        if self._opened and self._n_tokens + group.weight > self._open_tokens:
            self._next = group
            return None
        self._next = None
        primer = Call(group.prefix, 1)
        opened = _Open(group, deque(group.calls), primer, len(group.calls))
        self._opened.append(opened)
        self._n_tokens += group.weight
        self._open_of[id(primer)] = opened
        return primer

    def answered(self, call: Call) -> None:
        opened = self._open_of.pop(id(call))
        if call is opened.primer:
            opened.is_warm = True
            return
        opened.n_unanswered -= 1
        if opened.n_unanswered == 0:
            self._opened.remove(opened)
            self._n_tokens -= opened.group.weight


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What a run came to.

    n_prompt     prompt tokens of the calls (primers are no calls)
    n_uncached   prompt tokens that were computed: primers' and what preemption repeated included
    n_least      what cannot be avoided: each unique block once, every end of a prompt
    work         tokens computed, prompt and output, per replica
    busy         modelled seconds in steps, per replica
    seconds      modelled, until the last answer
    """

    n_prompt: int
    n_uncached: int
    n_least: int
    n_output: int
    n_preemptions: int
    work: tuple[int, ...]
    busy: tuple[float, ...]
    seconds: float

    @property
    def hit_rate(self) -> float:
        """Share of the calls' prompt tokens that nobody computed."""
        return 1 - self.n_uncached / self.n_prompt

    @property
    def bound(self) -> float:
        """The highest hit rate that any order can have."""
        return 1 - self.n_least / self.n_prompt

    @property
    def share_of_bound(self) -> float:
        return self.hit_rate / self.bound if self.bound else 1.0


@dataclass(slots=True)
class _Server:
    replica: Replica
    feed: Feed
    clock: float = 0.0
    busy: float = 0.0
    sent: int = 0
    in_flight: dict[int, Call] = field(default_factory=dict)

    def send(self, most: int) -> bool:
        """Send one call more, where a slot is free and there is one to send."""
        if len(self.in_flight) >= most or (call := self.feed.next_call()) is None:
            return False
        self.in_flight[self.sent] = call
        self.replica.add(Work(self.sent, call.prompt, call.n_output))
        self.sent += 1
        return True


def run(
    feeds: Sequence[Feed],
    calls: Sequence[Call],
    hardware: Hardware,
    in_flight: int,
    replicas: Sequence[Replica] | None = None,
) -> Result:
    """Feed every replica until nothing is left.

    Args:
        calls: what the feeds will send, primers aside: for the bound.
        replicas: with what they have in cache; fresh ones when not given.
    """
    replicas = replicas or [Replica(hardware.cache_blocks) for _ in feeds]
    servers = [_Server(replica, feed) for replica, feed in zip(replicas, feeds, strict=True)]
    computed_before = [replica.n_computed for replica in replicas]
    preempted_before = sum(replica.n_preemptions for replica in replicas)
    n_decoded = 0
    turns = [(0.0, index) for index in range(len(servers))]
    filling = deque(servers)  # at the start all replicas open groups in turn
    while filling:
        server = filling.popleft()
        if server.send(in_flight):
            filling.append(server)
    while turns:
        now, index = heapq.heappop(turns)
        server = servers[index]
        while server.send(in_flight):
            pass
        if server.replica.is_idle:
            continue  # for good: whoever has nothing in flight may always open a group
        step = server.replica.step()
        seconds = hardware.seconds(step)
        server.busy += seconds
        server.clock = now + seconds
        for work in step.finished:
            n_decoded += work.n_output - 1  # the last token of an answer is never computed
            server.feed.answered(server.in_flight.pop(work.number))
        heapq.heappush(turns, (server.clock, index))
    computed = [
        replica.n_computed - before
        for replica, before in zip(replicas, computed_before, strict=True)
    ]
    return Result(
        n_prompt=sum(call.prompt.n_tokens for call in calls),
        n_uncached=sum(computed) - n_decoded,
        n_least=least_computed([call.prompt for call in calls]),
        n_output=sum(call.n_output for call in calls),
        n_preemptions=sum(replica.n_preemptions for replica in replicas) - preempted_before,
        work=tuple(computed),
        busy=tuple(server.busy for server in servers),
        seconds=max(server.clock for server in servers),
    )
