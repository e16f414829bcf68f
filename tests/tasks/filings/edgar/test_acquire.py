"""Choosing, downloading and keeping filings, against a server that plays EDGAR and its faults."""

from __future__ import annotations

import csv
import gzip
import hashlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from tasks.core.progress import hearing
from tasks.filings.edgar import acquire as acquiring
from tasks.filings.edgar import download
from tasks.filings.edgar.acquire import TooFewFilings
from tasks.filings.edgar.download import EdgarFailed
from tasks.filings.edgar.index import quarter_before
from tasks.filings.edgar.manifest import Choice
from tasks.filings.edgar.query import parse_query
from tasks.lake.lake import Lake
from tasks.lake.lease import FileLease, Lease, LeaseLost, lease_on
from tasks.pipeline.settings import RunSettings, WrongSettings
from tasks.pipeline.sources import edgar_access, edgar_query
from tests.servers.edgar_server import (
    ACCESS_DENIED,
    TOO_MANY,
    EdgarServer,
    Reply,
    playing,
    written_filing,
)

pytestmark = pytest.mark.usefixtures("quick_edgar")
INDEX = "Archives/edgar/full-index/2018/QTR1/master.gz"
FILINGS = [
    *(written_filing(number) for number in range(1, 7)),
    written_filing(7, form="10-K405"),
    written_filing(8, form="10-K/A"),
    written_filing(9, form="10-Q"),
]


@pytest.fixture
def edgar() -> Iterator[EdgarServer]:
    with playing(
        FILINGS, broken=["7|TORN LINE|10-K|2018-02-", "12|X|10-K|2018-02-01|../../etc/passwd"]
    ) as server:
        yield server


@pytest.fixture
def run(edgar: EdgarServer, tmp_path: Path) -> RunSettings:
    return edgar.run(tmp_path, filings="edgar:2018Q1")


def acquire(lake: Lake, run: RunSettings, lease: Lease | None = None) -> Choice:
    query, access = edgar_query(run), edgar_access(run)
    held = lease or lease_on(lake.objects, "EDGAR", "edgar")
    return acquiring.acquire(lake, run.release, query, access, held, earlier={}, left_out={})


def taken(run: RunSettings) -> list[int]:
    """Return the CIKs of the filings that a run takes."""
    return [int(filing.line.cik) for filing in acquire(Lake(run.lake), run).filings]


def document(number: int) -> str:
    return f"Archives/{FILINGS[number - 1].path}"


# --- choosing


def test_names_companies_by_cik_ticker_or_file(run: RunSettings, tmp_path: Path) -> None:
    assert taken(replace(run, companies="T2,0000000004")) == [2, 4]
    (tmp_path / "companies.txt").write_text("# my own\nT3, 1\n\n5\n")
    assert taken(replace(run, companies=str(tmp_path / "companies.txt"))) == [1, 3, 5]


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        pytest.param({"companies": "NOSUCH,T1"}, WrongSettings, id="unknown ticker"),
        pytest.param({"forms": "10-KT"}, TooFewFilings, id="no match"),
        pytest.param({"sample": 8}, TooFewFilings, id="large sample"),
    ],
)
def test_refuses_a_choice_that_cannot_be_made(
    settings: dict[str, Any], error: type[Exception], run: RunSettings, snapshot: SnapshotAssertion
) -> None:
    with pytest.raises(error) as refused:
        taken(replace(run, **settings))
    assert str(refused.value) == snapshot


def test_refuses_a_quarter_without_an_index(run: RunSettings) -> None:
    last = quarter_before(datetime.now(UTC).date())
    with pytest.raises(
        EdgarFailed, match=rf"no index of 2097Q1 \(HTTP 404\).* ended is edgar:{last}$"
    ):
        taken(replace(run, filings="edgar:2018Q1,2097Q1"))


def test_sample_follows_its_seed_and_survives_a_longer_index(
    run: RunSettings, edgar: EdgarServer
) -> None:
    sampled = replace(run, sample=3)
    first = taken(sampled)
    assert len(first) == 3
    assert taken(replace(sampled, release="again-dev")) == first
    others = {
        tuple(taken(replace(sampled, release=f"s{seed}-dev", seed=seed))) for seed in range(6)
    }
    assert len(others) > 1
    with playing([*FILINGS, written_filing(10)]) as longer:
        grown = taken(replace(sampled, release="grown-dev", edgar_url=longer.url))
    assert len({*first} & {*grown}) >= 2


def test_applies_the_limit_before_any_download(run: RunSettings, edgar: EdgarServer) -> None:
    assert taken(replace(run, limit=2)) == [1, 2]
    assert edgar.paths[0] == INDEX
    assert sorted(edgar.paths[1:]) == [document(1), document(2)]


# --- downloading


def test_stores_bytes_by_hash_up_to_the_main_documents_end(
    run: RunSettings, edgar: EdgarServer
) -> None:
    submission = FILINGS[0].submission
    end = submission.index(b"</DOCUMENT>") + len(b"</DOCUMENT>")
    edgar.next(document(1), Reply(stalls_at=end + 100))  # what comes after is not waited for
    ((url, sha256),) = acquire(Lake(run.lake), replace(run, limit=1)).downloaded
    assert url == f"https://www.sec.gov/{document(1)}"
    data = gzip.decompress(Path(run.lake, "_raw", sha256[:2], f"{sha256}.gz").read_bytes())
    assert hashlib.sha256(data).hexdigest() == sha256
    assert data == submission[:end]
    assert edgar.paths == [INDEX, document(1)]


@pytest.mark.parametrize("contact", [None, "nobody", "data@example.com", "Corp a@b.c\r\nX-Evil: 1"])
def test_sends_nothing_without_a_contact(
    run: RunSettings, edgar: EdgarServer, contact: str | None
) -> None:
    with pytest.raises(WrongSettings, match="--contact"):
        acquire(Lake(run.lake), replace(run, contact=contact))
    assert edgar.requests == []


def test_resumes_a_download_that_failed(
    run: RunSettings, edgar: EdgarServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(acquiring, "_CONCURRENCY", 1)
    edgar.next(document(5), Reply(status=403, body=TOO_MANY))
    with pytest.raises(EdgarFailed, match="for ten minutes"):
        acquire(Lake(run.lake), run)
    edgar.requests.clear()
    assert len(acquire(Lake(run.lake), run).downloaded) == 7
    assert edgar.paths == [document(5), document(6), document(7)]


def test_downloads_damaged_bytes_again(run: RunSettings, edgar: EdgarServer) -> None:
    choice = acquire(Lake(run.lake), run)
    sha256 = choice.downloaded[2][1]
    file = Path(run.lake, "_raw", sha256[:2], f"{sha256}.gz")
    file.write_bytes(file.read_bytes()[:100])
    edgar.requests.clear()
    assert acquire(Lake(run.lake), run) == choice
    assert edgar.paths == [document(3)]


# --- faults of the server


def test_block_page_stops_the_run_at_once(
    run: RunSettings, edgar: EdgarServer, snapshot: SnapshotAssertion
) -> None:
    edgar.next(INDEX, Reply(status=403, body=TOO_MANY))
    with pytest.raises(EdgarFailed) as refused:
        acquire(Lake(run.lake), run)
    assert edgar.paths == [INDEX]
    assert str(refused.value).replace(edgar.url, "EDGAR") == snapshot


@pytest.mark.parametrize("reply", [Reply(status=404), Reply(status=403, body=ACCESS_DENIED)])
def test_missing_filing_becomes_a_reject(
    run: RunSettings, edgar: EdgarServer, reply: Reply
) -> None:
    edgar.next(document(2), reply)
    choice = acquire(Lake(run.lake), run)
    assert len(choice.downloaded) == 6
    reject = choice.rejects()[0]
    assert (reject.parent_id, reject.reason) == (
        f"https://www.sec.gov/{document(2)}",
        "not downloaded",
    )


@pytest.mark.parametrize("reply", [Reply(status=429), Reply(status=500), Reply(cut_at=700)])
def test_retries_transient_failures(run: RunSettings, edgar: EdgarServer, reply: Reply) -> None:
    clean = acquire(Lake(run.lake), replace(run, release="clean-dev", limit=1))
    edgar.next(document(1), reply)
    Path(run.lake, "_edgar", "filings", FILINGS[0].accession).unlink()
    assert acquire(Lake(run.lake), replace(run, limit=1)).downloaded == clean.downloaded
    assert len([path for path in edgar.paths if "/data/1/" in path]) == 3


def test_gives_up_after_repeated_failures(
    run: RunSettings, edgar: EdgarServer, snapshot: SnapshotAssertion
) -> None:
    edgar.next(document(1), *[Reply(status=503)] * 20)
    with pytest.raises(EdgarFailed) as refused:
        acquire(Lake(run.lake), run)
    assert str(refused.value).replace(edgar.url, "EDGAR") == snapshot


def test_gives_up_on_a_silent_server(
    run: RunSettings, edgar: EdgarServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download, "_SILENCE_TIMEOUT_S", 0.05)
    edgar.next(document(1), Reply(stalls_at=700))
    assert taken(replace(run, limit=1)) == [1]
    assert edgar.paths.count(document(1)) == 2


def test_redirect_becomes_a_reject(run: RunSettings, edgar: EdgarServer) -> None:
    location = "http://127.0.0.1:9/stolen"
    edgar.next(document(1), Reply(status=302, headers={"Location": location}))
    reject = acquire(Lake(run.lake), replace(run, limit=1)).rejects()[0]
    assert f"it has moved to {location!r}" in reject.detail
    assert edgar.paths == [INDEX, document(1)]


def test_spaces_requests_in_time(
    run: RunSettings, edgar: EdgarServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download, "_SECONDS_BETWEEN", 0.03)
    edgar.next(document(3), Reply(status=503), Reply(status=429))
    assert taken(run) == [1, 2, 3, 4, 5, 6, 7]
    assert {asked.user_agent for asked in edgar.requests} == {"Example Corp data@example.com"}
    assert len(edgar.requests) == 10
    assert edgar.requests[-1].at - edgar.requests[0].at >= 9 * 0.03 * 0.9


# --- one download at a time


def test_runs_on_one_machine_download_in_turn(
    run: RunSettings, edgar: EdgarServer, tmp_path: Path
) -> None:
    edgar.next(INDEX, Reply(status=429, headers={"Retry-After": "0"}))
    lakes = [replace(run, lake=str(tmp_path / name), limit=3) for name in ("one", "two", "three")]
    told: list[str] = []
    with hearing(told.append), ThreadPoolExecutor() as pool:
        choices = list(pool.map(lambda each: acquire(Lake(each.lake), each).downloaded, lakes))
    assert choices[0] == choices[1] == choices[2]
    indexes = [place for place, path in enumerate(edgar.paths) if path == INDEX]
    assert indexes == [0, 1, 5, 9]  # each run is through before the next begins
    assert (
        told
        == ["another run on this machine is downloading from EDGAR; waiting until it is done"] * 2
    )


def test_sends_nothing_after_the_lease_is_lost(
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
        acquire(Lake(run.lake), run, lease)
    assert len(edgar.requests) <= 2
    assert not lease.is_taken


def test_sp500_names_the_companies_of_the_index(shared: Path) -> None:
    with (shared / "reference/sp500/constituents.csv").open(encoding="utf-8") as file:
        listed = {str(int(row["CIK"])) for row in csv.DictReader(file)}
    asked = parse_query("edgar:2023", forms="10-K", companies="sp500")
    assert set(asked.companies) == listed
    assert len(asked.companies) == 500
