"""Prompts as hashes of blocks: what a prefix cache knows of them.

vLLM caches keys and values in blocks of 16 tokens; a block is found by a hash of its tokens and of
all before them. Here the hash is a number given to each new (block before, content) in turn, so two
prompts share a number exactly where they share all tokens up to that block's end, and none collide.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

BLOCK = 16  # tokens, vLLM's default

Span = tuple[int, int]  # a document's number and how many of its first tokens


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt: its length, and the number of each of its full blocks."""

    n_tokens: int
    blocks: Sequence[int]


class Numbering:
    """Numbers each block of each prompt; prompts that are to share blocks share a numbering."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[int, Hashable], int] = {}
        self._token_heads: dict[tuple[int, ...], list[int]] = {}
        self._heads: dict[tuple[Span, ...], tuple[list[int], list[Hashable], int]] = {}

    def of_tokens(self, head: Sequence[int], tail: Sequence[int] = ()) -> Prompt:
        """The prompt of two runs of token ids, the second after the first.

        Prompts with the same `head` share the work of numbering it.
        """
        key = tuple(head)
        if key not in self._token_heads:
            self._token_heads[key] = []
            self._number(self._token_heads[key], key)
        blocks = self._token_heads[key]
        if tail:
            blocks = blocks.copy()
            self._number(blocks, [*key[BLOCK * len(blocks) :], *tail])
        return Prompt(len(key) + len(tail), blocks)

    def of_spans(self, head: Sequence[Span], tail: Sequence[Span] = ()) -> Prompt:
        """The prompt of the first tokens of some documents, one after the other; no tokens needed.

        Prompts with the same `head` share the work of numbering it.
        """
        key = tuple(head)
        if key not in self._heads:
            self._heads[key] = self._spans(key, [], [], 0)
        blocks, pieces, length = self._heads[key]
        if tail:
            blocks, pieces, length = self._spans(tail, blocks.copy(), pieces.copy(), length)
        return Prompt(length, blocks)

    def _spans(
        self, spans: Sequence[Span], blocks: list[int], pieces: list[Hashable], length: int
    ) -> tuple[list[int], list[Hashable], int]:
        """Blocks, pieces of the block that is not full yet, and tokens so far."""
        for document, n_tokens in spans:
            position = 0
            while position < n_tokens:
                taken = min(BLOCK - length % BLOCK, n_tokens - position)
                pieces.append((document, position, taken))
                position += taken
                length += taken
                if length % BLOCK == 0:
                    self._extend(blocks, tuple(pieces))
                    pieces = []
        return blocks, pieces, length

    def _number(self, blocks: list[int], tokens: Sequence[int]) -> None:
        for start in range(0, len(tokens) - BLOCK + 1, BLOCK):
            self._extend(blocks, tuple(tokens[start : start + BLOCK]))

    def _extend(self, blocks: list[int], content: Hashable) -> None:
        before = blocks[-1] if blocks else -1
        blocks.append(self._numbers.setdefault((before, content), len(self._numbers)))


def least_computed(prompts: Sequence[Prompt]) -> int:
    """Tokens that must be computed at least: each unique block once, and what is in no full block.

    A prompt's last token is always computed, so one that ends with a block computes that block.
    """
    seen: set[int] = set()
    computed = 0
    for prompt in prompts:
        n_findable = (prompt.n_tokens - 1) // BLOCK
        fresh = [number for number in prompt.blocks[:n_findable] if number not in seen]
        seen.update(fresh)
        computed += BLOCK * len(fresh) + prompt.n_tokens - BLOCK * n_findable
    return computed
