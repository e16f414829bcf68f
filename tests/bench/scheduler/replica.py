"""One vLLM replica's scheduler, step by step, without the model.

Follows vLLM 0.32's V1 `Scheduler` with prefix caching and chunked prefill, first come first served:
each step hands a budget of tokens to the running requests, then admits waiting ones; who needs a
block where none is free sends the youngest running request back to the front of the queue, to be
computed again. tests/vllm holds it equal to vLLM's own on hits, steps and preemptions. Not
modelled: asynchronous scheduling (a lag of one step in taking a request's last block), speculation,
windows.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.bench.scheduler.cache import BlockCache
from tests.bench.scheduler.prompts import BLOCK, Prompt


@dataclass(slots=True, eq=False)
class Work:
    """One request at a replica.

    number       the request's; its output is told from all others by it
    n_cached     tokens found in cache when it was first admitted; None before
    n_recached   tokens found in cache when it was admitted again
    n_preempted  how often it was sent back
    """

    number: int
    prompt: Prompt
    max_tokens: int
    n_cached: int | None = None
    n_recached: int = 0
    n_preempted: int = 0
    n_tokens: int = 0  # prompt and output so far
    n_computed: int = 0
    n_kept: int = 0  # blocks that can be found
    blocks: list[int] = field(default_factory=list)
    contents: Sequence[int] = ()  # of the prompt's full blocks, then of those with output

    def __post_init__(self) -> None:
        self.n_tokens = self.prompt.n_tokens
        self.contents = self.prompt.blocks

    @property
    def n_output(self) -> int:
        return self.n_tokens - self.prompt.n_tokens


@dataclass(frozen=True, slots=True)
class Step:
    """What one step did: tokens computed, the positions they attended to (summed), who finished."""

    n_tokens: int
    n_attended: int
    n_resident: int  # tokens whose keys and values were read
    finished: Sequence[Work]


class Replica:
    """The scheduler of one replica: requests go in, steps come out."""

    def __init__(
        self, n_blocks: int, max_batched_tokens: int = 8192, max_sequences: int = 1024
    ) -> None:
        self.cache = BlockCache(n_blocks)
        self.max_batched_tokens = max_batched_tokens
        self.max_sequences = max_sequences
        self.waiting: deque[Work] = deque()
        self.running: list[Work] = []
        self.n_steps = 0
        self.n_preemptions = 0
        self.n_computed = 0  # tokens, over all steps

    @property
    def is_idle(self) -> bool:
        return not self.waiting and not self.running

    def add(self, work: Work) -> None:
        """Queue a request.

        Raises:
            ValueError: it can never fit.
        """
        if -(-(work.prompt.n_tokens + work.max_tokens) // BLOCK) > self.cache.n_blocks:
            raise ValueError(f"request {work.number} is longer than the cache")
        self.waiting.append(work)

    def step(self) -> Step:
        """One step: hand out the budget, compute, give each finished prompt its next token."""
        scheduled, n_tokens, n_attended, n_resident = self._schedule()
        finished: list[Work] = []
        for work in scheduled:
            if work.n_computed == work.n_tokens:
                work.n_tokens += 1
                if work.n_tokens % BLOCK == 0:
                    self._number_output(work)
                if work.n_tokens - work.prompt.n_tokens >= work.max_tokens:
                    finished.append(work)
        for work in finished:
            self.cache.release(work.blocks)
            work.blocks = []
        if finished:
            ended = {id(work) for work in finished}
            self.running = [work for work in self.running if id(work) not in ended]
        if n_tokens:
            self.n_steps += 1
            self.n_computed += n_tokens
        return Step(n_tokens, n_attended, n_resident, finished)

    def _schedule(self) -> tuple[list[Work], int, int, int]:
        budget = self.max_batched_tokens
        n_attended = n_resident = 0
        n_preempted_before = self.n_preemptions
        scheduled: list[Work] = []
        index = 0
        while index < len(self.running) and budget > 0:
            work = self.running[index]
            n_new = work.n_tokens - work.n_computed
            # the usual case first: one more token in a block that has room and stays short of full
            if n_new != 1 or not 0 < work.n_computed % BLOCK < BLOCK - 1:
                n_new = min(n_new, budget)
                if not self._grow(work, n_new):
                    break
            budget -= n_new
            n_attended += n_new * work.n_computed + n_new * (n_new + 1) // 2
            work.n_computed += n_new
            n_resident += work.n_computed
            scheduled.append(work)
            index += 1
        if self.n_preemptions == n_preempted_before:
            while self.waiting and budget > 0 and len(self.running) < self.max_sequences:
                work = self.waiting[0]
                if not (n_new := self._admit(work, budget)):
                    break
                budget -= n_new
                n_attended += n_new * work.n_computed + n_new * (n_new + 1) // 2
                work.n_computed += n_new
                n_resident += work.n_computed
                self.running.append(self.waiting.popleft())
                scheduled.append(work)
        return scheduled, self.max_batched_tokens - budget, n_attended, n_resident

    def _grow(self, work: Work, n_new: int) -> bool:
        """Blocks for a running request's next tokens; False when it had to go itself."""
        n_after = work.n_computed + n_new
        n_missing = -(-n_after // BLOCK) - len(work.blocks)
        if n_missing > 0:
            while n_missing > self.cache.n_free:
                youngest = self.running.pop()
                self._preempt(youngest)
                if youngest is work:
                    return False
            work.blocks += self.cache.take(n_missing)
        if n_after // BLOCK > work.n_kept:
            self._keep(work, n_after)
        return True

    def _admit(self, work: Work, budget: int) -> int:
        """Return the tokens of a waiting request to compute in this step; 0 if not all fits."""
        cache = self.cache
        hits = cache.find(work.contents, (work.n_tokens - 1) // BLOCK)
        n_missing = -(-work.n_tokens // BLOCK) - len(hits)
        if n_missing + cache.n_unused(hits) > cache.n_free:
            return 0
        n_hit = BLOCK * len(hits)
        if work.n_preempted:
            work.n_recached += n_hit
        else:
            work.n_cached = n_hit
        n_new = min(work.n_tokens - n_hit, budget)
        cache.use(hits)
        work.blocks = hits
        work.n_kept = len(hits)
        work.n_computed = n_hit
        work.blocks += cache.take(-(-(n_hit + n_new) // BLOCK) - len(hits))
        self._keep(work, n_hit + n_new)
        return n_new

    def _keep(self, work: Work, n_computed: int) -> None:
        n_full = n_computed // BLOCK
        self.cache.keep(work.blocks, work.contents, work.n_kept, n_full)
        work.n_kept = n_full

    def _preempt(self, work: Work) -> None:
        self.cache.release(work.blocks)
        work.blocks = []
        work.n_computed = work.n_kept = 0
        work.n_preempted += 1
        self.n_preemptions += 1
        self.waiting.appendleft(work)

    def _number_output(self, work: Work) -> None:
        """A block with output is nobody else's; numbers from 2**40 up are no prompt's."""
        if work.contents is work.prompt.blocks:
            work.contents = list(work.prompt.blocks)
        index = work.n_tokens // BLOCK - 1
        work.contents.append((work.number + 1 << 40) + index)  # type: ignore[attr-defined]
