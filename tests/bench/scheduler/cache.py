"""The blocks of one replica's cache: which are free, which can be found, which goes next.

As vLLM 0.32 keeps them (`BlockPool`): a block that nobody uses keeps its content until it is taken,
blank blocks are taken first, then the one that has been free for longest. Two blocks with equal
content both stay; the one that came first is found.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence


class BlockCache:
    """The pool of a replica's blocks, known by their indices."""

    def __init__(self, n_blocks: int) -> None:
        self.n_blocks = n_blocks
        self.n_evictions = 0
        self._blank = list(range(n_blocks))
        self._free: OrderedDict[int, None] = OrderedDict()  # with content, free for longest first
        self._users = [0] * n_blocks
        self._content = [
            -1
        ] * n_blocks  # the number of the block's content; -1: none that can be found
        self._found: dict[int, int | list[int]] = {}  # content -> its block, or its blocks

    @property
    def n_free(self) -> int:
        """Blocks that can be taken, those with content included."""
        return len(self._blank) + len(self._free)

    def find(self, contents: Sequence[int], most: int) -> list[int]:
        """Return the blocks of the longest run of contents from the start, at most `most`."""
        hits: list[int] = []
        found = self._found
        for index in range(min(most, len(contents))):
            block = found.get(contents[index])
            if block is None:
                break
            hits.append(block if block.__class__ is int else block[0])  # type: ignore[index]
        return hits

    def n_unused(self, blocks: Iterable[int]) -> int:
        """How many of these are free now: using them takes them from the free ones."""
        users = self._users
        return sum(users[block] == 0 for block in blocks)

    def use(self, blocks: Iterable[int]) -> None:
        """Count one more user of blocks that were found."""
        users, free = self._users, self._free
        for block in blocks:
            if users[block] == 0:
                del free[block]
            users[block] += 1

    def take(self, n: int) -> list[int]:
        """Take n free blocks for new content; what they held is forgotten."""
        taken: list[int] = []
        blank, users = self._blank, self._users
        for _ in range(n):
            if blank:
                block = blank.pop()
            else:
                block, _none = self._free.popitem(last=False)
                self._forget(block)
            users[block] = 1
            taken.append(block)
        return taken

    def keep(self, blocks: Sequence[int], contents: Sequence[int], start: int, end: int) -> None:
        """Let blocks[start:end] be found by their contents."""
        found, held = self._found, self._content
        for index in range(start, end):
            block, content = blocks[index], contents[index]
            held[block] = content
            there = found.get(content)
            if there is None:
                found[content] = block
            elif there.__class__ is int:
                found[content] = [there, block]
            else:
                there.append(block)  # type: ignore[union-attr]

    def release(self, blocks: Sequence[int]) -> None:
        """Count one user less of a request's blocks; blocks now free are taken last block first."""
        users, held, free, blank = self._users, self._content, self._free, self._blank
        for block in reversed(blocks):
            users[block] -= 1
            if users[block] == 0:
                if held[block] < 0:
                    blank.append(block)
                else:
                    free[block] = None

    def _forget(self, block: int) -> None:
        content = self._content[block]
        there = self._found[content]
        if there.__class__ is int:
            del self._found[content]
        else:
            there.remove(block)  # type: ignore[union-attr]
            if not there:
                del self._found[content]
        self._content[block] = -1
        self.n_evictions += 1
