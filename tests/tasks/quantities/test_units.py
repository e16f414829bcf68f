"""Groups of units: their spellings and conversions are consistent."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from importlib.resources import files

from tasks.core.validation import validated
from tasks.quantities.units import PACKAGED, UnitGroup, packaged_units, spelling

# A symbol touches a number, so it has no character of a number.
SYMBOL = re.compile(r"[^\s\d().,+−-]+")
WORDS = re.compile(r"[^\W\d_](?:[^\W\d_]|(?:\.[ -]?|[ -])(?=[^\W\d_]))*\.?")


def is_power_of_ten(number: int) -> bool:
    return str(number).strip("0") == "1"


def test_groups_are_as_the_file_says() -> None:
    content = tomllib.loads(files("tasks.quantities").joinpath(PACKAGED).read_text("utf-8"))
    groups = packaged_units().groups
    assert groups == {
        name: validated(UnitGroup, table, name) for name, table in content["groups"].items()
    }
    for name, group in groups.items():
        assert all(SYMBOL.fullmatch(text) for text in group.symbols), name
        assert all(WORDS.fullmatch(text) for text in (*group.aliases, *group.rates)), name
        assert group.times == 1 or group.parts == 1, name
        if group.kind == "magnitude":
            assert is_power_of_ten(group.times), name
            assert group.of is None, name
        elif group.of is None:
            assert group.times == group.parts == 1, name
            assert group.kind != "ratio" or name == "percent"
        else:
            assert groups[group.of].kind == group.kind, name
            assert groups[group.of].of is None, name
            # which keeps digits
            assert group.kind not in ("currency", "ratio") or is_power_of_ten(
                group.times * group.parts
            ), name


def test_a_spelling_means_one_group() -> None:
    owners = {
        (spelling(text), name)
        for name, group in packaged_units().groups.items()
        for text in (*group.symbols, *group.aliases, *group.rates)
    }
    assert max(Counter(text for text, _ in owners).values()) == 1
