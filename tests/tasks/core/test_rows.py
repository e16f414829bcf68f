"""Every row type goes to Arrow and Parquet and comes back as it was."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tasks.core.tables import arrow_schema, from_record, to_record
from tasks.warehouse.raw_tables import row_types

TABLES = row_types()


def is_nullable(hint: Any) -> bool:
    return type(None) in typing.get_args(hint)


def example(hint: Any, is_full: bool) -> Any:
    """A value of a field's type; where it may be null, null unless `is_full`."""
    if is_nullable(hint):
        inner = next(arm for arm in hint.__args__ if arm is not type(None))
        return example(inner, is_full) if is_full else None
    if typing.get_origin(hint) is typing.Literal:
        return hint.__args__[-1]
    if typing.get_origin(hint) is tuple:
        return (
            (example(hint.__args__[0], is_full), example(hint.__args__[0], is_full))
            if is_full
            else ()
        )
    if typing.get_origin(hint) is Mapping:
        return {"unit": "café 𝟏", "scenario": ""} if is_full else {}
    if dataclasses.is_dataclass(hint):
        return row_of(typing.cast("type", hint), is_full)
    return {str: "café 𝟏", int: 7, float: 0.25, bool: True, date: date(1998, 3, 27)}[hint]


def row_of(row_type: type, is_full: bool) -> Any:
    hints = typing.get_type_hints(row_type)
    return row_type(
        **{f.name: example(hints[f.name], is_full) for f in dataclasses.fields(row_type)}
    )


@pytest.mark.parametrize("name", TABLES)
def test_rows_survive_parquet(name: str, tmp_path: Path) -> None:
    row_type = TABLES[name]
    rows = [row_of(row_type, is_full=True), row_of(row_type, is_full=False)]
    table = pa.Table.from_pylist([to_record(row) for row in rows], schema=arrow_schema(row_type))
    pq.write_table(table, tmp_path / "part.parquet")
    read = pq.read_table(tmp_path / "part.parquet")
    assert read.schema.equals(arrow_schema(row_type))
    assert [from_record(row_type, record) for record in read.to_pylist()] == rows


@pytest.mark.parametrize("name", TABLES)
def test_a_column_may_be_null_exactly_where_its_field_may(name: str) -> None:
    hints = typing.get_type_hints(TABLES[name])
    schema = arrow_schema(TABLES[name])
    assert schema.names == [f.name for f in dataclasses.fields(TABLES[name])]
    for field in schema:
        assert field.nullable == is_nullable(hints[field.name]), field.name


@pytest.mark.parametrize("name", TABLES)
def test_a_table_s_rows_are_frozen_and_say_their_grain(name: str) -> None:
    row_type = TABLES[name]
    assert row_type.__doc__
    assert not row_type.__doc__.startswith(f"{row_type.__name__}(")
    row = row_of(row_type, is_full=True)
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(row, dataclasses.fields(row_type)[0].name, "changed")
