"""Row types: frozen dataclasses with a table name, partition keys, Arrow schema and records."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Any, Literal

if typing.TYPE_CHECKING:
    import pyarrow as pa

Row = typing.TypeVar("Row")
RowType = typing.TypeVar("RowType", bound=type)


@dataclass(frozen=True, slots=True)
class Table:
    """The place of one row type in a lake.

    A key's column is stored only in the folder name, not in the file, so the two agree for every
    tool that reads Hive partitions.
    """

    name: str
    keys: tuple[str, ...]  # outermost first: `<name>/release=<release>/<key>=<value>`
    id: str | None = None  # column that no two rows of a release and suite share
    # column of ids, or of lists of them -> `table.column` that has each; null refers to nothing
    references: Mapping[str, str] = dataclasses.field(default_factory=dict)


def table(
    name: str,
    *,
    keys: tuple[str, ...],
    id: str | None = None,
    references: Mapping[str, str] | None = None,
) -> Callable[[RowType], RowType]:
    """Make a dataclass a row type; decorate above `@dataclass`.

    The warehouse checks what `id` and `references` say (`tasks.warehouse.row_checks`).
    """

    def named(row_type: RowType) -> RowType:
        row_type.TABLE = Table(name, keys, id, references or {})  # type: ignore[attr-defined]
        return row_type

    return named


def table_of(row_type: type) -> Table:
    """Return the table of a row type."""
    found: Table = row_type.TABLE  # type: ignore[attr-defined]
    return found


def by_table(row_types: typing.Iterable[type]) -> dict[str, type]:
    """Return row types by table name; no two may have the same."""
    found: dict[str, type] = {}
    for row_type in row_types:
        if found.setdefault(table_of(row_type).name, row_type) is not row_type:
            raise ValueError(f"two row types have the table '{table_of(row_type).name}'")
    return found


# --- Arrow ----------------------------------------------------------------------------


@cache
def arrow_schema(row_type: type) -> pa.Schema:
    """Make the Arrow schema of a row type: one column per field, nullable if `| None`."""
    import pyarrow as pa

    return pa.schema(_arrow_fields(row_type))


def _arrow_fields(row_type: type) -> list[pa.Field]:
    import pyarrow as pa

    hints = typing.get_type_hints(row_type)
    return [
        pa.field(f.name, _arrow_type(hints[f.name]), nullable=_is_optional(hints[f.name]))
        for f in dataclasses.fields(row_type)
    ]


def _is_optional(hint: Any) -> bool:
    # `Literal[...] | None` is a typing.Union, `str | None` a types.UnionType
    return (
        typing.get_origin(hint) in (types.UnionType, typing.Union) and type(None) in hint.__args__
    )


def _given(hint: Any) -> Any:
    """Return the type of an optional field's value, if it has one."""
    (given,) = (arm for arm in hint.__args__ if arm is not type(None))
    return given


def _arrow_type(hint: Any) -> pa.DataType:
    import pyarrow as pa

    if _is_optional(hint):
        hint = _given(hint)
    if typing.get_origin(hint) is Literal:
        return pa.string()
    if typing.get_origin(hint) is tuple:
        return pa.list_(pa.field("element", _arrow_type(hint.__args__[0]), nullable=False))
    if typing.get_origin(hint) is Mapping:
        return pa.map_(*map(_arrow_type, hint.__args__))
    if dataclasses.is_dataclass(hint):
        return pa.struct(_arrow_fields(typing.cast("type", hint)))
    return {
        str: pa.string(),
        int: pa.int64(),
        float: pa.float64(),
        bool: pa.bool_(),
        date: pa.date32(),
    }[hint]


# --- SQL -------------------------------------------------------------------------------

_SQL_TYPES = {str: "varchar", int: "bigint", float: "double", bool: "boolean", date: "date"}


@cache
def sql_columns(row_type: type) -> dict[str, str]:
    """Map a row type's columns to DuckDB's types, without Arrow, which takes 0.2 s to import."""
    hints = typing.get_type_hints(row_type)
    return {f.name: _sql_type(hints[f.name]) for f in dataclasses.fields(row_type)}


def _sql_type(hint: Any) -> str:
    if _is_optional(hint):
        hint = _given(hint)
    if typing.get_origin(hint) is Literal:
        return "varchar"
    if typing.get_origin(hint) is tuple:
        return f"{_sql_type(hint.__args__[0])}[]"
    if typing.get_origin(hint) is Mapping:
        return f"map({', '.join(map(_sql_type, hint.__args__))})"
    if dataclasses.is_dataclass(hint):
        columns = sql_columns(typing.cast("type", hint)).items()
        fields = ", ".join(f'"{name}" {kind}' for name, kind in columns)
        return f"struct({fields})"
    return _SQL_TYPES[hint]


# --- records ---------------------------------------------------------------------------


def to_record(row: Any) -> dict[str, Any]:
    """Convert a row to the nested dict that Arrow takes."""
    return {
        name: getattr(row, name) if encode is None else encode(getattr(row, name))
        for name, encode in _by_field(type(row), _encoder)  # type: ignore[arg-type]
    }


@cache
def _by_field(row_type: type, convert: Callable[[Any], Any]) -> tuple[tuple[str, Any], ...]:
    hints = typing.get_type_hints(row_type)
    return tuple((f.name, convert(hints[f.name])) for f in dataclasses.fields(row_type))


def _encoder(hint: Any) -> Any:
    """Return the function from a field's value to Arrow's, or None for identity."""
    if _is_optional(hint):
        return _if_given(_encoder(_given(hint)))
    if typing.get_origin(hint) is tuple:
        inner = _encoder(hint.__args__[0])
        return None if inner is None else lambda values: tuple(map(inner, values))
    if typing.get_origin(hint) is Mapping:
        return lambda mapping: sorted(mapping.items())  # equal mappings give equal bytes
    return to_record if dataclasses.is_dataclass(hint) else None


def _decoder(hint: Any) -> Any:
    """Return the function from Arrow's Python value to the field's, or None for identity."""
    if _is_optional(hint):
        return _if_given(_decoder(_given(hint)))
    if typing.get_origin(hint) is tuple:
        inner = _decoder(hint.__args__[0])
        return tuple if inner is None else lambda values: tuple(map(inner, values))
    if typing.get_origin(hint) is Mapping:
        return dict
    if dataclasses.is_dataclass(hint):
        row_type = typing.cast("type", hint)
        return lambda record: from_record(row_type, record)
    return None


def _if_given(convert: Any) -> Any:
    return None if convert is None else lambda value: None if value is None else convert(value)


def from_record(row_type: type[Row], record: dict[str, Any]) -> Row:
    """Convert a dict from `to_record` back to a row.

    Old releases stay readable: a record written before a column was added gets its default.
    """
    values = {
        name: record[name] if decode is None else decode(record[name])
        for name, decode in _by_field(row_type, _decoder)  # type: ignore[arg-type]
        if name in record
    }
    return row_type(**values)
