"""Inputs that parsers stumble over end in a row or a message: no traceback, nothing raw."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from flows.cli.app import main
from flows.cli.presets import read_preset
from flows.cli.views.console import print_note, print_prose
from tasks.core.errors import RunFailed, WrongSettings
from tasks.core.http_probe import HttpReply, NoAnswer
from tasks.core.progress import hearing
from tasks.core.rows import Filing
from tasks.core.untrusted import is_web_address, read_json, without_halves
from tasks.filings.edgar.query import EdgarAccess
from tasks.filings.samples import sample_folder
from tasks.inference.imported import read_answers
from tasks.lake.lake import Lake, LakeStep
from tasks.lake.objects.s3 import S3Objects
from tasks.lake.records import read_record
from tasks.models.catalogue import find_model, load_catalogue
from tasks.pipeline.settings import RunSettings
from tasks.pipeline.sources import found_files, skipped
from tests.built import ingest_files


@pytest.mark.parametrize("read", [load_catalogue, read_preset])
def test_deep_toml_is_named(read: Any, tmp_path: Path) -> None:
    file = tmp_path / "deep.toml"
    file.write_text(f"a = {'[' * 5_000}{']' * 5_000}")
    with pytest.raises(RunFailed, match="nested too deeply"):
        read(str(file))


@pytest.mark.parametrize(
    "url", ["http://[::1/v1", "http://]/v1", "http://h:99999/v1", "http://h:x/v1", "http://[x]y/v1"]
)
def test_an_address_that_is_none_is_named(url: str, tmp_path: Path) -> None:
    file = tmp_path / "models.toml"
    file.write_text(f'[models.m]\nengine = "openai"\ndescription = "a model"\nbase_url = "{url}"\n')
    with pytest.raises(RunFailed, match="base_url must be an address"):
        load_catalogue(str(file))
    with pytest.raises(RunFailed, match="base_url must be an address"):
        find_model(f"m@{url}")
    with pytest.raises(WrongSettings, match="--edgar-url is"):
        EdgarAccess(contact="Example Corp data@example.com", url=url).checked_contact()


@pytest.mark.parametrize("url", ["s3://[bucket/p", "s3://b]/p", "s3://k:s@b/p", "s3://b/p?x=1"])
def test_an_address_of_a_lake_that_is_none_is_named(url: str) -> None:
    with pytest.raises(RunFailed, match="not an address in S3"):
        S3Objects(url)


@pytest.mark.parametrize("said", ["[" * 100_000, '{"a":' * 100_000])
def test_brackets_without_end_are_no_record_no_reply_and_no_answers(
    said: str, tmp_path: Path
) -> None:
    with pytest.raises(RunFailed, match="damaged"):
        read_record(LakeStep("dev", "ingest"), "lake", said.encode(), "1")
    with pytest.raises(NoAnswer, match="not in JSON"):
        HttpReply(200, said.encode()).json()
    file = tmp_path / "answers.jsonl"
    file.write_text(said)
    with pytest.raises(RunFailed, match="Invalid JSON"):
        read_answers([file], {"c"})


def test_a_lone_surrogate_becomes_the_replacement_character() -> None:
    text = r'{"a": "x\ud800y", "b\udfff": "\ud83d\ude00", "c": "\\ud800"}'
    read = read_json(without_halves(text))
    assert read == {"a": "x\ufffdy", "b\ufffd": "\U0001f600", "c": r"\ud800"}


@pytest.mark.parametrize("text", ["1e400", "[1, -1e400]", '{"a": [1E+999]}'])
def test_a_number_too_large_for_a_reader_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"the number \S+ is too large"):
        read_json(text)
    assert read_json("[1e308, 1.5]") == [1e308, 1.5]


@pytest.mark.parametrize("host", [" h", "h ", "h\t", "h\xa0x", "h\x00", "h\n", "h:port"])
def test_an_address_with_spaces_or_controls_is_none(host: str) -> None:
    assert is_web_address("http://h:8000/v1")
    assert is_web_address("https://münchen.de/v1")
    assert not is_web_address(f"http://{host}/v1")


def test_a_file_name_that_is_not_utf_8_is_spelled_out(tmp_path: Path) -> None:
    folder, lake = tmp_path / "filings", Lake(tmp_path / "lake")
    folder.mkdir()
    lake.make()
    sample = next(sample_folder().glob("*.htm")).read_bytes()
    for name in (b"a\xff.htm", b"a\xfe.htm", b"b\xe9.pdf", "é.htm".encode()):
        (folder / os.fsdecode(name)).write_bytes(sample)
    run = RunSettings(lake=str(lake.here), filings=str(folder), workers=1)
    assert [uri for uri, _ in found_files(run)] == ["a\\xfe.htm", "a\\xff.htm", "é.htm"]
    assert skipped(run) == ["b\\xe9.pdf"]
    (filing,) = lake.read(ingest_files(run), Filing)
    assert filing.source_uri == "a\\xfe.htm"


def test_no_terminal_escape_is_shown_raw(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, lake = tmp_path / "filings", Lake(tmp_path / "lake")
    folder.mkdir()
    lake.make()
    (folder / "ok.htm").write_bytes(next(sample_folder().glob("*.htm")).read_bytes())
    for name in ("\x1b[31mred.htm", "\x1b]0;title\x07.pdf", "\x9b31m\u202ereversed.txt"):
        (folder / name).write_bytes(b"%PDF")
    with hearing(print_note):
        ingest_files(RunSettings(lake=str(lake.here), filings=str(folder), workers=1))
    with pytest.raises(SystemExit):
        main(["models", "--models-file", "/none/\x1b[2J"])
    print_prose("from \x1b[2J")
    shown = capsys.readouterr()
    assert "⟨U+001B⟩[31mred.htm: binary" in shown.err
    assert "/none/⟨U+001B⟩[2J" in shown.err
    assert not set("\x1b\x07\x9b\u202e") & set(shown.out + shown.err)
