"""What long context's judgements count for, worked out by hand."""

from __future__ import annotations
import pytest
from tests.haystacks import Haystacks, ids, register


@pytest.fixture
def haystacks(lake, monkeypatch):
    register(monkeypatch)
    return Haystacks(lake)


def test_try(haystacks, asked):
    a = haystacks.add(
        needles=[5, 50, 95],
        negatives={7: ("natural", "similar name"), 8: ("induced", "other time")},
    )
    z = haystacks.add(negatives={7: ("natural", "similar name")})
    haystacks.reply(a, ids([5, 7, 50]))
    haystacks.reply(z, ids([7, 9]))
    s = haystacks.add_single("one", True)
    haystacks.reply(s, '{"fits": "yes"}')
    import glob

    for r in ["units"]:
        print("==", r)
        for row in asked(
            f"select judge, metric, unit_id, numerator, denominator, group_number, donor_group_number, traits from longcontext.{r} order by all"
        ):
            print(row)
    for r in [
        "listed_ids",
        "negatives",
        "reply_classes",
        "answer_limit",
        "haystacks",
        "effective_lengths",
        "recall_and_f1",
        "reader_differences",
        "short_context",
        "published",
        "published_haystacks",
        "published_results",
    ]:
        print("==", r)
        for row in asked(f"from longcontext.{r}"):
            print(row)
    assert 0
