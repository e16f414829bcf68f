"""The lake: Parquet parts, and commits that say which parts count.

A *step* (ingest, build.cases.ocr, infer.answer.<model>, ...) writes its parts into
`LAKE/<table>/release=<release>/<key>=<value>/.../part-<shard>-<content>.parquet` and then
commits them all at once by replacing one small file,
`LAKE/_commits/release=<release>/<step>.json`. Readers start from commits, so they never see
half a step; a part's name carries a hash of its content, so two runs cannot write different
bytes to one name. Parts that a commit no longer names are removed after it is in place.

A commit records the step's *identity*: what its rows depend on (inputs, parameters, prompts,
code). The identity's hash is the fingerprint, which also stands in each part's footer.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote, unquote

from tasks.arrow import without_pandas
from tasks.errors import RunFailed
from tasks.ids import canonical_json, sha256_hex
from tasks.schemas import TABLES, arrow_schema, from_record, to_record

if TYPE_CHECKING:
    import pyarrow as pa

Row = TypeVar("Row")
Identity = dict[str, Any]
FOOTER_KEY = b"tenkbench"


class LakeError(RunFailed):
    """The lake cannot be read or written; the message says what to do."""


class ReleaseConflict(LakeError):
    """A finished step of a frozen release would come out differently now."""


class ConcurrentChange(LakeError):
    """Another run replaced what this step was reading."""


def fingerprint(identity: Identity) -> str:
    """16 hexadecimal digits that stand for everything a step's rows depend on."""
    return sha256_hex(canonical_json(identity))[:16]


def may_change(release: str) -> bool:
    """Whether a release may be rewritten: `dev`, or a name that ends in `-dev`."""
    return release == "dev" or release.endswith("-dev")


@dataclass(frozen=True, slots=True)
class Step:
    """One unit of work that is committed as a whole."""

    release: str
    name: str  # dotted, e.g. build.cases.ocr


@dataclass(frozen=True, slots=True)
class Part:
    """One Parquet file of a commit."""

    table: str
    keys: tuple[tuple[str, str], ...]  # partition keys, outermost first
    path: str  # below the lake's root
    n_rows: int
    fingerprint: str  # of the identity that it was written under


@dataclass(frozen=True, slots=True)
class Commit:
    """What a finished step left behind."""

    step: Step
    identity: Identity
    parts: tuple[Part, ...]
    committed_at: str

    @property
    def fingerprint(self) -> str:
        return fingerprint(self.identity)

    @property
    def content(self) -> str:
        """16 hexadecimal digits that stand for every row: the parts' names carry their content's hash."""
        return sha256_hex(canonical_json(sorted(part.path for part in self.parts)))[:16]

    def parts_of(self, table: str, **keys: str) -> list[Part]:
        """The parts of one table, in shard order; with `keys` those of one partition."""
        wanted = set(keys.items())
        return [part for part in self.parts if part.table == table and wanted <= set(part.keys)]

    def n_rows(self, table: str) -> int:
        """Rows of one table in this commit."""
        return sum(part.n_rows for part in self.parts if part.table == table)


class Lake:
    """A lake in a local folder."""

    def __init__(self, root: str | Path) -> None:
        self.root = Path(root).expanduser().resolve()

    @property
    def journal(self) -> Path:
        """Where answers of models are kept (`tasks.journal`); no file where none was asked."""
        return self.root / "_ledger" / "journal.sqlite"

    @property
    def warehouse(self) -> Path:
        """The lake as a DuckDB file (`tasks.warehouse.write_warehouse`); made when a release is scored."""
        return self.root / "warehouse.duckdb"

    def make(self) -> None:
        """Make the lake's folder, where it is missing.

        Raises:
            LakeError: it cannot be made or written.
        """
        try:
            (self.root / "_commits").mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=self.root):
                pass
        except OSError as error:
            raise LakeError(
                f"cannot write the lake {self.root}: {error.strerror}; choose another --lake"
            ) from error

    # --- commits

    def commit_of(self, step: Step) -> Commit | None:
        """The step's commit, or None when it has not finished yet."""
        path = self._commit_path(step)
        try:
            record = json.loads(path.read_text(encoding="utf-8"))
        except (FileNotFoundError, NotADirectoryError):
            return None
        except json.JSONDecodeError as damaged:
            raise LakeError(f"{path} is damaged ({damaged}); delete it and run again") from damaged
        parts = tuple(
            Part(
                part["table"],
                tuple((key, value) for key, value in part["keys"]),
                part["path"],
                part["n_rows"],
                record["fingerprint"],
            )
            for part in record["parts"]
        )
        return Commit(step, record["identity"], parts, record["committed_at"])

    def commits(self, release: str | None = None) -> list[Commit]:
        """All commits of a release, or of all releases, by release and name."""
        pattern = f"release={_key_value(release)}/*.json" if release is not None else "release=*/*.json"
        found = []
        for path in sorted((self.root / "_commits").glob(pattern)):
            step = Step(unquote(path.parent.name.removeprefix("release=")), unquote(path.stem))
            commit = self.commit_of(step)
            if commit is not None:
                found.append(commit)
        return found

    def releases(self) -> list[str]:
        """The names of the releases that the lake holds."""
        return sorted({commit.step.release for commit in self.commits()})

    def write(
        self, step: Step, identity: Identity, table: str, rows: Iterable[Any], shard: int = 0, **keys: str
    ) -> Part:
        """Write one part of a step; nobody sees it before the step's commit names it.

        An empty part keeps the table's schema on disk.

        Raises:
            TypeError: a row is not of the table's type.
        """
        import pyarrow as pa
        import pyarrow.parquet as pq

        without_pandas()
        row_type = TABLES[table]
        records = []
        for row in rows:
            if type(row) is not row_type:
                raise TypeError(f"a {type(row).__name__} is not a row of {table}")
            records.append(to_record(row))
        footer: Identity = {"step": step.name, "fingerprint": fingerprint(identity), "identity": identity}
        content = pa.Table.from_pylist(records, schema=arrow_schema(row_type))
        content = content.replace_schema_metadata({FOOTER_KEY: canonical_json(footer).encode()})
        sink = pa.BufferOutputStream()
        pq.write_table(content, sink, compression="zstd", row_group_size=16_384)
        data = sink.getvalue().to_pybytes()
        named = (("release", step.release), *keys.items())
        folder = "/".join([table, *(f"{key}={_key_value(value)}" for key, value in named)])
        path = f"{folder}/part-{shard:05d}-{hashlib.sha256(data).hexdigest()[:12]}.parquet"
        _replace_bytes(self.root / path, data)
        return Part(table, named, path, len(records), footer["fingerprint"])

    def commit(
        self, step: Step, identity: Identity, parts: Sequence[Part], inputs: Iterable[Commit] = ()
    ) -> Commit:
        """Make a step's parts what readers see, and remove the parts that it had before.

        Raises:
            ConcurrentChange: another run replaced one of the `inputs` that were read, or
                removed a part meanwhile; nothing is committed then.
        """
        path = self._commit_path(step)
        path.parent.mkdir(parents=True, exist_ok=True)
        with _lock(path.parent):
            for read in inputs:
                now = self.commit_of(read.step)
                if now is None or now.content != read.content:
                    raise ConcurrentChange(
                        f"while {step.name} of release {step.release} ran, another run replaced its input "
                        f"{read.step.name}; nothing was committed, run it again"
                    )
            if any(part.fingerprint != fingerprint(identity) for part in parts):
                raise ConcurrentChange(
                    f"while {step.name} of release {step.release} ran, another run replaced what it reads, so that "
                    "its parts are not all of one piece; nothing was committed, run it again"
                )
            if any(not (self.root / part.path).exists() for part in parts):
                raise ConcurrentChange(
                    f"while {step.name} of release {step.release} ran, another run removed its parts; "
                    "nothing was committed, run it again"
                )
            before = self.commit_of(step)
            record: dict[str, Any] = {
                "step": step.name,
                "fingerprint": fingerprint(identity),
                "identity": identity,
                "committed_at": datetime.now(UTC).isoformat(timespec="seconds"),
                "parts": [
                    {"table": part.table, "keys": list(part.keys), "path": part.path, "n_rows": part.n_rows}
                    for part in parts
                ],
            }
            _replace_bytes(path, json.dumps(record, indent=1, ensure_ascii=False).encode())
            if before is not None:
                self._remove_parts(before, kept={part.path for part in parts})
        return Commit(step, identity, tuple(parts), record["committed_at"])

    def retire(self, commit: Commit) -> None:
        """Take a step back: its commit first, then its parts. One that was replaced meanwhile stays."""
        path = self._commit_path(commit.step)
        with _lock(path.parent):
            now = self.commit_of(commit.step)
            if now is not None and now.content == commit.content:
                path.unlink()
                self._remove_parts(commit, kept=set())

    def sweep(self, release: str, older_than_s: float) -> list[str]:
        """Remove parts and unfinished files that no commit names, as a killed run leaves them.

        Only those older than `older_than_s` seconds: younger ones may belong to a run that is
        about to commit. Returns their paths.
        """
        named = {part.path for commit in self.commits(release) for part in commit.parts}
        limit = time.time() - older_than_s
        swept = []
        for table in TABLES:
            folder = self.root / table / f"release={_key_value(release)}"
            for file in sorted(folder.rglob("*")):
                path = file.relative_to(self.root).as_posix()
                if path not in named and file.is_file() and file.stat().st_mtime < limit:
                    file.unlink(missing_ok=True)
                    swept.append(path)
        return swept

    def _remove_parts(self, commit: Commit, kept: set[str]) -> None:
        for part in commit.parts:
            if part.path not in kept:
                (self.root / part.path).unlink(missing_ok=True)

    def _commit_path(self, step: Step) -> Path:
        return (
            self.root / "_commits" / f"release={_key_value(step.release)}" / f"{_key_value(step.name)}.json"
        )

    # --- rows

    def read(
        self, commit: Commit, row_type: type[Row], only: tuple[str, Collection[str]] | None = None
    ) -> list[Row]:
        """A commit's rows of one type, in shard order; `only=(column, values)` reads no others.

        Raises:
            ConcurrentChange: another run has replaced the commit and removed its parts.
            LakeError: a part is damaged.
        """
        return list(self.each(commit, row_type, only))

    def each(
        self, commit: Commit, row_type: type[Row], only: tuple[str, Collection[str]] | None = None
    ) -> Iterator[Row]:
        """As `read`, a part at a time."""
        for part in commit.parts_of(_table_of(row_type)):
            yield from self._rows(part, row_type, only)

    def read_shard(self, commit: Commit, row_type: type[Row], shard: int, **keys: str) -> list[Row]:
        """The rows of one type that one shard of the commit's step wrote; `keys` choose a partition."""
        return self._rows(commit.parts_of(_table_of(row_type), **keys)[shard], row_type)

    def _rows(
        self, part: Part, row_type: type[Row], only: tuple[str, Collection[str]] | None = None
    ) -> list[Row]:
        return [from_record(row_type, record) for record in self._read_part(part, only=only).to_pylist()]

    def read_pairs(self, commit: Commit, table: str, key: str, value: str) -> dict[Any, Any]:
        """Two columns of a commit's table, as a mapping from one to the other."""
        found: dict[Any, Any] = {}
        for part in commit.parts_of(table):
            columns = self._read_part(part, columns=[key, value])
            found |= dict(zip(columns[key].to_pylist(), columns[value].to_pylist(), strict=True))
        return found

    def _read_part(
        self,
        part: Part,
        columns: list[str] | None = None,
        only: tuple[str, Collection[str]] | None = None,
    ) -> pa.Table:
        import pyarrow as pa
        import pyarrow.compute
        import pyarrow.parquet as pq

        without_pandas()
        try:
            with pq.ParquetFile(self.root / part.path) as file:
                if only is None:
                    return file.read(columns)
                column, values = only
                wanted = pa.array(sorted(values), pa.string())
                groups = (file.read_row_group(group, columns) for group in range(file.num_row_groups))
                kept = [group.filter(pa.compute.is_in(group[column], wanted)) for group in groups]
                return pa.concat_tables(kept) if kept else file.schema_arrow.empty_table()
        except FileNotFoundError as gone:
            raise ConcurrentChange(
                f"{part.path} is gone: another run replaced it, or it was deleted by hand; run the step before again with --force"
            ) from gone
        except pa.ArrowInvalid as damaged:
            raise LakeError(
                f"{self.root / part.path} is damaged ({damaged}); run its step again with --force"
            ) from damaged

    def files(self, release: str | None = None) -> dict[str, list[str]]:
        """table -> paths of its committed parts."""
        found: dict[str, list[str]] = {table: [] for table in TABLES}
        for commit in self.commits(release):
            for part in commit.parts:
                if part.n_rows:
                    found[part.table].append(str(self.root / part.path))
        return found


def differences(before: Identity, now: Identity) -> list[str]:
    """What changed between two identities, one plain line each: `parameters.limit: 5 -> 20`."""
    return list(_differences("", before, now))


def _differences(name: str, before: Any, now: Any) -> Iterator[str]:
    if isinstance(before, dict) and isinstance(now, dict):
        for key in sorted({*before, *now}):
            yield from _differences(f"{name}.{key}" if name else str(key), before.get(key), now.get(key))
    elif before != now:
        yield f"{name}: {_shown(before)} -> {_shown(now)}"


def _shown(value: Any) -> str:
    return "nothing" if value is None else str(value)


def _table_of(row_type: type) -> str:
    return next(table for table, known in TABLES.items() if known is row_type)


def _lock(folder: Path) -> AbstractContextManager[object]:
    from filelock import FileLock

    return FileLock(folder / ".lock")


def _key_value(value: str) -> str:
    # Hive's escaping, which DuckDB and pyarrow undo; a leading dot or underscore would hide the file.
    return quote(value, safe=" @+,()-_.~").replace(" ", "%20")


def _replace_bytes(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".writing-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
