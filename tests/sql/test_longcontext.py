"""What long context's replies count for, and its reports of them, worked out by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tasks.suites.longcontext.rows import Article, Query
from tests.filled import filled
from tests.haystacks import Haystacks, ids
from tests.sql.conftest import HandmadeLake

Rows = list[tuple[Any, ...]]
Read = Callable[[str], Rows]
SIMILAR, SWAPPED, LATER = (
    ("natural", "similar name"),
    ("natural", "other format"),
    ("induced", "other time"),
)


@pytest.fixture(scope="module")
def connection(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    lake = HandmadeLake(tmp_path_factory.mktemp("lake"))
    add_replies(Haystacks(lake))
    with lake.open() as opened:
        yield opened


def add_replies(haystacks: Haystacks) -> None:
    """Add four records with needles, two twins, four single articles, and one failed call."""
    one = haystacks.add(number=0, needles=[5, 50, 95], negatives={7: SIMILAR, 8: LATER})
    haystacks.reply(one, ids([5, 7, 50]))
    haystacks.reply(haystacks.add(number=0, negatives={7: SIMILAR}), ids([7, 9]))
    two = haystacks.add(number=1, needles=[20, 30], negatives={21: SIMILAR, 22: SWAPPED})
    haystacks.reply(two, ids([20, 30]))
    haystacks.reply(haystacks.add(number=1), ids([]))
    ten = haystacks.add(length=8_000, number=0, needles=range(1, 101, 10))
    haystacks.reply(ten, '{"article_ids": ["1", "11", "21", "3', finish_reason="length")
    counted = haystacks.add(length=8_000, number=1, needles=[40])
    haystacks.reply(counted, ids(range(30, 50))[:-2] + ", ", finish_reason="length")
    haystacks.fail(haystacks.add(number=2, needles=[10]))
    for name, fits, said in (("a", True, "yes"), ("b", True, "no"), ("c", False, "yes")):
        haystacks.reply(haystacks.add_single(name, fits), f'{{"fits": "{said}"}}')
    haystacks.reply(haystacks.add_single("d", False), "It is hard to say.")
    for model in ("other", "third"):
        haystacks.reply(one, ids([5, 50, 95] if model == "other" else [5]), model=model)


@pytest.fixture
def read(connection: duckdb.DuckDBPyConnection) -> Read:
    return lambda query: connection.execute(query).fetchall()


def values(read: Read, judge: str, slice_by: str, slice_value: str = "all") -> dict[str, float]:
    return dict(
        read(
            "select metric, value from longcontext.metrics where model = 'm' "
            f"and judge = '{judge}' and slice_by = '{slice_by}' and slice_value = '{slice_value}'"
        )
    )


def test_each_metric_is_what_a_hand_counts(read: Read) -> None:
    expected = {
        "recall": 8 / 16,
        "precision": 8 / 28,
        "f1": 2 * 8 / (28 + 16),
        "exact": 1 / 4,
        "false_positives": 2 / 2,
        "empty": 1 / 2,
        "invalid": 2 / 6,
        "degenerate": 1 / 6,
        "single_f1": 2 / 5,
        "single_exact": 1 / 4,
        "context_loss": 2 / 5 - 16 / 44,
    }
    assert values(read, "strict", "overall") == pytest.approx(expected)
    # the digit of the cut reply is an ID to the paper's reader
    expected |= {"precision": 8 / 29, "f1": 16 / 45, "context_loss": 2 / 5 - 16 / 45}
    assert values(read, "paper", "overall") == pytest.approx(expected)


def test_f1_is_sliced_by_needles_and_by_the_share_of_hard_negatives(read: Read) -> None:
    found = read(
        "select slice_by, slice_value, value from longcontext.metrics where model = 'm' and "
        "judge = 'strict' and metric = 'f1' and slice_by in ('needles', 'negatives') order by all"
    )
    none = pytest.approx(2 * 4 / 34)  # of the two records without hard negatives
    assert found == [
        *[("needles", n, pytest.approx(f1)) for n, f1 in
          (("1", 2 / 21), ("10", 6 / 13), ("2", 1.0), ("3", 4 / 6))],
        ("negatives", "00-02 %", none), ("negatives", "02-04 %", 8 / 10),
    ]  # fmt: skip


def test_a_failed_call_is_unscored(read: Read) -> None:
    found = read(
        "select metric, n, n_unscored from longcontext.metrics where model = 'm' "
        "and judge = 'strict' and slice_by = 'overall' and n_unscored > 0 order by metric"
    )
    assert found == [
        ("context_loss", 8, 1), ("degenerate", 6, 1), ("exact", 4, 1), ("f1", 4, 1),
        ("invalid", 6, 1), ("precision", 4, 1), ("recall", 16, 1),
    ]  # fmt: skip


def test_recall_is_sliced_by_depth_and_the_others_by_needles(read: Read) -> None:
    found = read(
        "select slice_value, n, value from longcontext.metrics where model = 'm' "
        "and judge = 'strict' and metric = 'recall' and slice_by = 'task,length,depth' "
        "and slice_value like 'company,4000,%' order by slice_value"
    )
    assert found == [
        ("company,4000,00-10 %", 1, 1.0),
        ("company,4000,10-20 %", 0, None),  # of the failed call
        ("company,4000,20-30 %", 1, 1.0),
        ("company,4000,30-40 %", 1, 1.0),
        ("company,4000,50-60 %", 1, 1.0),
        ("company,4000,90-100 %", 1, 0.0),
    ]
    assert values(read, "strict", "needles", "10")["f1"] == pytest.approx(2 * 3 / (3 + 10))
    assert "f1" not in values(read, "strict", "depth", "00-10 %")


def test_units_are_drawn_by_query_and_by_background(read: Read) -> None:
    found = read(
        "select distinct split_part(case_ids[1], ' ', 2)::int as length, "
        "split_part(case_ids[1], ' ', 3)::int as number, group_number, donor_group_number "
        "from staging.units where variant != 'single'"
    )
    groups = {number: group for _, number, group, _ in found}
    donors = {(length, number): donor for length, number, _, donor in found}
    assert len(found) == len(donors) == len(set(donors.values())) == 5
    assert sorted(groups.values()) == [0, 1, 2]
    assert min(donors.values()) > max(groups.values())
    assert read("select distinct donor_group_number from staging.units "
                "where variant = 'single'") == [(None,)]  # fmt: skip


def test_negatives_are_counted_by_reason_and_kind_and_f1_without_them(read: Read) -> None:
    found = read("from longcontext.negatives select columns(* exclude (release, model, judge)) "
                 "where model = 'm' and judge = 'strict'")  # fmt: skip
    both = 2 * 4 / 10, 2 * 4 / 9  # of the records `one` and `two`
    assert found == [
        ("company", "induced", "other time", 1, 1, 0, 0.0, 4 / 6, 4 / 6),
        ("company", "induced", "all", 1, 1, 0, 0.0, 4 / 6, 4 / 6),
        ("company", "natural", "other format", 1, 1, 0, 0.0, 1.0, 1.0),
        ("company", "natural", "similar name", 3, 3, 2, pytest.approx(2 / 3), *both),
        ("company", "natural", "all", 3, 4, 2, 0.5, *both),
        ("company", "all", "all", 3, 5, 2, 0.4, *both),
    ]


def test_replies_are_counted_by_class(read: Read) -> None:
    found = read("select length, reply, n, n_invalid, share from longcontext.reply_classes "
                 "where model = 'm' and judge = 'strict'")  # fmt: skip
    assert found == [
        (4_000, "ids", 3, 0, 0.75), (4_000, "empty", 1, 0, 0.25),
        (8_000, "counting", 1, 1, 0.5), (8_000, "cut", 1, 1, 0.5),
        (None, "yes", 2, 0, 0.5), (None, "no", 1, 0, 0.25), (None, "unreadable", 1, 0, 0.25),
    ]  # fmt: skip


def test_marks_are_needles_what_replies_list_and_a_few_hard_negatives(read: Read) -> None:
    ((case_id,),) = read(
        "select case_id from raw.cases where is_answerable and target = '[5, 50, 95]'"
    )
    ((marks, others, n_unwanted),) = read(
        "select list_transform(marks, lambda mark: [mark.number::varchar, mark.kind, "
        "array_to_string(mark.models, ' ')]), others, n_unwanted from longcontext.marks "
        f"where judge = 'strict' and case_id = '{case_id}'"
    )
    assert marks == [
        ["5", "needle", "m other third"],
        ["7", "natural: similar name", "m"],
        ["8", "induced: other time", ""],
        ["50", "needle", "m other"],
        ["95", "needle", "other"],
    ]
    assert (others, n_unwanted) == ([12, 14], 2)
    outside = read(
        "select mark.number, mark.place, mark.kind from (select unnest(marks) as mark "
        "from longcontext.marks where judge = 'strict') where mark.kind is null order by all"
    )
    assert (9, 8 / 99, None) in outside  # background that a twin's reply lists


def test_a_perfect_reply_is_good_and_others_are_not(read: Read) -> None:
    found = read("select label, list(distinct is_compliant) from reports.explain "
                 "where unscored_reason is null group by label order by label")  # fmt: skip
    assert found == [("correct", [True]), ("unreadable", [False]), ("wrong", [False])]


def test_an_unreadable_reply_is_wrong_in_every_metric(tmp_path: Path) -> None:
    """A model that is silent on half of what it is asked is never as good as one that is not."""
    lake = HandmadeLake(tmp_path)
    haystacks = Haystacks(lake)
    for number in range(4):
        record = haystacks.add(number=number, needles=[3, 9], negatives={7: SIMILAR})
        twin = haystacks.add(number=number)
        singles = [haystacks.add_single(f"{number} {fits}", fits) for fits in (True, False)]
        for model, is_silent in (("good", False), ("silent", number % 2 == 0)):
            haystacks.reply(record, "" if is_silent else ids([3, 9]), model=model)
            haystacks.reply(twin, "I cannot say." if is_silent else ids([]), model=model)
            for case in singles:
                haystacks.reply(case, "Hard to say." if is_silent else case.target, model=model)
    strict = "and judge = 'strict' order by all"
    with lake.open() as opened:
        found, taken, shares = (
            opened.execute(query).fetchall()
            for query in (
                "select metric, model, value, n_unscored from longcontext.metrics "
                f"where slice_by = 'overall' {strict}",
                f"select model, f1 from longcontext.negatives where kind = 'all' {strict}",
                "select placement, share from longcontext.reply_classes "
                f"where model = 'silent' and reply = 'unreadable' {strict}",
            )
        )
    assert all(n == 0 for *_, n in found)
    good, silent = (
        {metric: value for metric, name, value, _ in found if name == model}
        for model in ("good", "silent")
    )
    rates = ("recall", "exact", "empty", "single_exact", "false_positives", "invalid")
    assert {metric: silent[metric] for metric in rates} == dict.fromkeys(rates, 0.5)
    worse = {metric for metric in good if metric not in ("context_loss", "degenerate")}
    assert all(abs(silent[metric] - good[metric]) >= 0.3 for metric in worse)
    assert taken == [("good", 1.0), ("silent", pytest.approx(8 / 14))]
    assert shares == [("best_practices", 0.5), ("single", 0.5)]


def test_remarks_say_what_articles_are(lake: HandmadeLake) -> None:
    read = filled(Article, article_id="a", source="file", is_date_drawn=True)
    invented = filled(Article, article_id="b", source="invented", is_date_drawn=True)
    query = filled(Query, task="company", company="A")
    lake.add(read, invented, query, suite="longcontext")
    with lake.open() as opened:
        remarks = opened.execute("select says from longcontext.remarks").fetchall()
    assert [says for (says,) in remarks] == [
        "1 of 2 articles are invented headlines about invented companies. Scores on them say "
        "nothing about real news.",
        "The source has no dates for 1 of 2 articles: those were drawn.",
        "Company and sentiment is not asked: no article has a labelled sentiment.",
    ]
