"""A table that does not fit its dataclass is refused by key, in plain words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import pytest
from annotated_types import Ge

from tasks.core.validation import STRICT, WrongTable, validated


@dataclass(frozen=True, slots=True, kw_only=True)
class Inner:
    __pydantic_config__ = STRICT
    size: Annotated[int, Ge(1)]
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    __pydantic_config__ = STRICT
    name: str
    kind: Literal["a", "b"] = "a"
    words: tuple[str, ...] = ()
    inner: Inner | None = None
    free: Mapping[str, Any] = field(default_factory=dict)
    token: str | None = None


def test_makes_nested_dataclasses_and_tuples() -> None:
    table = {"name": "n", "words": ["x", "y"], "inner": {"size": 2}, "free": {"a": [1, 2.5]}}
    expected = Shape(name="n", words=("x", "y"), inner=Inner(size=2), free={"a": [1, 2.5]})
    assert validated(Shape, table, "it") == expected


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (3, "it: expected a table, { key = value, ... }, not 3"),
        ({}, "it: name is missing"),
        (
            {"name": "n", "nme": 1},
            "it: no key 'nme' (did you mean name?); the keys are free, inner",
        ),
        ({"name": "n", "kind": "c"}, "it: kind: Input should be 'a' or 'b', not 'c'"),
    ],
)
def test_names_the_key_and_what_is_expected(table: Any, message: str) -> None:
    with pytest.raises(WrongTable) as refused:
        validated(Shape, table, "it")
    assert str(refused.value).startswith(message)


def test_never_repeats_a_secret() -> None:
    with pytest.raises(WrongTable) as refused:
        validated(Shape, {"name": "n", "token": ["sesame"]}, "it", secret=("token",))
    assert str(refused.value) == "it: token: Input should be a valid string"


def test_refuses_a_key_that_is_given() -> None:
    with pytest.raises(WrongTable, match="it: no key 'name'"):
        validated(Shape, {"name": "n"}, "it", given={"name": "other"})
