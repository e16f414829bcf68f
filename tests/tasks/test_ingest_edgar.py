"""Ingest from EDGAR: rows of real filings, what a release keeps, and what it refuses."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tasks.core.rows import Document, Filing, Reject
from tasks.filings.edgar.acquire import TooFewFilings, acquire
from tasks.filings.edgar.manifest import LEFT_OUT, raw
from tasks.filings.reader.filing import ParsedFiling
from tasks.filings.reader.reading import FilingSource, read_filing
from tasks.ingest import NothingNew
from tasks.lake.lake import Lake, ReleaseConflict
from tasks.lake.lease import lease_on
from tasks.pipeline.plan import check_run, has_nothing_to_do
from tasks.pipeline.resolved import resolve
from tasks.pipeline.settings import RunSettings, WrongSettings
from tasks.pipeline.sources import edgar_access, edgar_query, plan_ingest
from tasks.pipeline.steps import MissingInput
from tasks.results.estimate.estimate import estimate
from tests.built import ingest_files
from tests.servers.edgar_server import EdgarServer, Reply, playing, real_filings, written_filing

pytestmark = pytest.mark.usefixtures("quick_edgar")


@pytest.fixture
def edgar() -> Iterator[EdgarServer]:
    with playing([written_filing(1), written_filing(2)], broken=["torn"]) as server:
        yield server


@pytest.fixture
def run(edgar: EdgarServer, tmp_path: Path) -> RunSettings:
    return edgar.run(tmp_path, filings="edgar:2018Q1", workers=1)


def test_real_filings_become_rows_with_edgar_urls(shared: Path, run: RunSettings) -> None:
    filings = [filing for filing in real_filings(shared) if len(filing.submission) < 1_000_000]
    quarters = sorted(
        {f"{filing.filed.year}Q{(filing.filed.month + 2) // 3}" for filing in filings}
    )
    assert quarters == ["1994Q1", "1998Q1", "1999Q4", "2002Q1", "2010Q2", "2023Q2"]
    with playing(filings) as server:
        real = replace(run, filings=f"edgar:{','.join(quarters)}", edgar_url=server.url)
        commit = ingest_files(real)
        assert len(server.requests) == len(quarters) + len(filings)
    lake = Lake(run.lake)
    rows = lake.read(commit, Filing)
    assert [row.company for row in rows][:2] == ["FORD MOTOR CO", "COCA COLA CO"]
    by_accession = {filing.accession: filing for filing in filings}
    for row in rows:
        filing = by_accession.get(row.filing_id)
        if filing is not None:  # one has lost its header, and its accession number with it
            assert row.source_uri == f"https://www.sec.gov/Archives/{filing.path}"
            assert (row.cik, row.form) == (filing.cik, filing.form)
        kept = gzip.decompress(raw(lake.objects, row.sha256))
        assert hashlib.sha256(kept).hexdigest() == row.sha256
        assert len(kept) == row.n_bytes
    assert len(rows) == len(filings)
    # exhibits and pictures were never sent for, and nothing of the main document is missing
    whole = [
        read_filing(FilingSource(uri=filing.path, data=filing.submission, encoding=run.encoding))
        for filing in filings
    ]
    texts = [parsed.document.text for parsed in whole if isinstance(parsed, ParsedFiling)]
    assert sorted(document.text for document in lake.read(commit, Document)) == sorted(texts)


def test_resolves_real_tickers(shared: Path, run: RunSettings) -> None:
    listed = (shared / "reference" / "edgar-index" / "company_tickers.json.gz").read_bytes()
    with playing(real_filings(shared)) as server:
        server.files["files/company_tickers.json"] = gzip.decompress(listed)
        quarters = {"filings": "edgar:1998Q1,1999Q4,2009Q4", "edgar_url": server.url}
        two = replace(run, **quarters, companies="KO,aapl", limit=2)  # type: ignore[arg-type]
        lease = lease_on(Lake(run.lake).objects, "EDGAR", "edgar")
        known = {"earlier": {}, "left_out": {}}
        access = edgar_query(two), edgar_access(two), lease
        choice = acquire(Lake(run.lake), run.release, *access, **known)  # type: ignore[arg-type]
    companies = [filing.line.company for filing in choice.filings]
    assert companies == ["Coca-Cola Co", "Apple Computer Inc"]


def test_missing_filings_and_broken_lines_become_rejects(
    run: RunSettings, edgar: EdgarServer
) -> None:
    path = f"Archives/{written_filing(2).path}"
    edgar.next(path, Reply(status=404))
    commit = ingest_files(run)
    rejects = {reject.parent_id: reject for reject in Lake(run.lake).read(commit, Reject)}
    assert rejects[f"https://www.sec.gov/{path}"].reason == "not downloaded"
    assert rejects["2018Q1#14"].detail == "1 columns in place of 5: torn"
    assert commit.n_rows("filings") == 1


def test_finished_release_needs_no_network(run: RunSettings, edgar: EdgarServer) -> None:
    commit = ingest_files(run)
    edgar.requests.clear()
    without = replace(run, contact=None, edgar_url="http://127.0.0.1:9")
    check_run(resolve(without))
    lake = Lake(run.lake)
    assert plan_ingest(resolve(without)).finished()
    assert ingest_files(without) == commit
    unnamed = replace(without, filings=None)
    assert ingest_files(unnamed) == commit
    # its tables are gone, its raw bytes are not
    lake.retire(commit)
    assert ingest_files(without).content == commit.content
    assert edgar.requests == []


def test_identity_holds_query_and_filings(run: RunSettings) -> None:
    identity = ingest_files(replace(run, sample=1, companies="1,2")).identity
    chosen = {"quarters": ["2018Q1"], "forms": ["10-K", "10-K405"], "companies": ["1", "2"]}
    drawn = {"sample": 1, "seed": 17, "limit": None}
    assert identity["edgar"] == {**chosen, **drawn, "files": []}
    assert identity["filings"]["n_files"] == 1


def test_frozen_release_refuses_another_query_before_any_request(
    run: RunSettings, edgar: EdgarServer
) -> None:
    frozen = replace(run, release="2018.03")
    ingest_files(frozen)
    edgar.requests.clear()
    with pytest.raises(ReleaseConflict, match=r"edgar\.forms"):
        has_nothing_to_do(Lake(run.lake), replace(frozen, forms="10-K/A"))
    with pytest.raises(ReleaseConflict, match=r"edgar\.forms"):
        ingest_files(replace(frozen, forms="10-K/A"))
    assert edgar.requests == []


def test_refuses_to_build_from_another_query(run: RunSettings) -> None:
    from tasks.pipeline.plan import plan_build

    ingest_files(run)
    other = resolve(replace(run, forms="10-K/A"))
    with pytest.raises(MissingInput, match="was not ingested from edgar:2018Q1"):
        plan_build(other, other.build[0])


def test_force_reads_the_index_again(run: RunSettings, edgar: EdgarServer) -> None:
    ingest_files(run)
    with playing([written_filing(number) for number in (1, 2, 3)]) as longer:
        commit = ingest_files(replace(run, force=True, edgar_url=longer.url))
        assert len(longer.requests) == 2  # the index, and the one filing that is new
    assert commit.n_rows("filings") == 3


@pytest.mark.parametrize("choosing", [{"sample": 5}, {"limit": 5}])
def test_new_only_samples_from_new_filings(run: RunSettings, choosing: dict[str, int]) -> None:
    with playing([written_filing(number) for number in range(1, 13)]) as twelve:
        new = replace(run, new_only=True, edgar_url=twelve.url, **choosing)
        lake = Lake(run.lake)
        taken: list[set[str]] = []
        for name in ("a", "b"):
            commit = ingest_files(replace(new, release=name))
            taken.append({filing.filing_id for filing in lake.read(commit, Filing)})
            later = replace(new, release=name, contact=None)
            assert plan_ingest(resolve(later)).finished()
        assert [len(filings) for filings in taken] == [5, 5]
        assert not taken[0] & taken[1]
        left_out = [reject for reject in lake.read(commit, Reject) if reject.reason == LEFT_OUT]
        assert {reject.detail.split()[0] for reject in left_out} == taken[0]
        told = "--sample asks for 3 filings, but there are 2 new ones"
        with pytest.raises(TooFewFilings, match=told):
            ingest_files(replace(new, release="c", sample=3, limit=None))


def test_without_new_filings_downloads_nothing_and_keeps_no_choice(
    run: RunSettings, edgar: EdgarServer
) -> None:
    new = replace(run, new_only=True, sample=2)
    ingest_files(replace(new, release="a"))
    edgar.requests.clear()
    for _ in range(2):
        with pytest.raises(NothingNew, match="0000000001-18-000001 is in release a"):
            ingest_files(replace(new, release="b"))
    assert edgar.paths == ["Archives/edgar/full-index/2018/QTR1/master.gz"] * 2


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"filings": "edgar:"}, "names no year or quarter"),
        ({"filings": "edgar:1992"}, "takes years from 1993 on"),
        ({"filings": "edgar:2018Q5"}, "not '2018Q5'"),
        ({"forms": ","}, "names no form type"),
        ({"forms": "10-K;8-K"}, "not '10-K;8-K'"),
        ({"forms": "10-K,20-F"}, "types of annual reports.*not '20-F'"),
        ({"companies": "../../etc/passwd"}, "is not a ticker, a CIK, a file"),
        ({"edgar_url": "www.sec.gov"}, "--edgar-url is an address"),
        ({"contact": None}, "--contact"),
    ],
)
def test_refuses_options_that_make_no_sense(
    run: RunSettings, edgar: EdgarServer, changes: dict[str, str | int], told: str
) -> None:
    with pytest.raises(WrongSettings, match=told):
        check_run(resolve(replace(run, **changes)))
    assert edgar.requests == []


@pytest.mark.parametrize("filings", [None, "folder", str(Path(__file__).parent)])
@pytest.mark.parametrize("changes", [{"sample": 5}, {"companies": "AAPL"}])
def test_refuses_to_choose_among_files(
    run: RunSettings, filings: str | None, changes: dict[str, str | int]
) -> None:
    choosing = replace(run, filings=filings, **changes)  # type: ignore[arg-type]
    for refusing in (lambda run: check_run(resolve(run)), ingest_files, estimate):
        with pytest.raises(WrongSettings, match="chooses among EDGAR's filings"):
            refusing(choosing)  # type: ignore[operator]


def test_refuses_an_empty_sample() -> None:
    with pytest.raises(WrongSettings, match="--sample must be greater than or equal to 1"):
        RunSettings(filings="edgar:2018", sample=0)
