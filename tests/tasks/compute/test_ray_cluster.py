"""The name of a cluster, and errors if it cannot be used."""

from __future__ import annotations

import pytest

from tasks.compute.ray_cluster import NoCluster, connect
from tasks.compute.workers import spread


def test_refuses_ray_client_and_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "ray://head:10001")
    with pytest.raises(
        NoCluster, match=r"ray start --address=HEAD:6379 --num-cpus=0.*RAY_ADDRESS=auto"
    ):
        connect()


def test_names_an_unreachable_cluster_before_any_work(monkeypatch: pytest.MonkeyPatch) -> None:
    import ray

    def refuse(**_: object) -> None:  # Ray itself gives up after a minute and more
        raise ConnectionError("Failed to connect to Ray cluster at head:6379")

    monkeypatch.setenv("RAY_ADDRESS", "head:6379")
    monkeypatch.setattr(ray, "init", refuse)
    with pytest.raises(
        NoCluster, match=r"no Ray cluster lets us in at RAY_ADDRESS=head:6379\. Start one there"
    ):
        list(spread(abs, [-1]))
