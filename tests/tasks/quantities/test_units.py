"""Groups of units: the packaged ones are consistent; a user's file adds to them or is refused."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from tasks.quantities import units as unit_groups
from tasks.quantities.units import WrongUnitsFile, load_units, packaged_units, spelling


def written(tmp_path: Path, content: str) -> Path:
    path = tmp_path / "units.toml"
    path.write_text(content, encoding="utf-8")
    return path


def test_packaged_groups_are_valid() -> None:
    content = tomllib.loads(
        (Path(unit_groups.__file__).parent / unit_groups.PACKAGED).read_text(encoding="utf-8")
    )
    content.pop("currency_codes")
    assert unit_groups._checked(unit_groups._groups(content, {})).groups == packaged_units().groups


def test_finds_a_group_by_spelling() -> None:
    units = packaged_units()
    assert units.names[spelling("MMBOE")] == "million barrels of oil equivalent"
    assert units.names[spelling("Basis-Points")] == "basis point"
    assert units.names[spelling("US$")] == "USD"
    assert units.rates[spelling("per annum")] == "year"
    assert units.base("cent") == "USD"
    assert units.base("USD") == "USD"


def test_users_file_adds_groups_and_spellings(tmp_path: Path) -> None:
    units = load_units(
        written(
            tmp_path,
            """
            [groups.million]
            symbols = ["mil"]

            [groups.carload]
            kind = "count"
            aliases = ["carload", "carloads"]
            """,
        )
    )
    assert units.names["mil"] == units.names["mn"] == "million"
    assert units.names["carloads"] == "carload"
    assert "carloads" not in packaged_units().names


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("[groups.million", "is not TOML"),
        ("[group.million]", "no key 'group' (did you mean groups?)"),
        ("[head]\nkind = 'count'", "write [groups.head] for a group of units"),
        ("[groups.vat]\naliases = ['vat']", "group 'vat': kind is missing"),
        (
            "[groups.vat]\nkind = 'volume'\naliases = ['barrels']",
            "'barrels' already means 'barrel'",
        ),
        ("[groups.vat]\nkind = 'volume'\naliases = ['vat 9']", "must be words of letters"),
        ("[groups.vat]\nkind = 'volume'\nof = 'mile'", "must be a group of the kind volume"),
        ("[groups.dozen]\nkind = 'magnitude'\ntimes = 12", "must be 1, 10, 100"),
    ],
)
def test_refuses_a_file_and_says_where_and_why(tmp_path: Path, content: str, said: str) -> None:
    path = written(tmp_path, content)
    with pytest.raises(WrongUnitsFile) as refused:
        load_units(path)
    assert said in str(refused.value)
    assert str(path) in str(refused.value)


def test_names_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(WrongUnitsFile, match=r"cannot read the file of unit groups .*none\.toml"):
        load_units(tmp_path / "none.toml")
