"""Where a cluster is named, and what is said where it cannot be used."""

from __future__ import annotations

import pytest

from tasks.compute import ray_cluster
from tasks.compute.ray_cluster import NoCluster, connect
from tasks.compute.workers import spread


def test_ray_client_is_refused_with_the_way_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "ray://head:10001")
    with pytest.raises(NoCluster, match=r"ray start --address=HEAD:6379 --num-cpus=0.*RAY_ADDRESS=auto"):
        connect()


def test_a_cluster_that_is_not_there_is_said_before_work_is_spread(monkeypatch: pytest.MonkeyPatch) -> None:
    import ray

    def refuse(**_: object) -> None:  # Ray itself gives up after a minute and more
        raise ConnectionError("Failed to connect to Ray cluster at head:6379")

    monkeypatch.setenv("RAY_ADDRESS", "head:6379")
    monkeypatch.setattr(ray, "init", refuse)
    with pytest.raises(
        NoCluster, match=r"no Ray cluster lets us in at RAY_ADDRESS=head:6379\. Start one there"
    ):
        list(spread(abs, [-1]))


def test_a_cluster_is_called_by_its_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "head:6379")
    assert ray_cluster.name() == "the Ray cluster at head:6379"
    monkeypatch.setenv("RAY_ADDRESS", "")
    assert ray_cluster.name() == "the Ray cluster of this machine"
