"""Units of figures as data: which spellings mean one unit, and how units of one kind convert (`units.toml`).

A user's file of the same layout adds groups, and spellings to the groups that are there (`--unit-groups FILE`).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

from tasks.core.errors import WrongUsage
from tasks.models.toml_tables import WrongTable, check_keys, made_of

KINDS = ("magnitude", "currency", "ratio", "energy", "volume", "area", "length", "mass", "time", "count")
PACKAGED = "units.toml"
# What a spelling may consist of: words are letters; a symbol touches a number, so nothing of a number is in it.
_WORDS = re.compile(r"[^\W\d_](?:[^\W\d_]|(?:\.[ -]?|[ -])(?=[^\W\d_]))*\.?")
_SYMBOL = re.compile(r"[^\s\d().,+−-]+")


class WrongUnitsFile(WrongUsage):
    """A file of unit groups that cannot be used; the message names the file, the group and the key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """One unit and its spellings; the keys are explained at the head of `units.toml`."""

    kind: str
    symbols: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    rates: tuple[str, ...] = ()
    of: str | None = None
    times: int = 1
    parts: int = 1


@dataclass(frozen=True, eq=False)
class Units:
    """All groups by name, without contradictions; compared by identity, so that what is made of it can be kept."""

    groups: Mapping[str, Group] = field(repr=False)

    @cached_property
    def names(self) -> Mapping[str, str]:
        """Spelling, as `spelling` writes it -> name of its group. Symbols and aliases, not rates."""
        return {
            spelling(text): name
            for name, group in self.groups.items()
            for text in (*group.symbols, *group.aliases)
        }

    @cached_property
    def rates(self) -> Mapping[str, str]:
        """Spelling of a rate -> name of the group that it is per."""
        return {spelling(text): name for name, group in self.groups.items() for text in group.rates}

    def of_kind(self, *kinds: str) -> Iterator[tuple[str, Group]]:
        """Names and groups of some kinds."""
        return ((name, group) for name, group in self.groups.items() if group.kind in kinds)

    def base(self, name: str) -> str:
        """The group that others of its kind are stated in: itself, where it is `of` none."""
        return self.groups[name].of or name


def spelling(text: str) -> str:
    """A spelling without what makes no difference: capitals, full stops, hyphens, kinds of blanks."""
    return " ".join(text.casefold().replace(".", "").replace("-", " ").split())


@cache
def packaged_units() -> Units:
    """The groups of `units.toml`."""
    content = tomllib.loads(files("tasks.quantities").joinpath(PACKAGED).read_text(encoding="utf-8"))
    return _checked(_groups(content, {}))


def load_units(path: Path) -> Units:
    """The packaged groups and those of a user's file.

    Raises:
        WrongUnitsFile: the file cannot be read or is not TOML, a key is unknown or of the wrong kind, a group
            changes what a packaged group is, or two groups claim one spelling.
    """
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
        return _checked(_groups(content, packaged_units().groups))
    except OSError as error:
        raise WrongUnitsFile(f"cannot read the file of unit groups {path}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise WrongUnitsFile(f"the file of unit groups {path} is not TOML: {error}") from error
    except WrongTable as error:
        raise WrongUnitsFile(f"{path}: {error}") from error


def _groups(content: Mapping[str, Any], known: Mapping[str, Group]) -> dict[str, Group]:
    fields_of_group = {each.name for each in fields(Group)}
    for key, table in content.items():
        if key != "groups" and isinstance(table, Mapping) and table.keys() & fields_of_group:
            name = key if key.isidentifier() else f'"{key}"'
            raise WrongTable(f"[{name}] is not read: a group of units begins with [groups.{name}]")
    check_keys(content, ["groups"], "the file")
    tables = content.get("groups", {})
    if not isinstance(tables, Mapping):
        raise WrongTable('groups: one table for each group, [groups."square foot"] and below it the keys')
    groups = dict(known)
    for name, table in tables.items():
        where = f"group {name!r}"
        if name not in known:
            groups[name] = made_of(Group, table, where)
            continue
        added = made_of(_Spellings, table, f"{where}, which is packaged and can only gain spellings")
        groups[name] = replace(
            known[name],
            symbols=known[name].symbols + added.symbols,
            aliases=known[name].aliases + added.aliases,
            rates=known[name].rates + added.rates,
        )
    return groups


@dataclass(frozen=True, slots=True, kw_only=True)
class _Spellings:
    """What a user's file may say of a packaged group."""

    symbols: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    rates: tuple[str, ...] = ()


def _checked(groups: Mapping[str, Group]) -> Units:
    claimed: dict[str, str] = {}
    for name, group in groups.items():
        if problem := _problem_of(name, group, groups):
            raise WrongTable(f"group {name!r}: {problem}")
        for text in (*group.symbols, *group.aliases, *group.rates):
            owner = claimed.setdefault(spelling(text), name)
            if owner != name:
                raise WrongTable(
                    f"group {name!r}: {text!r} already means {owner!r}; a spelling belongs to one group"
                )
    return Units(groups)


def _problem_of(name: str, group: Group, groups: Mapping[str, Group]) -> str | None:
    """Why a group cannot be used, or None."""
    if group.kind not in KINDS:
        return f"kind must be one of {', '.join(KINDS)}, not {group.kind!r}"
    for text in (*group.aliases, *group.rates):
        if not _WORDS.fullmatch(text):
            return f"{text!r} must be words of letters, one blank between them; signs go into symbols"
    for text in group.symbols:
        if not _SYMBOL.fullmatch(text):
            return f"the symbol {text!r} must have no digits, blanks, brackets, signs or points in it"
    if min(group.times, group.parts) < 1 or (group.times > 1 and group.parts > 1):
        return "times and parts are whole numbers from 1, and only one of them is given"
    if group.kind == "magnitude":
        is_power = str(group.times).strip("0") == "1" and group.times > 1
        return None if is_power and not group.of else "a magnitude has times = 10, 100, 1000, ... and no of"
    if group.kind == "ratio" and group.of is None and name != "percent":
        return 'a ratio is of = "percent"'
    if group.of is None:
        return (
            "times and parts say how many, of says of which group" if group.times + group.parts > 2 else None
        )
    other = groups.get(group.of)
    if other is None or other.kind != group.kind or other.of:
        return f"of = {group.of!r} must be a group of the kind {group.kind} that is itself of none"
    if group.kind in ("currency", "ratio") and str(group.times * group.parts).strip("0") != "1":
        return (
            "times and parts of a currency or a ratio are 1, 10, 100, ..., so that digits stay what they are"
        )
    return None
