"""Units of figures as data: their spellings and conversions (`units.toml`)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from typing import Annotated, Literal

from annotated_types import Ge

from tasks.core.validation import STRICT, validated

Kind = Literal[
    "magnitude", "currency", "ratio", "energy", "volume", "area", "length", "mass", "time", "count"
]
PACKAGED = "units.toml"
_CONTENT = tomllib.loads(files("tasks.quantities").joinpath(PACKAGED).read_text(encoding="utf-8"))
CURRENCY_CODES = frozenset(_CONTENT["currency_codes"].split())  # also of those without a group


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitGroup:
    """One unit and its spellings; the head of `units.toml` explains the keys."""

    __pydantic_config__ = STRICT
    kind: Kind
    of: str | None = None
    times: Annotated[int, Ge(1)] = 1
    parts: Annotated[int, Ge(1)] = 1
    symbols: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    rates: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Units:
    """All groups by name; compared by identity, so that functions of it can be cached."""

    groups: Mapping[str, UnitGroup]

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

    def of_kind(self, *kinds: str) -> Iterator[tuple[str, UnitGroup]]:
        """Return names and groups of some kinds."""
        return ((name, group) for name, group in self.groups.items() if group.kind in kinds)

    def base(self, name: str) -> str:
        """Return the group that a group converts to: itself if it is `of` none."""
        return self.groups[name].of or name


def spelling(text: str) -> str:
    """Normalise a spelling: case, full stops, hyphens and whitespace make no difference."""
    return " ".join(text.casefold().replace(".", "").replace("-", " ").split())


@cache
def packaged_units() -> Units:
    """Return the groups of `units.toml`."""
    groups = _CONTENT["groups"].items()
    return Units({name: validated(UnitGroup, keys, name) for name, keys in groups})


def any_of(texts: Iterable[str]) -> str:
    """Return a pattern for any of these spellings where no letter touches a letter of it."""
    words, signs = [], []
    for text in sorted(set(texts), key=lambda text: (-len(text), text)):
        pattern = re.escape(text).replace(r"\ ", r"[\s-]")
        if text[0].isalpha() and text[-1].isalpha():
            words.append(pattern)
        else:
            signs.append((r"(?<![^\W\d_])" if text[0].isalpha() else "") + pattern)
    of_words = [rf"(?<![^\W\d_])(?:{'|'.join(words)})(?![^\W\d_])"] if words else []
    return "|".join([*of_words, *signs])


_CURRENCIES = [group for _, group in packaged_units().of_kind("currency") if group.parts == 1]
_SYMBOLS = [text for group in _CURRENCIES for text in group.symbols]
# Patterns of the packaged spellings, for who reads tables: signs of currencies, to stand in []; a
# currency's sign or code; its names and signs; a text that has an amount of one. A code may be a
# word or a company elsewhere.
SIGNS = "".join(text for text in _SYMBOLS if len(text) == 1)
CURRENCY = rf"(?:(?:U\.\s?S\.\s?(?=\$))?(?-i:{any_of({*_SYMBOLS, *CURRENCY_CODES})})(?:\.(?!\d))?)"
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
