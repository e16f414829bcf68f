"""Steps, parts and commits, and their records as stored."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any
from urllib.parse import quote

from tasks.core.ids import canonical_json, sha256_hex
from tasks.lake.objects import LakeError

Identity = dict[str, Any]

# Suffix of a part whose usual name another run may be about to remove.
AGAIN = "-again.parquet"


def fingerprint(identity: Identity) -> str:
    """Hash an identity to 16 hexadecimal digits."""
    return sha256_hex(canonical_json(identity))[:16]


def may_change(release: str) -> bool:
    """Return whether a release may be rewritten: `dev` or `*-dev`."""
    return release == "dev" or release.endswith("-dev")


@dataclass(frozen=True, slots=True)
class LakeStep:
    """One unit of work, committed as a whole."""

    release: str
    name: str  # dotted, e.g. build.cases.ocr

    @property
    def key(self) -> str:
        """The key of its record in the lake."""
        return f"_commits/release={key_value(self.release)}/{key_value(self.name)}.json"


@dataclass(frozen=True, slots=True)
class Part:
    """One Parquet file of a commit."""

    table: str
    keys: tuple[tuple[str, str], ...]  # partition keys, outermost first
    path: str  # key in the lake
    n_rows: int
    fingerprint: str  # of the identity it was written under
    over: str | None = field(default=None, compare=False)  # version of the step's commit at writing

    @property
    def shard(self) -> int:
        """The shard that it was written as."""
        return int(self._name[0])

    @property
    def content(self) -> str:
        """First 12 digits of its content's SHA-256, by its name."""
        return self._name[1]

    @property
    def _name(self) -> list[str]:
        return self.path.rpartition("/part-")[2].removesuffix(".parquet").split("-")


@dataclass(frozen=True, slots=True)
class MadeBy:
    """The code that made a step's rows; recorded and shown, but never part of an identity."""

    tenkbench: str = ""  # tenkbench release
    code: Mapping[str, str] = field(default_factory=dict)  # room -> hash of its source and data
    # all judges that the run named, of a step of judgements
    judges: Sequence[str] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Commit:
    """The committed result of a finished step."""

    step: LakeStep
    identity: Identity
    parts: tuple[Part, ...]
    committed_at: str
    made_by: MadeBy = field(default=MadeBy(), compare=False)

    @property
    def fingerprint(self) -> str:
        return fingerprint(self.identity)

    @property
    def content(self) -> str:
        """16 digits that identify all rows: a hash of the parts' names, which contain theirs."""
        names = sorted(part.path.replace(AGAIN, ".parquet") for part in self.parts)
        return sha256_hex(canonical_json(names))[:16]

    def parts_of(self, table: str, **keys: str) -> list[Part]:
        """Return one table's parts in shard order, filtered by partition `keys`."""
        wanted = set(keys.items())
        return [part for part in self.parts if part.table == table and wanted <= set(part.keys)]

    def n_rows(self, table: str) -> int:
        """Count the rows of one table in this commit."""
        return sum(part.n_rows for part in self.parts if part.table == table)


class Damaged(LakeError):
    """A part or a record is not what was written."""

    def __init__(self, key: str, url: str, what: str) -> None:
        super().__init__(
            f"{key} in {url} is damaged ({what}). This removes its step, and the next run redoes "
            "only that step:\n"
            f"    tenkbench repair --lake {url}"
        )
        self.key, self.what = key, what


# --- as stored -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Seen:
    """The record of a step at one moment."""

    commit: Commit | None = None  # also None for a retired step
    version: str | None = None  # of the record; None if there is none
    removed: Sequence[str] = ()  # parts that the record's writer removed or was about to remove


def record_of(commit: Commit) -> dict[str, Any]:
    """Return a commit's record."""
    columns = ("table", "keys", "path", "n_rows")
    return {
        "step": commit.step.name,
        "fingerprint": commit.fingerprint,
        "identity": commit.identity,
        "made_by": asdict(commit.made_by),
        "committed_at": commit.committed_at,
        "parts": [{name: getattr(part, name) for name in columns} for part in commit.parts],
    }


def written_record(record: dict[str, Any]) -> bytes:
    """Return the bytes of a record, with a hash of its content."""
    record = {**record, "sha256": sha256_hex(canonical_json(record))}
    return json.dumps(record, indent=1, ensure_ascii=False).encode()


def read_record(step: LakeStep, url: str, data: bytes, version: str) -> Seen:
    """Return a step's record from its stored bytes.

    Raises:
        Damaged: it is not what was written.
    """
    try:
        record = json.loads(data)
        written = record.pop("sha256", None)  # older records have none
        if written not in (None, sha256_hex(canonical_json(record))):
            raise ValueError("its content does not match its hash")
        commit = None if "retired_at" in record else _commit(step, record)
        return Seen(commit, version, record.get("removed", ()))
    except (ValueError, RecursionError) as error:
        raise Damaged(step.key, url, f"{type(error).__name__}: {error}") from error
    except (KeyError, TypeError, AttributeError) as error:
        raise Damaged(step.key, url, "it is not the record of a step") from error


def _commit(step: LakeStep, record: dict[str, Any]) -> Commit:
    parts = tuple(
        Part(
            part["table"],
            tuple(map(tuple, part["keys"])),
            part["path"],
            part["n_rows"],
            record["fingerprint"],
        )
        for part in record["parts"]
    )
    made_by = MadeBy(**record["made_by"])
    return Commit(step, record["identity"], parts, record["committed_at"], made_by)


def key_value(value: str) -> str:
    """Escape a value for a folder's or file's name, as Hive does.

    DuckDB and pyarrow undo it. A leading dot or underscore would hide the file.
    """
    return quote(value, safe=" @+,()-_.~").replace(" ", "%20")


def differences(before: Any, now: Any, name: str = "") -> list[str]:
    """List the changes between two identities, like `parameters.limit: 5 -> 20`."""
    if isinstance(before, dict) and isinstance(now, dict):
        changes: list[str] = []
        for key in sorted({*before, *now}):
            changes += differences(before.get(key), now.get(key), f"{name}.{key}" if name else key)
        return changes
    if before == now:
        return []
    was, is_now = ("nothing" if value is None else value for value in (before, now))
    return [f"{name}: {was} -> {is_now}"]
