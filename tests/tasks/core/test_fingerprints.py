"""Hashes of the code that makes rows."""

from __future__ import annotations

import pytest

from tasks.core.fingerprints import code_of
from tasks.suites.registry import SUITES


@pytest.mark.parametrize("suite", SUITES)
def test_a_suites_code_is_its_own_folder_and_rules_and_the_shared_rooms(suite: str) -> None:
    own = code_of(SUITES[suite]).keys() - code_of(None).keys() - {"tasks/suites/shared"}
    assert {room.removesuffix(".py") for room in own} == {
        f"tasks/suites/{suite}",
        f"tasks/baseline/{suite}",
    }


def test_code_that_all_suites_share_names_no_suite() -> None:
    assert not [room for room in code_of(None) if "suites" in room or "baseline" in room]
