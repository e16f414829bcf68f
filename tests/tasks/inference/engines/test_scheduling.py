"""Which replica gets which groups: longest processing time first; what idle replicas take."""

from __future__ import annotations

from collections import UserList
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.inference.engines.scheduling import Queues, deal, load_of
from tasks.inference.operation import Call, Group
from tests.some import some

weights = st.lists(st.integers(0, 30_000), max_size=60)


def groups_of(sizes: list[int], n_calls: int = 0) -> list[Group]:
    async def nothing() -> list[Call]:
        return []

    return [
        Group(str(number), "ask", weight, n_calls, nothing) for number, weight in enumerate(sizes)
    ]


def dealt_to(groups: list[Group], n_replicas: int) -> list[list[Group]]:
    return [
        [groups[place] for place in places]
        for places in deal(list(map(load_of, groups)), n_replicas)
    ]


def loads(dealt: list[list[Group]]) -> list[int]:
    return [sum(group.weight for group in groups) for groups in dealt]


def names(groups: list[Group]) -> list[str]:
    return [group.name for group in groups]


@given(weights, st.integers(1, 9))
def test_every_group_goes_to_one_replica_in_the_plans_order(
    sizes: list[int], n_replicas: int
) -> None:
    groups = groups_of(sizes)
    dealt = dealt_to(groups, n_replicas)
    assert len(dealt) == n_replicas
    assert sorted(int(group.name) for groups in dealt for group in groups) == list(
        range(len(sizes))
    )
    for of_replica in dealt:
        assert names(of_replica) == sorted(names(of_replica), key=int)


@given(weights, st.integers(1, 9))
def test_the_same_groups_are_dealt_the_same_way(sizes: list[int], n_replicas: int) -> None:
    assert [names(of) for of in dealt_to(groups_of(sizes), n_replicas)] == [
        names(of) for of in dealt_to(groups_of(sizes), n_replicas)
    ]


@given(st.lists(st.integers(1, 50), min_size=1, max_size=7), st.integers(2, 3))
def test_no_replica_gets_more_than_the_bound_over_the_best_deal(
    sizes: list[int], n_replicas: int
) -> None:
    """Graham 1969: 4/3 - 1/(3 n) of the best, which is found here by trying all deals."""
    best = min(
        max(
            sum(size for size, chosen in zip(sizes, choice, strict=True) if chosen == n)
            for n in range(n_replicas)
        )
        for choice in product(range(n_replicas), repeat=len(sizes))
    )
    assert (
        max(loads(dealt_to(groups_of(sizes), n_replicas)))
        <= best * (4 / 3 - 1 / (3 * n_replicas)) + 1e-9
    )


@given(weights.filter(bool), st.integers(1, 9))
def test_no_replica_gets_more_than_its_share_and_the_heaviest_group(
    sizes: list[int], n_replicas: int
) -> None:
    assert max(loads(dealt_to(groups_of(sizes), n_replicas))) <= sum(sizes) / n_replicas + max(
        sizes
    )


def test_groups_of_one_weight_go_round_in_the_plans_order() -> None:
    assert [names(of) for of in dealt_to(groups_of([5] * 7), 3)] == [
        ["0", "3", "6"],
        ["1", "4"],
        ["2", "5"],
    ]


def test_groups_without_a_prefix_are_spread_all_the_same() -> None:
    assert [len(of) for of in dealt_to(groups_of([0] * 9, n_calls=7), 3)] == [3, 3, 3]


def test_the_papers_220_contexts_are_balanced_over_eight_replicas() -> None:
    sizes = [4_100 + (104 * number) % 22_900 for number in range(220)]
    found = loads(dealt_to(groups_of(sizes), 8))
    assert max(found) / (sum(found) / 8) < 1.005


@given(weights, st.integers(1, 5), st.randoms(use_true_random=False))
def test_whichever_replica_asks_each_group_is_given_once(
    sizes: list[int], n_replicas: int, random: object
) -> None:
    queues = Queues(groups_of(sizes), n_replicas)
    given_away = []
    while (group := queues.next(random.randrange(n_replicas))) is not None:  # type: ignore[attr-defined]
        given_away.append(group.name)
    assert sorted(given_away, key=int) == [str(number) for number in range(len(sizes))]
    assert all(queues.next(number) is None for number in range(n_replicas))
    assert queues.loads == [0] * n_replicas


def test_each_group_is_made_once_to_be_dealt_and_once_to_be_sent() -> None:
    made: list[int] = []

    class Making(UserList[Group]):
        def __getitem__(self, place: Any) -> Any:
            group = super().__getitem__(place)
            made.append(place)
            return group

    queues = Queues(Making(groups_of([5, 3, 8])), 1)
    assert sorted(made) == [0, 1, 2]
    while queues.next(0) is not None:
        pass
    assert made[3:] == [0, 1, 2]


def test_a_replica_works_through_its_own_groups_in_the_plans_order() -> None:
    groups = groups_of([9, 2, 7, 4, 4, 8, 1])
    queues = Queues(groups, 2)
    for number, of_replica in some(enumerate(dealt_to(groups, 2))):
        taken = [queues.next(number) for _ in of_replica]
        assert taken == of_replica


@pytest.mark.parametrize("idle", [0, 1])
def test_an_idle_replica_takes_the_last_group_of_the_one_with_most_left(idle: int) -> None:
    groups = groups_of([10, 10, 10, 10, 10, 10, 10, 10, 10])
    queues = Queues(groups, 3)  # 0 3 6 | 1 4 7 | 2 5 8
    for _ in range(3):
        queues.next(idle)
    other = 1 - idle
    queues.next(other)
    stolen = queues.next(idle)  # replica 2 has most left
    assert stolen is not None
    assert stolen.name == "8"
    again = queues.next(idle)
    assert again is not None
    assert again.name == str(other + 6)  # now two have as much: the first of them
