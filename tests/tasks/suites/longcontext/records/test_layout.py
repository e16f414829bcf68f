"""Texts filled up to a length, with needles where they were drawn."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from tasks.suites.longcontext.records.layout import CannotFill, lay_out
from tasks.suites.longcontext.records.pool import ArticlePool
from tasks.text.tokens import count_tokens
from tests.newsroom import newsroom


@pytest.fixture(scope="module")
def pool() -> ArticlePool:
    return ArticlePool(newsroom(400), "cl100k_base")


@pytest.mark.parametrize("encoding", ["cl100k_base", "o200k_base", "p50k_base"])
@pytest.mark.parametrize("dated", [False, True])
def test_tokens_of_lines_add_up(encoding, dated):
    hostile = ["A (B) 3.5%", "  spaces \n and\tlines ", "Ünï—códe £5bn…", "100", "'quoted'", "«x»"]
    pool = ArticlePool(newsroom(1_200), encoding)
    lines = list(pool.lines(dated=dated))
    assert pool.text_tokens(lines) == count_tokens(pool.write(lines), encoding)
    odd = ArticlePool([replace(pool.articles[0], article_id=t, title=t) for t in hostile], encoding)
    lines = list(odd.lines(dated=dated))
    assert odd.text_tokens(lines) == count_tokens(odd.write(lines), encoding)
    assert odd.write(lines).count("\n") == len(hostile)


@pytest.mark.parametrize("target", range(2_000, 2_060, 3))
def test_fills_any_target(pool, target):
    lines = list(pool.lines(dated=False))
    needles = list(zip([0.0, 0.31, 0.5, 0.5, 1.0], lines[:5], strict=True))
    made = lay_out(pool, needles, lines[5:15], lines[15:], target=target, rng=Random(0))
    for text in (made.lines, made.twin):
        next_one = pool.tokens_at(len(text) + 1, lines[15 + len(made.lines) - 15])
        assert target - next_one < count_tokens(pool.write(text)) <= target
        assert len({line.at for line in text}) == len(text)
    n, half = len(made.lines), round(len(made.lines) / 2)
    assert (made.needles[0], made.needles[-1]) == (1, n)
    assert sorted(made.needles[2:4]) in ([half - 1, half], [half, half + 1])
    assert [made.lines[number - 1] for number in made.needles] == lines[:5]
    assert [made.lines[number - 1] for number in made.negatives] == lines[5:15]
    changed = [at for at in range(n) if made.lines[at] != made.twin[at]]
    assert changed == [number - 1 for number in sorted(made.needles)]


def test_says_why_a_text_cannot_be_filled(pool):
    lines = list(pool.lines(dated=False))
    with pytest.raises(CannotFill, match="too few articles"):
        lay_out(pool, [(0.5, lines[0])], [], lines[1:50], target=9_000, rng=Random(0))
    with pytest.raises(CannotFill, match="alone are too long"):
        lay_out(pool, [(0.5, lines[0])], lines[1:50], lines[50:], target=300, rng=Random(0))
