"""Files of filings are found, unpacked and decoded, or rejected with a reason."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from tasks.filings.reader.files import Rejected, decode, find_files, unpack


def test_finds_filings_of_a_folder_in_order(tmp_path: Path) -> None:
    names = "b.txt a.HTM sub/c.html.gz sub/d.txt.gz README.md x.csv e.json .hidden.txt"
    for name in names.split():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"x")
    found = [file.relative_to(tmp_path).as_posix() for file in find_files(tmp_path)]
    assert found == ["a.HTM", "b.txt", "e.json", "sub/c.html.gz", "sub/d.txt.gz"]


@pytest.mark.parametrize(
    ("stored", "reason"),
    [
        (b"", "empty"),
        (b" \n\t ", "empty"),
        (gzip.compress(b""), "empty"),
        (gzip.compress(bytes(range(256)) * 3)[:-20], "truncated gzip"),
        (b"\x1f\x8b\x08\x00garbage, not deflate", "broken gzip"),
        (gzip.compress(b"0" * 5000), "larger than the limit"),
        (b"0" * 1001, "larger than the limit"),
    ],
    # Named here: an id made of a gzip's bytes has the second it was packed in, and workers
    # that collect in different seconds would disagree on the names of their tests.
    ids=["nothing", "space", "packed nothing", "cut", "garbage", "packed long", "long"],
)
def test_rejects_what_cannot_be_unpacked_with_a_reason(stored: bytes, reason: str) -> None:
    with pytest.raises(Rejected) as rejected:
        unpack(stored, limit=1000)
    assert rejected.value.reason == reason


def test_decodes_the_encodings_of_filings() -> None:
    assert decode("naïve – “x”".encode()) == "naïve – “x”"
    assert decode("\ufeffForm".encode()) == "Form"
    assert decode("Form “x”".encode("utf-16")) == "Form “x”"
    assert (
        decode(b"the company\x92s \x93text\x94 \x96 R\xe9sum\xe9 " + b"x" * 50)
        == "the company’s “text” – Résumé " + "x" * 50
    )
    assert decode(b"a\r\nb\rc") == "a\nb\nc"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"%PDF-1.4 ...", "binary"),
        (bytes(range(32)) * 40, "binary"),
        (b"\xff\xfe" + b"a\x00b\x00\x00", "undecodable"),
    ],
)
def test_rejects_what_is_not_text_with_a_reason(data: bytes, reason: str) -> None:
    with pytest.raises(Rejected) as rejected:
        decode(data)
    assert rejected.value.reason == reason
