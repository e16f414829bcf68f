"""What the lake keeps of EDGAR: raw bytes once by content, what each filing is, and which filings a release took.

    _raw/<2 digits>/<sha256>.gz              a filing's header and main document, or an index, packed
    _edgar/filings/<accession>.json          a filing's industry and the hash of its bytes: it is not asked for again
    _edgar/release=<release>/<digest>.json   the choice: what was asked, the indexes, and the index lines that were taken

The digest is of what was asked, and of the releases whose filings were left out: so a release can be asked otherwise,
and as before, without a request.
"""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

import orjson

from tasks.core.fingerprints import digest
from tasks.core.ids import stable_id
from tasks.core.rows import Reject
from tasks.filings.edgar.index import BrokenLine, IndexLine
from tasks.filings.edgar.query import Asked
from tasks.lake.lake import Identity
from tasks.lake.objects import LakeError, NoSuchObject, Objects

LEFT_OUT = "an earlier release has this filing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What is known of a filing whose header was read: its industry, if it names one, and its bytes, once it was read."""

    sic: str | None
    sha256: str | None = None
    n_bytes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenFiling:
    """A filing that a release took; neither hash nor fault until it has been asked for."""

    line: IndexLine
    sha256: str | None = None  # of its header and main document
    n_bytes: int | None = None
    fault: str | None = None  # why it cannot be had from EDGAR


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The filings that a release took, in the order in which they were filed.

    indexes   name -> hash of its content
    broken    (index, line)
    left_out  (filing, earlier release that has it): asked for, and not taken
    absent    companies that were asked for, and have no such filing in the indexes
    """

    asked: dict[str, Any]
    indexes: Mapping[str, str]
    broken: tuple[tuple[str, BrokenLine], ...]
    filings: tuple[ChosenFiling, ...]
    left_out: tuple[tuple[IndexLine, str], ...] = ()
    absent: tuple[str, ...] = ()

    @property
    def identity(self) -> Identity:
        """What came of the choice, as it stands in a step's identity."""
        rejects = [(reject.parent_id, reject.detail) for reject in self.rejects()]
        return {"n_files": len(self.there), "digest": digest([self.there, rejects])}

    @property
    def is_complete(self) -> bool:
        """Whether every filing is there, or known not to be."""
        return all(filing.sha256 or filing.fault for filing in self.filings)

    @property
    def there(self) -> list[tuple[str, str]]:
        """(address, hash) of the filings that are there."""
        return [(filing.line.url, filing.sha256) for filing in self.filings if filing.sha256]

    def rejects(self) -> list[Reject]:
        """A row for each filing that was not taken, each broken line, and each company without a filing."""
        missing = [
            _reject(filing.line.url, "not downloaded", filing.fault)
            for filing in self.filings
            if filing.fault
        ]
        broken = [
            replace(
                _reject(f"{Path(name).name}#{line.number}", "broken index line", f"{line.why}: {line.text}"),
                # two index files may have one name
                reject_id=stable_id("reject", "ingest", self.indexes[name], line.number),
            )
            for name, line in self.broken
        ]
        left_out = [
            _reject(line.url, LEFT_OUT, f"{line.accession} is in release {release}")
            for line, release in self.left_out
        ]
        forms = " or ".join(self.asked["forms"])
        names = ", ".join(Path(name).name for name in self.indexes)
        absent = [
            _reject(f"company {name}", "no filing of this company", f"no {forms} in {names}")
            for name in self.absent
        ]
        return missing + broken + left_out + absent


def kept_choice(objects: Objects, release: str, asked: Asked, earlier: Identity) -> Choice | None:
    """The choice that a release made when it was asked this, or None.

    Args:
        earlier: the releases whose filings it leaves out, as they stand in its identity.

    Raises:
        LakeError: the record of it is damaged.
    """
    key = _choice_key(release, asked, earlier)
    try:
        return _choice(orjson.loads(objects.read(key)))
    except NoSuchObject:
        return None
    except (ValueError, LookupError, TypeError, AttributeError) as damaged:
        raise LakeError(
            f"{key} in {objects.url}, which says what filings release {release} took, is damaged ({damaged}); delete it and "
            "run the same command again, with --contact: they are chosen anew, and what was downloaded is kept"
        ) from damaged


def _choice(record: dict[str, Any]) -> Choice:
    return Choice(
        asked=record["asked"],
        indexes=record["indexes"],
        broken=tuple((name, BrokenLine(**line)) for name, line in record["broken"]),
        filings=tuple(
            ChosenFiling(**{**filing, "line": _line(filing["line"])}) for filing in record["filings"]
        ),
        left_out=tuple((_line(line), name) for line, name in record["left_out"]),
        absent=tuple(record["absent"]),
    )


def keep_choice(objects: Objects, release: str, asked: Asked, earlier: Identity, choice: Choice) -> None:
    """Keep a release's choice, in place of the one before."""
    objects.put(_choice_key(release, asked, earlier), orjson.dumps(choice, option=orjson.OPT_INDENT_2))


def known_of(objects: Objects, accession: str) -> Known | None:
    """What is known of a filing; None where nothing was read of it, or the record is damaged: it can be asked again."""
    try:
        return Known(**orjson.loads(objects.read(_known_key(accession))))
    except (NoSuchObject, orjson.JSONDecodeError, TypeError):
        return None


def keep_known(objects: Objects, accession: str, known: Known) -> None:
    """Keep what is known of a filing."""
    objects.put(_known_key(accession), orjson.dumps(known))


def is_sound(objects: Objects, sha256: str) -> bool:
    """Whether the bytes of this hash are there, and are those."""
    try:
        packed = raw(objects, sha256)
    except NoSuchObject:
        return False
    try:
        return hashlib.sha256(gzip.decompress(packed)).hexdigest() == sha256
    except (OSError, EOFError, zlib.error):
        return False


def raw(objects: Objects, sha256: str) -> bytes:
    """The bytes of this hash, packed.

    Raises:
        NoSuchObject: they are not there.
    """
    return objects.read(_raw_key(sha256))


def keep_raw(objects: Objects, data: bytes) -> str:
    """Keep bytes once; returns their hash."""
    sha256 = hashlib.sha256(data).hexdigest()
    packed = gzip.compress(data, compresslevel=6, mtime=0)
    if not objects.create(_raw_key(sha256), packed) and not is_sound(objects, sha256):
        objects.put(_raw_key(sha256), packed)
    return sha256


def _raw_key(sha256: str) -> str:
    """Where bytes of this hash are kept, packed."""
    return f"_raw/{sha256[:2]}/{sha256}.gz"


def _choice_key(release: str, asked: Asked, earlier: Identity) -> str:
    return f"_edgar/release={release}/{stable_id('choice', asked.identity | earlier)}.json"


def _known_key(accession: str) -> str:
    return f"_edgar/filings/{accession}.json"


def _line(record: dict[str, Any]) -> IndexLine:
    return IndexLine(**{**record, "filed": date.fromisoformat(record["filed"])})


def _reject(parent: str, reason: str, detail: str) -> Reject:
    return Reject(
        reject_id=stable_id("reject", "ingest", parent),
        stage="ingest",
        parent_id=parent,
        reason=reason,
        detail=detail,
    )
