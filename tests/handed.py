"""Work that a test hands to an engine: groups as they are, and a function for each answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from tasks.core.budget import Purse
from tasks.core.rows import Response
from tasks.inference.operation import Call, Group

# Takes an answer; may return calls to send next.
Settle = Callable[[Call, Response], Awaitable[Sequence[Call] | None]]


class Handed:
    """Work without a cache.

    Args:
        settle: awaited while a call holds its slot.
        purse: pays for the calls; without one there is no limit.
    """

    def __init__(self, groups: Sequence[Group], settle: Settle, purse: Purse | None = None) -> None:
        self.groups = groups
        self.purse = Purse() if purse is None else purse
        self.shared_prefixes: set[str] = set()
        self.settle = settle

    def may_send(self) -> bool:
        return True

    async def has_calls(self) -> bool:
        return bool(self.groups)

    async def open(self, group: Group) -> Sequence[Call]:
        calls = await group.open()
        if len(calls) > 1:
            self.shared_prefixes.add(calls[0].prefix.prefix_id)
        return calls

    async def answered(self, call: Call, response: Response) -> Sequence[Call]:
        return await self.settle(call, response) or ()
