"""A part's rows as the bytes of a Parquet file, and back."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tasks.core.ids import canonical_json
from tasks.core.tables import arrow_schema, table_of, to_record
from tasks.lake.arrow import without_pandas
from tasks.lake.objects import LakeError
from tasks.lake.records import Part

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

FOOTER_KEY = b"tenkbench"

# Of one row group, at least one row: who reads a few long texts skips all other groups.
_GROUP_BYTES = 1_000_000

# Files of which this process knows that their content is their name's: path, inode, size and times.
_INTACT: set[tuple[Path, int, int, int, int]] = set()


def encoded(
    row_type: type, rows: Iterable[Any], keys: Iterable[tuple[str, str]], footer: dict[str, Any]
) -> tuple[bytes, int]:
    """Return rows as a Parquet file without its folder's columns, and their number."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    without_pandas()
    table, schema = table_of(row_type), arrow_schema(row_type)
    in_folder = [(key, value) for key, value in keys if key in schema.names]
    records = []
    for row in rows:
        if type(row) is not row_type:
            raise TypeError(f"a {type(row).__name__} is not a row of '{table.name}'")
        for key, value in in_folder:
            if getattr(row, key) != value:
                raise ValueError(
                    f"a row of '{table.name}' has {key} '{getattr(row, key)}', but its part goes "
                    f"to the folder '{key}={value}'"
                )
        records.append(to_record(row))
    stored = pa.schema(field for field in schema if field.name not in table.keys)
    content = pa.Table.from_pylist(records, schema=stored)
    content = content.replace_schema_metadata({FOOTER_KEY: canonical_json(footer).encode()})
    sink = pa.BufferOutputStream()
    size = max(1, len(records) * _GROUP_BYTES // max(1, content.nbytes))
    pq.write_table(content, sink, compression="zstd", row_group_size=min(size, 16_384))
    return sink.getvalue().to_pybytes(), len(records)


def is_intact(part: Part, path: Path) -> bool:
    """Whether a file has the content that the part's name says.

    A file is read once for this, and again if it was written to.
    """
    status = path.stat()
    # with ctime: the other times can be set back
    seen = (path, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
    if seen not in _INTACT:
        with path.open("rb") as file:
            if not hashlib.file_digest(file, "sha256").hexdigest().startswith(part.content):
                return False
        _INTACT.add(seen)
    return True


def read_columns(
    part: Part, path: Path, columns: list[str], only: tuple[str, Collection[str]] | None = None
) -> Iterator[pa.Table]:
    """Yield some columns of a part, those in its folder's name included, a row group at a time.

    `only` names a stored column and values: read only the rows with one of these values.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    without_pandas()
    in_folder = {key: value for key, value in part.keys if key in columns}
    stored = [name for name in columns if name not in in_folder]
    try:
        with pq.ParquetFile(path) as file:
            for number in range(file.num_row_groups):
                rows = _row_group(file, number, stored, only)
                for key, value in in_folder.items():
                    # typed: to infer a type, pyarrow would import pandas after all
                    repeated = pa.repeat(pa.scalar(value, pa.string()), rows.num_rows)
                    rows = rows.append_column(key, repeated)
                yield rows
    except FileNotFoundError:
        raise
    except (pa.ArrowInvalid, OSError, UnicodeDecodeError) as failed:
        raise LakeError(f"{path} cannot be read: {failed}") from failed


def _row_group(
    file: pq.ParquetFile, number: int, columns: list[str], only: tuple[str, Collection[str]] | None
) -> pa.Table:
    """Read a row group; long texts of a group without a wanted row are never read."""
    if only is None:
        return file.read_row_group(number, columns, use_threads=False)
    import pyarrow as pa
    import pyarrow.compute

    column, values = only
    keys = file.read_row_group(number, [column], use_threads=False)[column]
    is_wanted = pa.compute.is_in(keys, pa.array(sorted(values), pa.string()))
    if not pa.compute.any(is_wanted).as_py():
        return file.schema_arrow.empty_table().select(columns)
    return file.read_row_group(number, columns, use_threads=False).filter(is_wanted)
