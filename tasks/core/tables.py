"""Row types: frozen dataclasses with a table name, partition keys, Arrow schema and records."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Any, Literal

from pydantic import TypeAdapter

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


@typing.dataclass_transform(
    frozen_default=True, kw_only_default=True, field_specifiers=(dataclasses.field,)
)
def table(
    name: str, *, keys: tuple[str, ...], id: str | None = None, **references: str
) -> Callable[[RowType], RowType]:
    """Make a class a row type: a frozen dataclass with keyword arguments and the place `Table`.

    The warehouse checks what `id` and `references` say (`tasks.warehouse.row_checks`).
    """

    def as_row_type(plain: RowType) -> RowType:
        row_type: Any = dataclass(frozen=True, slots=True, kw_only=True)(plain)
        row_type.TABLE = Table(name, keys, id, references)
        return typing.cast("RowType", row_type)

    return as_row_type


def table_of(row_type: type) -> Table:
    """Return the table of a row type."""
    return typing.cast("Table", row_type.TABLE)  # type: ignore[attr-defined]


def by_table(row_types: typing.Iterable[type]) -> dict[str, type]:
    """Return row types by table name; no two may have the same."""
    by_name: dict[str, type] = {}
    for row_type in row_types:
        if by_name.setdefault(table_of(row_type).name, row_type) is not row_type:
            raise ValueError(f"two row types have the table '{table_of(row_type).name}'")
    return by_name


# --- types of columns -------------------------------------------------------------------

# Python's type -> the name of Arrow's, and DuckDB's
_SCALARS = {
    str: ("string", "varchar"),
    int: ("int64", "bigint"),
    float: ("float64", "double"),
    bool: ("bool_", "boolean"),
    date: ("date32", "date"),
}


def _is_optional(hint: Any) -> bool:
    return type(None) in typing.get_args(hint)


def _shape(hint: Any) -> tuple[str, Any]:
    """Return how a field's values are stored: as a scalar, list, map or struct, and of what."""
    if _is_optional(hint):
        (hint,) = (arm for arm in hint.__args__ if arm is not type(None))
    origin = typing.get_origin(hint)
    if origin is Literal:
        return "scalar", str
    if origin is tuple:
        return "list", hint.__args__[0]
    if origin is Mapping:
        return "map", hint.__args__
    return "struct" if dataclasses.is_dataclass(hint) else "scalar", hint


@cache
def arrow_schema(row_type: type) -> pa.Schema:
    """Make the Arrow schema of a row type: one column per field, nullable if `| None`."""
    import pyarrow as pa

    hints = typing.get_type_hints(row_type)
    return pa.schema(
        pa.field(f.name, _arrow_type(hints[f.name]), nullable=_is_optional(hints[f.name]))
        for f in dataclasses.fields(row_type)
    )


def _arrow_type(hint: Any) -> pa.DataType:
    import pyarrow as pa

    match _shape(hint):
        case "list", element:
            return pa.list_(pa.field("element", _arrow_type(element), nullable=False))
        case "map", (key, value):
            return pa.map_(_arrow_type(key), _arrow_type(value))
        case "struct", row_type:
            return pa.struct(arrow_schema(row_type))
        case _, scalar:
            return getattr(pa, _SCALARS[scalar][0])()


@cache
def sql_columns(row_type: type) -> dict[str, str]:
    """Map a row type's columns to DuckDB's types, without Arrow, which takes 0.2 s to import."""
    hints = typing.get_type_hints(row_type)
    return {f.name: _sql_type(hints[f.name]) for f in dataclasses.fields(row_type)}


def _sql_type(hint: Any) -> str:
    match _shape(hint):
        case "list", element:
            return f"{_sql_type(element)}[]"
        case "map", (key, value):
            return f"map({_sql_type(key)}, {_sql_type(value)})"
        case "struct", row_type:
            fields = [f'"{name}" {kind}' for name, kind in sql_columns(row_type).items()]
            return f"struct({', '.join(fields)})"
        case _, scalar:
            return _SCALARS[scalar][1]


# --- records ---------------------------------------------------------------------------


def to_record(row: Any) -> dict[str, Any]:
    """Convert a row to the nested dict that Arrow takes."""
    row_type: Any = type(row)
    record: dict[str, Any] = _adapter(row_type).dump_python(row, warnings=False)
    return record


def from_record(row_type: type[Row], record: dict[str, Any]) -> Row:
    """Convert a dict from `to_record` back to a row.

    Old releases stay readable: a record written before a column was added gets its default.
    """
    row: Row = _adapter(row_type).validate_python(record)  # type: ignore[arg-type]
    return row


@cache
def _adapter(row_type: type) -> TypeAdapter[Any]:
    return TypeAdapter(row_type)
