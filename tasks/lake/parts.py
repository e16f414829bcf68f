"""A part's rows as the bytes of a Parquet file, and back."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tasks.core.ids import canonical_json
from tasks.core.tables import arrow_schema, table_of, to_record
from tasks.lake.arrow import without_pandas
from tasks.lake.commits import Part
from tasks.lake.objects import LakeError

if TYPE_CHECKING:
    import pyarrow as pa

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
            if (said := getattr(row, key)) != value:
                raise ValueError(
                    f"a row of '{table.name}' has {key} '{said}', but its part goes to the "
                    f"folder '{key}={value}'; write it with {key}='{said}'"
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
    import pyarrow.compute
    import pyarrow.parquet as pq

    without_pandas()
    in_folder = {key: value for key, value in part.keys if key in columns}
    stored = [name for name in columns if name not in in_folder]
    groups: Iterable[int] | None = None
    read = stored
    try:
        if only is not None:
            column, values = only
            wanted, hashes = pa.array(sorted(values), pa.string()), set(map(hash, values))
            # that column first: of rows that nobody wants, long texts are never read
            groups = [
                group
                for group, found in enumerate(_hashes(path, column))
                if not hashes.isdisjoint(found)
            ]
            read = list(dict.fromkeys([*stored, column]))
        with pq.ParquetFile(path) as file:
            for group in range(file.num_row_groups) if groups is None else groups:
                rows = file.read_row_group(group, read, use_threads=False)
                if only is not None:
                    rows = rows.filter(pa.compute.is_in(rows[column], wanted)).select(stored)
                for key, value in in_folder.items():
                    # typed: to infer a type, pyarrow would import pandas after all
                    repeated = pa.repeat(pa.scalar(value, pa.string()), rows.num_rows)
                    rows = rows.append_column(key, repeated)
                yield rows
    except (pa.ArrowInvalid, OSError, UnicodeDecodeError) as failed:
        if isinstance(failed, FileNotFoundError):
            raise
        raise LakeError(f"{path} cannot be read: {failed}") from failed


# For each shard of a step, most parts have no row that it reads. A part never changes. Hashes take
# a fifth of the values' memory; where two are equal by chance, a row group is read for nothing.
@lru_cache(maxsize=1_024)
def _hashes(path: Path, column: str) -> list[array[int]]:
    """Return the hashes of a column's values, by row group."""
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        values = iter(file.read([column])[column].to_pylist())
        sizes = (file.metadata.row_group(group).num_rows for group in range(file.num_row_groups))
        return [array("q", map(hash, islice(values, size))) for size in sizes]
