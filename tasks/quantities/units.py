"""Units of figures as data: their spellings and conversions (`units.toml`).

A user's file of the same layout adds groups, and adds spellings to ours (`--unit-groups FILE`).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from annotated_types import Ge

from tasks.core.errors import WrongUsage
from tasks.core.untrusted import read_toml
from tasks.core.validation import STRICT, WrongTable, check_keys, unchecked, validated

Kind = Literal[
    "magnitude", "currency", "ratio", "energy", "volume", "area", "length", "mass", "time", "count"
]
KINDS: tuple[Kind, ...] = get_args(Kind)
PACKAGED = "units.toml"
# Characters of a spelling. A symbol touches a number, so it has no character of a number.
_WORDS = re.compile(r"[^\W\d_](?:[^\W\d_]|(?:\.[ -]?|[ -])(?=[^\W\d_]))*\.?")
_SYMBOL = re.compile(r"[^\s\d().,+−-]+")


class WrongUnitsFile(WrongUsage):
    """A file of unit groups that cannot be used; the message names file, group and key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spellings:
    """Spellings of a unit; all that a user's file may add to a packaged group."""

    __pydantic_config__ = STRICT
    symbols: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    rates: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Group(Spellings):
    """One unit and its spellings; the head of `units.toml` explains the keys."""

    kind: Kind
    of: str | None = None
    times: Annotated[int, Ge(1)] = 1
    parts: Annotated[int, Ge(1)] = 1


@dataclass(frozen=True, eq=False)
class Units:
    """All groups by name, without contradictions.

    Compared by identity, so that functions of it can be cached.
    """

    groups: Mapping[str, Group] = field(repr=False)

    @cached_property
    def names(self) -> Mapping[str, str]:
        """Name of the group by spelling, as `spelling` writes it: symbols and aliases, no rates."""
        return {
            spelling(text): name
            for name, group in self.groups.items()
            for text in (*group.symbols, *group.aliases)
        }

    @cached_property
    def rates(self) -> Mapping[str, str]:
        """Name of the group that a rate is per, by the rate's spelling."""
        return {spelling(text): name for name, group in self.groups.items() for text in group.rates}

    def of_kind(self, *kinds: str) -> Iterator[tuple[str, Group]]:
        """Return names and groups of some kinds."""
        return ((name, group) for name, group in self.groups.items() if group.kind in kinds)

    def base(self, name: str) -> str:
        """Return the group that a group converts to: itself if it is `of` none."""
        return self.groups[name].of or name


def spelling(text: str) -> str:
    """Normalise a spelling: case, full stops, hyphens and whitespace make no difference."""
    return " ".join(text.casefold().replace(".", "").replace("-", " ").split())


@cache
def _packaged() -> Mapping[str, Any]:
    return tomllib.loads(files("tasks.quantities").joinpath(PACKAGED).read_text(encoding="utf-8"))


@cache
def packaged_units() -> Units:
    """Return the groups of `units.toml`."""
    groups = _packaged()["groups"]
    return Units({name: unchecked(Group, table) for name, table in groups.items()})


@cache
def currency_codes() -> frozenset[str]:
    """Return the codes of all currencies, also of those without a group."""
    return frozenset(_packaged()["currency_codes"].split())


def any_of(texts: Iterable[str]) -> str:
    """Return a pattern for any of these spellings where no letter touches a letter of it."""
    longest_first = sorted(set(texts), key=lambda text: (-len(text), text))
    patterns = {text: re.escape(text).replace(r"\ ", r"[\s-]") for text in longest_first}
    words: dict[str, list[str]] = {}  # by their first letters, for speed
    signs = []
    for text, pattern in patterns.items():
        if text[0].isalpha() and text[-1].isalpha():
            words.setdefault(pattern[0], []).append(pattern[1:])
        else:
            signs.append((r"(?<![^\W\d_])" if text[0].isalpha() else "") + pattern)
    rest = "|".join(f"{first}(?:{'|'.join(ends)})" for first, ends in words.items())
    return "|".join([rf"(?<![^\W\d_])(?:{rest})(?![^\W\d_])", *signs])


_CURRENCIES = [group for _, group in packaged_units().of_kind("currency") if group.parts == 1]
_SYMBOLS = [text for group in _CURRENCIES for text in group.symbols]
# Patterns of the packaged spellings, for who reads tables: signs of currencies, to stand in []; a
# currency's sign or code; its names and signs; a text that has an amount of one. A code may be a
# word or a company elsewhere.
SIGNS = "".join(text for text in _SYMBOLS if len(text) == 1)
CURRENCY = (
    rf"(?:(?:U\.\s?S\.\s?(?=\$))?(?-i:{any_of({*_SYMBOLS, *currency_codes()})})(?:\.(?!\d))?)"
)
CURRENCY_NAMES = any_of([*_SYMBOLS, *(text for group in _CURRENCIES for text in group.aliases)])
MONEY = rf"(?:[{SIGNS}]|{CURRENCY}[\s(]*\d|\d\s*{CURRENCY})"
# What may follow a number besides a currency. A letter alone may be the end of a code, `10K`;
# things counted are labels, and times head columns: `5 years`.
_MEASURES = {
    text
    for group in packaged_units().groups.values()
    for text in (*group.aliases, *(() if group in _CURRENCIES else group.symbols))
    if text == "x"
    or (group.kind not in ("time", "count") and (len(text) > 1 or not text.isalpha()))
}
MEASURE = rf"(?i:{any_of(_MEASURES)})"


def load_units(path: Path) -> Units:
    """Return the packaged groups and those of a user's file.

    Raises:
        WrongUnitsFile: the file cannot be read or is not TOML; a key is unknown or has a wrong
            value; a group redefines a packaged one; or two groups claim the same spelling.
    """
    try:
        content = read_toml(path)
        return _checked(_groups(content, packaged_units().groups))
    except OSError as error:
        raise WrongUnitsFile(
            f"cannot read the file of unit groups {path}: {error.strerror}"
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise WrongUnitsFile(f"the file of unit groups {path} is not TOML: {error}") from error
    except WrongTable as error:
        raise WrongUnitsFile(f"{path}: {error}") from error


def _groups(content: Mapping[str, Any], known: Mapping[str, Group]) -> dict[str, Group]:
    fields_of_group = {each.name for each in fields(Group)}
    for key, table in content.items():
        if key != "groups" and isinstance(table, Mapping) and table.keys() & fields_of_group:
            name = key if key.isidentifier() else f'"{key}"'
            raise WrongTable(f"[{name}] is not read: write [groups.{name}] for a group of units")
    check_keys(content, ["groups"], "the file")
    tables = content.get("groups", {})
    if not isinstance(tables, Mapping):
        raise WrongTable(
            'groups: expected a table per group: [groups."square foot"] and below it the keys'
        )
    groups = dict(known)
    for name, table in tables.items():
        where = f"group {name!r}"
        if name not in known:
            groups[name] = validated(Group, table, where)
            continue
        added = validated(
            Spellings, table, f"{where}, which is packaged and can only gain spellings"
        )
        groups[name] = replace(
            known[name],
            symbols=known[name].symbols + added.symbols,
            aliases=known[name].aliases + added.aliases,
            rates=known[name].rates + added.rates,
        )
    return groups


def _checked(groups: Mapping[str, Group]) -> Units:
    claimed: dict[str, str] = {}
    for name, group in groups.items():
        if problem := _problem_of(name, group, groups):
            raise WrongTable(f"group {name!r}: {problem}")
        for text in (*group.symbols, *group.aliases, *group.rates):
            owner = claimed.setdefault(spelling(text), name)
            if owner != name:
                raise WrongTable(
                    f"group {name!r}: {text!r} already means {owner!r}, and can mean only one"
                )
    return Units(groups)


def _problem_of(name: str, group: Group, groups: Mapping[str, Group]) -> str | None:
    """Say why a group cannot be used, or return None."""
    for text in (*group.aliases, *group.rates):
        if not _WORDS.fullmatch(text):
            return f"{text!r} must be words of letters with single spaces; signs go into symbols"
    for text in group.symbols:
        if not _SYMBOL.fullmatch(text):
            return f"the symbol {text!r} must have no digits, spaces, brackets, signs or points"
    other = groups.get(group.of) if group.of else group
    if other is None or other.kind != group.kind or (group.of and other.of):
        return f"of = {group.of!r} must be a group of the kind {group.kind} that has no of itself"
    if group.kind in ("magnitude", "currency", "ratio") and (
        str(group.times * group.parts).strip("0") != "1"
    ):
        return f"times and parts of a {group.kind} must be 1, 10, 100, ..., which keep digits"
    return None
