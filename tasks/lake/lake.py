"""The lake: its place, and the rows of its commits."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from tasks.core.tables import arrow_schema, from_record, table_of
from tasks.lake.commits import OTHER_CONTENT, Commits, ConcurrentChange
from tasks.lake.objects import LakeError, NoSuchObject, Unreadable, open_objects
from tasks.lake.parts import is_intact, read_columns
from tasks.lake.records import Commit, Damaged, Identity, LakeStep, MadeBy, Part, may_change

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "Commit",
    "ConcurrentChange",
    "Identity",
    "Lake",
    "LakeError",
    "LakeStep",
    "MadeBy",
    "Part",
    "ReleaseConflict",
    "may_change",
]  # fmt: skip

Row = TypeVar("Row")
Only = tuple[str, Collection[str]]  # a column, and the values of the rows to read


class ReleaseConflict(LakeError):
    """A rerun would change a finished step of a frozen release."""


class Lake(Commits):
    """A lake in a local folder or in S3."""

    def __init__(self, lake: str | Path) -> None:
        super().__init__(open_objects(str(lake)))

    @property
    def url(self) -> str:
        """The lake's address: `s3://bucket/prefix`, or the absolute path of its folder."""
        return self.objects.url

    @property
    def here(self) -> Path:
        """The local folder for files that must be on this machine; a local lake's own folder."""
        return self.objects.here

    @property
    def journal(self) -> Path:
        """Path of the response cache, which the first model call makes."""
        return self.here / "_ledger" / "journal.sqlite"

    @property
    def warehouse(self) -> Path | None:
        """Path of the lake's DuckDB file; None in S3, since its views name local files."""
        return self.here / "warehouse.duckdb" if self.url == str(self.here) else None

    def make(self) -> None:
        """Create the lake if it does not exist."""
        self.objects.make_ready()

    def read(self, commit: Commit, row_type: type[Row], only: Only | None = None) -> list[Row]:
        """Read a commit's rows of one type, in shard order, or `only` those with some values.

        Raises:
            ConcurrentChange: another run has replaced the commit and removed its parts.
        """
        return list(self.each(commit, row_type, only))

    def each(self, commit: Commit, row_type: type[Row], only: Only | None = None) -> Iterator[Row]:
        """Yield what `read` returns; one row group is in memory at a time."""
        for part in commit.parts_of(table_of(row_type).name):
            yield from self.rows_of(part, row_type, only)

    def read_shard(self, commit: Commit, row_type: type[Row], shard: int, **keys: str) -> list[Row]:
        """Read the rows of one type and shard; `keys` choose partitions."""
        parts = commit.parts_of(table_of(row_type).name, **keys)
        return [
            row for part in parts if part.shard == shard for row in self.rows_of(part, row_type)
        ]

    def rows_of(self, part: Part, row_type: type[Row], only: Only | None = None) -> Iterator[Row]:
        """Yield a part's rows, whether or not it is committed."""
        names = arrow_schema(row_type).names  # type: ignore[arg-type]
        for group in self._read_part(part, names, only):
            yield from (from_record(row_type, record) for record in group.to_pylist())

    def columns(
        self, commit: Commit, table: str, *names: str, only: Only | None = None
    ) -> Iterator[tuple[Any, ...]]:
        """Yield some columns of a commit's table, row by row; `only` is that of `read`."""
        for part in commit.parts_of(table):
            for group in self._read_part(part, list(names), only):
                yield from zip(*(group[name].to_pylist() for name in names), strict=True)

    def files(
        self,
        release: str | tuple[str, ...] | None = None,
        *,
        suite: str | None = None,
        without: Collection[LakeStep] = (),
    ) -> Mapping[str, Sequence[str]]:
        """Map each table to the local paths of its committed, non-empty parts.

        For a lake in S3, looking a table up downloads its parts, and they are kept.

        Args:
            release: one release, several, or None for all.
            suite: leave out the parts of other suites.
            without: steps to leave out.
        """
        by_table: dict[str, list[Part]] = {}
        releases = release if isinstance(release, tuple) else (release,)
        commits = [commit for name in releases for commit in self.commits(name)]
        parts = (commit.parts for commit in commits if commit.step not in without)
        for part in chain.from_iterable(parts):
            of_suite = dict(part.keys).get("suite", "all")
            if part.n_rows and (suite is None or of_suite in (suite, "all")):
                by_table.setdefault(part.table, []).append(part)
        return _Files(by_table, lambda parts: [str(path) for path in self._each(self._file, parts)])

    def _read_part(
        self, part: Part, columns: list[str], only: Only | None = None
    ) -> Iterator[pa.Table]:
        try:
            yield from read_columns(part, self._file(part), columns, only)
        except FileNotFoundError as gone:  # removed since `_file` looked
            raise self._gone(part) from gone

    def _file(self, part: Part) -> Path:
        """Return a local file with a part's content."""
        try:
            path = self.objects.file(part.path)
            if not is_intact(part, path) and self.url != str(self.here):
                path.unlink(missing_ok=True)  # a copy: fetch it again
                path = self.objects.file(part.path)
            if is_intact(part, path):
                return path
        except (NoSuchObject, FileNotFoundError) as gone:
            raise self._gone(part) from gone
        except OSError as error:
            raise Unreadable(self.url, path, error) from error
        raise Damaged(part.path, self.url, OTHER_CONTENT)

    def _gone(self, part: Part) -> ConcurrentChange:
        return ConcurrentChange(
            f"{part.path} is gone from {self.url}: another run replaced it, or someone deleted "
            "it. First run the command again. If that fails, remove the step; the next run makes "
            "it again:\n"
            f"    tenkbench repair --lake {self.url}"
        )


class _Files(Mapping[str, Sequence[str]]):
    """Paths by table, fetched when a table is looked up."""

    def __init__(
        self, parts: dict[str, list[Part]], fetch: Callable[[list[Part]], list[str]]
    ) -> None:
        self._parts, self._fetch = parts, fetch

    def __getitem__(self, table: str) -> Sequence[str]:
        return self._fetch(self._parts.get(table, []))

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)
