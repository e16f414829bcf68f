"""What a lake keeps of EDGAR: raw bytes, facts about filings, and each release's choice.

    _raw/<2 digits>/<sha256>.gz              a filing's header and main document, or an index
    _edgar/filings/<accession>               the hash of a filing's bytes
    _edgar/release=<release>/<digest>.json   a choice: query, indexes, and the lines taken

The digest covers the query and the releases whose filings were left out. So a release can ask
another query and return to the first one without a request.
"""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import orjson

from tasks.core.fingerprints import digest
from tasks.core.ids import stable_id
from tasks.core.rows import Reject
from tasks.filings.edgar.index import BrokenLine, IndexLine
from tasks.filings.edgar.query import EdgarQuery
from tasks.filings.reader.files import ingest_reject
from tasks.lake.lake import Identity
from tasks.lake.objects import LakeError, NoSuchObject, Objects

LEFT_OUT = "an earlier release has this filing"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenFiling:
    """One filing that a release took; it has neither hash nor fault before its download."""

    line: IndexLine
    sha256: str | None = None  # of its header and main document
    fault: str | None = None  # why EDGAR cannot deliver it


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The filings that a release took, in order of filing date."""

    asked: dict[str, Any]  # identity of the query
    indexes: Mapping[str, str]  # name -> hash of its content
    broken: tuple[tuple[str, BrokenLine], ...]  # (index, line that names no filing)
    filings: tuple[ChosenFiling, ...]
    left_out: tuple[tuple[IndexLine, str], ...] = ()  # with the earlier release that has it
    absent: tuple[str, ...] = ()  # companies asked for without such a filing in the indexes

    @property
    def identity(self) -> Identity:
        """The outcome of the choice as part of a step's identity."""
        rejects = [(reject.parent_id, reject.detail) for reject in self.rejects()]
        return {"n_files": len(self.downloaded), "digest": digest([self.downloaded, rejects])}

    @property
    def is_complete(self) -> bool:
        """Whether every filing was downloaded or is known to be unavailable."""
        return all(filing.sha256 or filing.fault for filing in self.filings)

    @property
    def downloaded(self) -> list[tuple[str, str]]:
        """(URL, hash) of every filing whose bytes are in the lake."""
        return [(filing.line.url, filing.sha256) for filing in self.filings if filing.sha256]

    def rejects(self) -> list[Reject]:
        """Return a row per filing not taken, per broken line, and per company without a filing."""
        rejects = [
            ingest_reject(filing.line.url, "not downloaded", filing.fault)
            for filing in self.filings
            if filing.fault
        ]
        for name, line in self.broken:
            reject_id = stable_id("reject", "ingest", self.indexes[name], line.number)
            detail = f"{line.why}: {line.text}"
            broken = ingest_reject(f"{name}#{line.number}", "broken index line", detail)
            rejects.append(replace(broken, reject_id=reject_id))
        rejects += [
            ingest_reject(line.url, LEFT_OUT, f"{line.accession} is in release {release}")
            for line, release in self.left_out
        ]
        forms = " or ".join(self.asked["forms"])
        names = ", ".join(self.indexes)
        rejects += [
            ingest_reject(f"company {name}", "no filing of this company", f"no {forms} in {names}")
            for name in self.absent
        ]
        return rejects


def kept_choice(
    objects: Objects, release: str, query: EdgarQuery, earlier: Identity
) -> Choice | None:
    """Return the choice that a release made for this query and these earlier releases, or None.

    Raises:
        LakeError: its record is damaged.
    """
    from pydantic import TypeAdapter, ValidationError

    key = _choice_key(release, query, earlier)
    try:
        return TypeAdapter(Choice).validate_json(objects.read(key))
    except NoSuchObject:
        return None
    except ValidationError as damaged:
        raise LakeError(
            f"{key} in {objects.url} is damaged ({damaged.errors()[0]['msg']}). It records which "
            f"filings release {release} took. Delete it and run the same command again, with "
            "--contact. Filings are then chosen anew; downloads are kept"
        ) from damaged


def keep_choice(
    objects: Objects, release: str, query: EdgarQuery, earlier: Identity, choice: Choice
) -> None:
    """Store a release's choice; replaces the previous one for the same query."""
    record = orjson.dumps(choice, option=orjson.OPT_INDENT_2)
    objects.put(_choice_key(release, query, earlier), record)


def kept_hash(objects: Objects, accession: str) -> str | None:
    """Return the hash of a filing's bytes, or None unless they are in the lake and undamaged."""
    try:
        sha256 = objects.read(_hash_key(accession)).decode()
    except NoSuchObject:
        return None
    return sha256 if is_sound(objects, sha256) else None


def keep_hash(objects: Objects, accession: str, sha256: str) -> None:
    """Store the hash of a filing's bytes."""
    objects.put(_hash_key(accession), sha256.encode())


def is_sound(objects: Objects, sha256: str) -> bool:
    """Whether the bytes of this hash are in the lake and undamaged."""
    try:
        data = gzip.decompress(raw(objects, sha256))
    except (NoSuchObject, gzip.BadGzipFile, EOFError, zlib.error):
        return False
    return hashlib.sha256(data).hexdigest() == sha256


def raw(objects: Objects, sha256: str) -> bytes:
    """Return the bytes of this hash, gzipped, or raise `NoSuchObject`."""
    return objects.read(_raw_key(sha256))


def keep_raw(objects: Objects, data: bytes) -> str:
    """Store bytes once, gzipped; return their SHA-256."""
    sha256 = hashlib.sha256(data).hexdigest()
    packed = gzip.compress(data, compresslevel=6, mtime=0)
    if not objects.create(_raw_key(sha256), packed) and not is_sound(objects, sha256):
        objects.put(_raw_key(sha256), packed)
    return sha256


def _raw_key(sha256: str) -> str:
    return f"_raw/{sha256[:2]}/{sha256}.gz"


def _choice_key(release: str, query: EdgarQuery, earlier: Identity) -> str:
    return f"_edgar/release={release}/{stable_id('choice', query.identity | earlier)}.json"


def _hash_key(accession: str) -> str:
    return f"_edgar/filings/{accession}"
