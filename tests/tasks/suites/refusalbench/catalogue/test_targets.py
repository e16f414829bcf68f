"""Targets of the classes are described in words of their setting."""

from __future__ import annotations

from itertools import chain

from tasks.suites.refusalbench.catalogue import describe
from tasks.suites.refusalbench.strata import CLASSES, SETTINGS


def test_describes_each_target_by_the_parts_of_its_setting() -> None:
    said = {(setting, name): describe(setting, name) for setting in SETTINGS for name in CLASSES}
    assert said["single", "missing_info"] == "Change the context. Keep the query word for word."
    assert said["single", "false_premise"] == "Change the query. Keep the context word for word."
    assert said["multi", "contradiction"] == (
        "Keep every signal passage word for word. Keep the query word for word. "
        "Change exactly one noise passage, so that it clashes with the signal passages."
    )
    assert said["multi", "granularity_mismatch"] == (
        "Change every signal passage. You may change the query, too. "
        "Keep every noise passage word for word."
    )
    single = chain.from_iterable(
        text.split() for (each, _), text in said.items() if each == "single"
    )
    assert not {"signal", "noise", "passage"} & set(single)
