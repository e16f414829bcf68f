"""Connecting to the Ray cluster: the one that `RAY_ADDRESS` names, else one of this machine, for this program.

This program is always a driver on a node of the cluster, never a client of Ray Client (`ray://`): servers and their
addresses are its own business, for hours, and Ray Client gives all of it up when its connection breaks once.
"""

from __future__ import annotations

import logging
import os
import signal
import threading

from tasks.core.errors import RunFailed

_JOIN = "make this machine a node of it with `ray start --address=HEAD:6379 --num-cpus=0`, and set RAY_ADDRESS=auto"


class NoCluster(RunFailed):
    """The Ray cluster that `RAY_ADDRESS` names cannot be reached, or not in this way; the message says what to do."""


def address() -> str | None:
    """Where a configured Ray cluster is (`RAY_ADDRESS`), or None."""
    return os.environ.get("RAY_ADDRESS") or None


def name() -> str:
    """What messages call the cluster."""
    where = address()
    return "the Ray cluster of this machine" if where is None else f"the Ray cluster at {where}"


def connect() -> None:
    """Connect this program to its cluster, if it is not yet.

    To be called in the thread that lives longest: Linux ends a local cluster with the thread that started it.

    Raises:
        NoCluster: nobody answers at `RAY_ADDRESS`, or no node of that cluster runs on this machine.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    where = address()
    if where is not None and where.startswith("ray://"):
        raise NoCluster(f"RAY_ADDRESS={where} is for Ray Client, which tenkbench does not use; {_JOIN}")
    import ray

    if ray.is_initialized():
        return
    quiet = {"log_to_driver": False, "logging_level": logging.WARNING}
    on_sigterm = signal.getsignal(signal.SIGTERM)
    try:
        if where is None:
            ray.init(address="local", include_dashboard=False, **quiet)
        else:
            ray.init(address=where, **quiet)
    except ConnectionError as error:
        raise NoCluster(
            f"no Ray cluster lets us in at RAY_ADDRESS={where}; start one there (`ray start --head`), set "
            "RAY_AUTH_MODE=token if it asks for a token, or unset RAY_ADDRESS for a cluster of this machine; "
            f"where it runs on other machines, {_JOIN}"
        ) from error
    finally:
        if on_sigterm is not None and threading.current_thread() is threading.main_thread():
            # Ray sets one of its own, which would end us in mid-call
            signal.signal(signal.SIGTERM, on_sigterm)


def n_cpus() -> int:
    """How many CPUs the nodes of the connected cluster have for work at this moment, busy or not."""
    import ray

    return int(ray.cluster_resources().get("CPU", 0))
