"""Which replica gets which groups: longest processing time first; what idle replicas take."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from tasks.inference.engines.scheduling import Queues, deal, load_of
from tasks.inference.operation import Call, Group

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
