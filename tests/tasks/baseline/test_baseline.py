"""Every suite's rules belong to its operations and travel to worker processes."""

from __future__ import annotations

import pickle

import pytest

from tasks.baseline import load_rules
from tasks.suites.registry import SUITES, load_suite


@pytest.mark.parametrize("suite", SUITES)
def test_rules_are_of_the_suites_operations(suite: str) -> None:
    assert load_rules(suite)
    assert load_rules(suite, usual=True).keys() <= load_suite(suite).operations.keys()


@pytest.mark.parametrize("suite", SUITES)
def test_rules_travel_to_worker_processes(suite: str) -> None:
    rules = load_rules(suite)
    assert pickle.loads(pickle.dumps(rules)) == rules


def test_a_suite_may_have_no_rules() -> None:
    assert load_rules("no suite") == {}
