"""The two readers of article IDs, and the classes of replies."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator

import pytest

from tasks.suites.longcontext.judge import classify, read_ids

DIGITS_AND_COMMAS = frozenset("0123456789,")


def figure_8(reply: str) -> set[int]:
    """What the paper's appendix A.3 does to a reply that is no JSON."""
    kept = "".join(each for each in reply if each in DIGITS_AND_COMMAS)
    return {int(each) for each in kept.split(",") if each}


def replies(n: int) -> Iterator[tuple[str, set[int]]]:
    """Yield replies that no JSON parser reads whole, each with the IDs that it really lists."""
    drawn = random.Random(17)
    for _ in range(n):
        ids = [drawn.randint(1, 4010) for _ in range(drawn.randint(1, 12))]
        quoted = json.dumps([str(each) for each in ids])
        bare = json.dumps(ids)
        noise = f"{drawn.randint(2000, 2026)}, of {drawn.randint(100, 4010)} articles"
        whole = drawn.choice([quoted, bare, quoted.replace('"', "'")])
        cut = drawn.randint(1, len(quoted) - 1)
        yield drawn.choice(
            [
                (f'"article_ids": {whole}', set(ids)),
                (f'OUTPUT: {{"article_ids": {quoted}}}', set(ids)),
                (f'```json\n{{"article_ids": {bare}}}\n```', set(ids)),
                (f'I looked at {noise}. {{"article_ids": {quoted}}} fit in {noise}.', set(ids)),
                (f'Result: {{"found": {{"article_ids": {bare}}}}}', set(ids)),
                (f"The articles of {noise} are {bare[1:-1]}.", set()),
                (f"No article fits among {noise}.", set()),
                (f'{{"article_ids": {quoted[:cut]}', complete(quoted[:cut])),
                (f'{{"article_ids": {bare[:-1]}, {"7, " * 40}71', {*ids, 7}),
            ]
        )  # fmt: skip


def complete(cut: str) -> set[int]:
    """List the quoted IDs of a cut list that have both their quotes."""
    return {int(each) for each in re.findall(r'"(\d+)"', cut)}


REPLIES = list(replies(500))


def test_paper_reader_does_what_figure_8_does_to_500_replies() -> None:
    differing = [
        reply for reply, _ in REPLIES if set(read_ids(reply, "paper").listed) != figure_8(reply)
    ]
    assert not differing


def test_strict_reader_misses_no_listed_id_in_500_replies() -> None:
    missed = [reply for reply, listed in REPLIES if set(read_ids(reply, "strict").listed) != listed]
    assert not missed


@pytest.mark.parametrize("depth", [300, 600, 900, 5_000])
def test_lists_in_lists_end_no_run(depth: int) -> None:
    for each in (f"{'[{}, ' * depth}1{']' * depth}", f"{'[[1],' * depth}", '{"a":' * depth):
        assert read_ids(f"Here: {each}", "strict").kind in ("fallback", "none")
        read_ids(each, "paper")


@pytest.mark.parametrize(
    ("reply", "is_cut", "expected"),
    [
        ('{"article_ids": []}', False, "empty"),
        (f'{{"article_ids": {[*range(640, 660)]}', True, "counting"),
        (f'{{"article_ids": ["27", {", ".join(["715"] * 40)}', True, "repeating"),
        ('{"article_ids": ["4", "27", "9', True, "cut"),
        ("I am sorry, but I cannot search so many articles.", False, "unreadable"),
        ('{"article_ids": ["4", "5", "6", "7"]}', False, "ids"),
        ('{"article_ids": ["4", "4", "27"]}', False, "ids"),
    ],
)
def test_replies_are_told_apart(reply: str, is_cut: bool, expected: str) -> None:
    assert classify(read_ids(reply, "strict"), is_cut=is_cut) == expected
