"""Filings from EDGAR: chosen, downloaded and kept, from a server that plays EDGAR and its moods."""

from __future__ import annotations

import gzip
import hashlib
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from tasks.core.progress import hearing
from tasks.core.settings import RunSettings, WrongSettings
from tasks.filings.edgar import acquire as acquiring
from tasks.filings.edgar import download
from tasks.filings.edgar.acquire import TooFewFilings
from tasks.filings.edgar.download import EdgarFailed
from tasks.filings.edgar.index import quarter_before
from tasks.filings.edgar.manifest import Choice
from tasks.lake.lake import Lake
from tasks.lake.lease import FileLease, LeaseLost, lease_on
from tests.servers.edgar_server import (
    ACCESS_DENIED,
    TOO_MANY,
    UNDECLARED,
    EdgarServer,
    Played,
    Reply,
    playing,
    written_filing,
)

INDEX = "Archives/edgar/full-index/2018/QTR1/master.gz"
FILINGS = [
    *(written_filing(number) for number in range(1, 5)),
    written_filing(5, sic=6021),
    written_filing(6, sic=6022),
    written_filing(7, form="10-K405"),
    written_filing(8, form="10-K/A"),
    written_filing(9, form="10-Q"),
]


@pytest.fixture(autouse=True)
def _quickly(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(download, "_SECONDS_BETWEEN", 0.0)
    monkeypatch.setattr(download, "_FIRST_WAIT_S", 0.001)
    monkeypatch.setattr(download, "_UNSURE_S", 0.001)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))  # where runs queue up: others' tests run, too


@pytest.fixture
def edgar() -> Iterator[EdgarServer]:
    with playing(
        FILINGS, broken=["7|TORN LINE|10-K|2018-02-", "12|X|10-K|2018-02-01|../../etc/passwd"]
    ) as server:
        yield server


@pytest.fixture
def run(edgar: EdgarServer, tmp_path: Path) -> RunSettings:
    return RunSettings(
        lake=str(tmp_path / "lake"),
        filings="edgar:2018Q1",
        edgar_url=edgar.url,
        contact="Example Corp data@example.com",
    )


def acquire(lake: Lake, run: RunSettings) -> Choice:
    return acquiring.acquire(lake, run, lease_on(lake.objects, "EDGAR", "edgar"), {}, {})


def taken(run: RunSettings) -> list[int]:
    """The numbers of the filings that a run gets."""
    return [int(filing.line.cik) for filing in acquire(Lake(run.lake), run).filings]


def document(number: int) -> str:
    return f"Archives/{FILINGS[number - 1].path}"


# --- choosing


def test_annual_reports_are_taken_and_no_amendments(run: RunSettings) -> None:
    assert taken(run) == [1, 2, 3, 4, 5, 6, 7]


def test_form_types_are_those_that_are_asked_for(run: RunSettings) -> None:
    assert taken(replace(run, forms="10-k/a, 10-K405")) == [7, 8]


def test_companies_are_named_by_number_or_ticker_or_in_a_file(run: RunSettings, tmp_path: Path) -> None:
    assert taken(replace(run, companies="T2,0000000004")) == [2, 4]
    (tmp_path / "companies.txt").write_text("# my own\nT3, 1\n\n5\n")
    assert taken(replace(run, companies=str(tmp_path / "companies.txt"))) == [1, 3, 5]


def test_an_unknown_ticker_is_told(run: RunSettings) -> None:
    with pytest.raises(WrongSettings, match="no NOSUCH; name the company by its CIK"):
        taken(replace(run, companies="NOSUCH,T1"))


def test_a_company_without_a_filing_is_a_reject(run: RunSettings) -> None:
    asked = replace(run, companies="T1,999999999,T9")  # 9 has filed a 10-Q only
    for _ in range(2):  # as chosen, and as kept
        choice = acquire(Lake(run.lake), asked)
        rejects = [reject for reject in choice.rejects() if reject.reason == "no filing of this company"]
        assert [reject.parent_id for reject in rejects] == ["company 999999999", "company T9"]
        assert rejects[0].detail == "no 10-K or 10-K405 in 2018Q1"
        assert [filing.line.cik for filing in choice.filings] == ["1"]


def test_a_quarter_that_is_not_there_is_told(run: RunSettings) -> None:
    last = quarter_before(datetime.now(UTC).date())
    with pytest.raises(EdgarFailed, match=rf"no index of 2097Q1 \(HTTP 404\).* over is edgar:{last}$"):
        taken(replace(run, filings="edgar:2018Q1,2097Q1"))


def test_nothing_of_a_kind_is_told(run: RunSettings) -> None:
    with pytest.raises(TooFewFilings, match="have no 10-KT; ask for"):
        taken(replace(run, forms="10-KT"))


def test_lines_of_ones_own_are_an_index_too(run: RunSettings, tmp_path: Path) -> None:
    own = tmp_path / "own.idx"
    own.write_text("CIK|Company Name|Form Type|Date Filed|Filename\n" + FILINGS[2].line + "\n")
    assert taken(replace(run, filings=f"edgar:{own}")) == [3]
    (reject,) = acquire(Lake(run.lake), replace(run, filings=f"edgar:{own}", companies="3,4")).rejects()
    assert reject.detail == "no 10-K or 10-K405 in own.idx"  # and no folder of this machine


def test_lines_of_ones_own_that_cannot_be_read_are_told(
    run: RunSettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "own.idx"
    own.write_text("")

    read = Path.read_bytes

    def refuse(path: Path) -> bytes:
        if path == own:
            raise PermissionError(13, "Permission denied")
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(WrongSettings, match=r"own\.idx: cannot be read \(Permission denied\)"):
        taken(replace(run, filings=f"edgar:{own}"))


def test_broken_lines_are_rejects_with_their_numbers(run: RunSettings) -> None:
    rejects = acquire(Lake(run.lake), run).rejects()
    assert [(reject.parent_id, reject.reason) for reject in rejects] == [
        ("2018Q1#21", "broken index line"),
        ("2018Q1#22", "broken index line"),
    ]
    assert "TORN LINE" in rejects[0].detail
    assert "the file name is '../../etc/passwd'" in rejects[1].detail


def test_broken_lines_of_two_files_of_one_name_are_two_rejects(run: RunSettings, tmp_path: Path) -> None:
    own = [tmp_path / folder / "own.idx" for folder in ("a", "b", "copy of b")]
    for file, line in zip(own, (FILINGS[2].line, FILINGS[3].line, FILINGS[3].line), strict=True):
        file.parent.mkdir()
        file.write_text(f"CIK|Company Name|Form Type|Date Filed|Filename\n{line}\ntorn\n")
    rejects = acquire(Lake(run.lake), replace(run, filings=f"edgar:{','.join(map(str, own))}")).rejects()
    assert [reject.parent_id for reject in rejects] == ["own.idx#3", "own.idx#3"]
    assert len({reject.reject_id for reject in rejects}) == 2


def test_a_sample_follows_from_its_seed_and_a_longer_index_changes_little(
    run: RunSettings, edgar: EdgarServer
) -> None:
    sampled = replace(run, sample=3)
    first = taken(sampled)
    assert len(first) == 3
    assert taken(replace(sampled, release="again-dev")) == first
    others = {tuple(taken(replace(sampled, release=f"s{seed}-dev", seed=seed))) for seed in range(6)}
    assert len(others) > 1
    with playing([*FILINGS, written_filing(10)]) as longer:
        grown = taken(replace(sampled, release="grown-dev", edgar_url=longer.url))
    assert len({*first} & {*grown}) >= 2


def test_a_sample_that_is_too_large_is_told(run: RunSettings) -> None:
    with pytest.raises(TooFewFilings, match="--sample asks for 8 filings, and there are 7"):
        taken(replace(run, sample=8))


def test_a_mix_of_sectors_reads_headers_only_to_fill_its_seats(run: RunSettings, edgar: EdgarServer) -> None:
    mixed = replace(run, sample=4, sectors="finance=0.5,2000-2999=0.5")
    numbers = taken(mixed)
    assert {5, 6} < set(numbers)
    assert len(numbers) == 4
    n_documents = sum("/data/" in path for path in edgar.paths)
    assert n_documents <= 7 + 4  # a header of each candidate, and the documents


def test_a_sector_without_enough_filings_is_told(run: RunSettings) -> None:
    with pytest.raises(TooFewFilings, match="1 of finance more were asked for"):
        taken(replace(run, sample=6, sectors="finance=0.5,manufacturing=0.5"))


def test_limit_is_applied_before_anything_is_downloaded(run: RunSettings, edgar: EdgarServer) -> None:
    assert taken(replace(run, limit=2)) == [1, 2]
    assert edgar.paths[0] == INDEX
    assert sorted(edgar.paths[1:]) == [document(1), document(2)]


# --- downloading


def test_bytes_are_kept_once_by_content_and_end_with_the_main_document(
    run: RunSettings, edgar: EdgarServer
) -> None:
    submission = FILINGS[0].submission
    end = submission.index(b"</DOCUMENT>") + len(b"</DOCUMENT>")
    edgar.next(document(1), Reply(stalls_at=end + 100))  # what comes after is not waited for
    ((url, sha256),) = acquire(Lake(run.lake), replace(run, limit=1)).there
    assert url == f"https://www.sec.gov/{document(1)}"
    data = gzip.decompress(Path(run.lake, "_raw", sha256[:2], f"{sha256}.gz").read_bytes())
    assert hashlib.sha256(data).hexdigest() == sha256
    assert data == submission[:end]
    assert edgar.paths == [INDEX, document(1)]


def test_every_request_names_the_contact(run: RunSettings, edgar: EdgarServer) -> None:
    acquire(Lake(run.lake), run)
    assert {asked.user_agent for asked in edgar.requests} == {"Example Corp data@example.com"}


@pytest.mark.parametrize("contact", [None, "nobody", "data@example.com", "Corp a@b.c\r\nX-Evil: 1"])
def test_without_a_contact_nothing_is_asked(
    run: RunSettings, edgar: EdgarServer, contact: str | None
) -> None:
    with pytest.raises(WrongSettings, match="--contact"):
        acquire(Lake(run.lake), replace(run, contact=contact))
    assert edgar.requests == []


def test_a_second_time_asks_nothing_and_needs_no_contact(run: RunSettings, edgar: EdgarServer) -> None:
    first = acquire(Lake(run.lake), run)
    n = len(edgar.requests)
    assert n == 1 + 7
    assert acquire(Lake(run.lake), replace(run, contact=None)) == first
    assert len(edgar.requests) == n


def test_another_release_asks_for_the_index_and_for_no_filing(run: RunSettings, edgar: EdgarServer) -> None:
    first = acquire(Lake(run.lake), run)
    edgar.requests.clear()
    assert acquire(Lake(run.lake), replace(run, release="2018.03")).there == first.there
    assert edgar.paths == [INDEX]


def test_a_download_that_broke_off_goes_on(
    run: RunSettings, edgar: EdgarServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(acquiring, "_TOGETHER", 1)
    edgar.next(document(5), Reply(status=403, body=TOO_MANY))
    with pytest.raises(EdgarFailed, match="Wait for ten minutes"):
        acquire(Lake(run.lake), run)
    edgar.requests.clear()
    assert len(acquire(Lake(run.lake), run).there) == 7
    assert edgar.paths == [document(5), document(6), document(7)]


def test_bytes_that_were_damaged_in_the_lake_are_fetched_again(run: RunSettings, edgar: EdgarServer) -> None:
    choice = acquire(Lake(run.lake), run)
    sha256 = choice.there[2][1]
    file = Path(run.lake, "_raw", sha256[:2], f"{sha256}.gz")
    file.write_bytes(file.read_bytes()[:100])
    edgar.requests.clear()
    assert acquire(Lake(run.lake), run) == choice
    assert edgar.paths == [document(3)]


def test_one_filing_of_two_companies_is_taken_once(run: RunSettings, tmp_path: Path) -> None:
    twin = Played(
        cik="99",
        company="PARENT CORP",
        accession=FILINGS[0].accession,
        filed=FILINGS[0].filed,
        submission=FILINGS[0].submission,
    )
    with playing([FILINGS[0], twin]) as server:
        assert taken(replace(run, edgar_url=server.url)) == [1]
        both = acquire(Lake(run.lake), replace(run, edgar_url=server.url, companies="1,99"))
        assert not both.rejects()


# --- the server's moods


def test_block_page_stops_everything_at_once(run: RunSettings, edgar: EdgarServer) -> None:
    edgar.next(INDEX, Reply(status=403, body=TOO_MANY))
    with pytest.raises(EdgarFailed, match="too many requests from this address") as refused:
        acquire(Lake(run.lake), run)
    assert "ten minutes" in str(refused.value)
    assert edgar.paths == [INDEX]


def test_an_undeclared_tool_is_told_what_the_contact_is_for(run: RunSettings, edgar: EdgarServer) -> None:
    edgar.next(INDEX, Reply(status=403, body=UNDECLARED))
    with pytest.raises(EdgarFailed, match="takes --contact for no company's name"):
        acquire(Lake(run.lake), run)


@pytest.mark.parametrize(
    "reply", [Reply(status=404), Reply(status=403, body=ACCESS_DENIED), Reply(status=410)]
)
def test_a_filing_that_is_not_there_is_a_reject(run: RunSettings, edgar: EdgarServer, reply: Reply) -> None:
    edgar.next(document(2), reply)
    choice = acquire(Lake(run.lake), run)
    assert len(choice.there) == 6
    reject = choice.rejects()[0]
    assert (reject.parent_id, reject.reason) == (f"https://www.sec.gov/{document(2)}", "not downloaded")


@pytest.mark.parametrize(
    "reply",
    [
        Reply(status=429),
        Reply(status=429, headers={"Retry-After": "0"}),
        Reply(status=503, headers={"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}),
        Reply(status=500),
        Reply(cut_at=700),
        Reply(body=b"<html><title>SEC.gov | Site Maintenance</title></html>"),
        Reply(status=302, headers={"Location": "/Archives/edgar/data/1/moved.txt"}),
        Reply(status=301, headers={"Location": "moved.txt"}),
    ],
)
def test_what_passes_is_tried_again_and_what_moved_is_followed(
    run: RunSettings, edgar: EdgarServer, reply: Reply
) -> None:
    edgar.files["Archives/edgar/data/1/moved.txt"] = FILINGS[0].submission
    clean = acquire(Lake(run.lake), replace(run, release="clean-dev", limit=1))
    edgar.next(document(1), reply)
    Path(run.lake, "_edgar", "filings", f"{FILINGS[0].accession}.json").unlink()
    assert acquire(Lake(run.lake), replace(run, limit=1)).there == clean.there
    assert len([path for path in edgar.paths if "/data/1/" in path]) == 3


def test_a_wait_is_told(run: RunSettings, edgar: EdgarServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download, "_TOLD_WAIT_S", 0.0)
    edgar.next(document(1), Reply(status=503))
    told: list[str] = []
    with hearing(told.append):
        acquire(Lake(run.lake), replace(run, limit=1))
    assert told == [f"{document(1)}: HTTP 503; asking again in 0 s"]


def test_a_server_that_asks_for_a_long_wait_ends_the_run(run: RunSettings, edgar: EdgarServer) -> None:
    edgar.next(document(1), Reply(status=429, headers={"Retry-After": "600"}))
    with pytest.raises(EdgarFailed, match="it asks to wait for 600 s"):
        acquire(Lake(run.lake), replace(run, limit=1))


def test_a_server_that_fails_again_and_again_ends_the_run(run: RunSettings, edgar: EdgarServer) -> None:
    edgar.next(document(1), *[Reply(status=503)] * 20)
    with pytest.raises(EdgarFailed, match=r"HTTP 503\. What was downloaded so far is kept"):
        acquire(Lake(run.lake), run)


def test_a_document_that_is_cut_off_each_time_ends_the_run_after_the_others(
    run: RunSettings, edgar: EdgarServer
) -> None:
    edgar.next(document(2), *[Reply(cut_at=900)] * 7)
    with pytest.raises(
        EdgarFailed, match=rf"(?s)1 filings did not come whole.*{FILINGS[1].path}.*same command"
    ):
        acquire(Lake(run.lake), run)
    edgar.requests.clear()
    choice = acquire(Lake(run.lake), run)
    assert edgar.paths == [document(2)]
    assert len(choice.there) == 7
    assert not [reject for reject in choice.rejects() if reject.reason == "not downloaded"]


def test_a_document_that_ends_early_without_a_word_is_noticed(run: RunSettings, edgar: EdgarServer) -> None:
    edgar.files[document(1)] = FILINGS[0].submission[:900]
    with pytest.raises(EdgarFailed, match=FILINGS[0].path):
        acquire(Lake(run.lake), replace(run, limit=1))
    assert edgar.paths.count(document(1)) == 7


@pytest.mark.parametrize(
    ("path", "settings"), [(INDEX, {}), (document(1), {"sample": 1, "sectors": "finance=1"})]
)
def test_an_index_or_a_header_that_is_cut_off_each_time_ends_the_run(
    run: RunSettings, edgar: EdgarServer, path: str, settings: dict[str, str | int]
) -> None:
    edgar.next(path, *[Reply(cut_at=100)] * 7)
    with pytest.raises(EdgarFailed, match=f"{path} did not come whole: .* 7 times.*run the same command"):
        acquire(Lake(run.lake), replace(run, **settings))


def test_a_silent_server_is_given_up(
    run: RunSettings, edgar: EdgarServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download, "_SILENCE_TIMEOUT_S", 0.05)
    edgar.next(document(1), Reply(stalls_at=700))
    assert taken(replace(run, limit=1)) == [1]
    assert edgar.paths.count(document(1)) == 2


def test_nobody_is_sent_to_another_host(run: RunSettings, edgar: EdgarServer) -> None:
    edgar.next(document(1), Reply(status=302, headers={"Location": "http://127.0.0.1:9/stolen"}))
    reject = acquire(Lake(run.lake), replace(run, limit=1)).rejects()[0]
    assert "it has moved to http://127.0.0.1:9/stolen, which is not on" in reject.detail


def test_a_redirect_to_nowhere_is_a_reject(run: RunSettings, edgar: EdgarServer) -> None:
    edgar.next(document(1), Reply(status=302, headers={"Location": "http://[::1"}))
    reject = acquire(Lake(run.lake), replace(run, limit=1)).rejects()[0]
    assert "which is no address" in reject.detail


def test_a_file_in_the_folder_is_not_taken_for_a_quarter(
    run: RunSettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "2018Q1").write_text("not an index")
    monkeypatch.chdir(tmp_path)
    assert taken(replace(run, limit=1)) == [1]


def test_requests_keep_their_distance(
    run: RunSettings, edgar: EdgarServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download, "_SECONDS_BETWEEN", 0.03)
    edgar.next(document(3), Reply(status=503), Reply(status=302, headers={"Location": "/" + document(3)}))
    acquire(Lake(run.lake), run)
    assert len(edgar.requests) == 10
    assert edgar.requests[-1].at - edgar.requests[0].at >= 9 * 0.03 * 0.9


def test_filings_of_a_year_are_in_the_order_of_filing(run: RunSettings) -> None:
    filings = [
        written_filing(number, filed=date(2018, month, 1)) for number, month in enumerate((11, 2, 8, 5), 1)
    ]
    with playing(filings) as server:
        assert taken(replace(run, filings="edgar:2018", edgar_url=server.url)) == [2, 4, 3, 1]


# --- one run at a time


def test_runs_of_one_machine_download_one_after_the_other(
    run: RunSettings, edgar: EdgarServer, tmp_path: Path
) -> None:
    edgar.next(INDEX, Reply(status=429, headers={"Retry-After": "0"}))
    lakes = [replace(run, lake=str(tmp_path / name), limit=3) for name in ("one", "two", "three")]
    told: list[str] = []
    with hearing(told.append), ThreadPoolExecutor() as pool:
        choices = list(pool.map(lambda each: acquire(Lake(each.lake), each).there, lakes))
    assert choices[0] == choices[1] == choices[2]
    indexes = [place for place, path in enumerate(edgar.paths) if path == INDEX]
    assert indexes == [0, 1, 5, 9]  # each run is through before the next begins
    assert told == ["another run on this machine is downloading from EDGAR; waiting until it is done"] * 2


def test_two_runs_of_one_release_ask_once(run: RunSettings, edgar: EdgarServer) -> None:
    with ThreadPoolExecutor() as pool:
        first, second = pool.map(lambda _: acquire(Lake(run.lake), run), range(2))
    assert first == second
    assert len(edgar.requests) == 8


def test_who_has_lost_the_lease_of_the_lake_makes_no_more_requests(
    run: RunSettings, edgar: EdgarServer, tmp_path: Path
) -> None:
    class Lost(FileLease):
        n_sent = 0

        def may_send(self) -> bool:
            self.n_sent += 1
            if self.n_sent == 4:
                raise LeaseLost("another machine has taken over")
            return self.n_sent != 2  # unsure for a moment

    lease = Lost(tmp_path / "edgar.lock", "EDGAR")
    with pytest.raises(LeaseLost):
        acquiring.acquire(Lake(run.lake), run, lease, {}, {})
    assert len(edgar.requests) <= 2
    assert not lease.is_taken
