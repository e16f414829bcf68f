"""A refresh: from a quarter of EDGAR's to a frozen release of its new filings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import ClassVar

import pytest

import flows.refresh
from flows.cli.app import main
from flows.refresh import refresh
from tasks.core.progress import hearing
from tasks.core.rows import Case, Filing, Reject
from tasks.filings.samples import sample_folder
from tasks.lake.lake import Lake, ReleaseConflict
from tasks.pipeline.settings import RunSettings
from tests.altered import altered
from tests.flows.rows import rows_of
from tests.servers.edgar_server import EdgarServer, Played, playing, written_filing

pytestmark = pytest.mark.usefixtures("quick_edgar")
SAMPLES = {
    1: ("brackwater-2018.htm", b""),
    2: ("quillstone-2023.htm", b""),
    3: ("brackwater-2018.htm", b"New "),
}


def filed(number: int, day: date) -> Played:
    """A sample as a submission of its own: rules can ask something about it."""
    written = written_filing(number, filed=day)
    header, tag, _ = written.submission.partition(b"<TEXT>")
    name, renamed = SAMPLES[number]
    text = (sample_folder() / name).read_bytes().replace(b"Brackwater", renamed + b"Brackwater")
    return replace(
        written,
        submission=header + tag + b"\n" + text + b"\n</TEXT>\n</DOCUMENT>\n</SEC-DOCUMENT>\n",
    )


@pytest.fixture
def edgar() -> Iterator[EdgarServer]:
    first, second = (filed(number, date(2018, 2, 1)) for number in (1, 2))
    # listed in the next quarter's index once more
    again = replace(second, filed=date(2018, 4, 2))
    third = filed(3, date(2018, 5, 1))
    with playing([first, second, again, third]) as server:
        yield server


@pytest.fixture
def run(edgar: EdgarServer, tmp_path: Path) -> RunSettings:
    return edgar.run(tmp_path, options={"pairs": 1}, workers=1)


@pytest.mark.usefixtures("as_functions")
def test_each_quarter_is_a_release_of_filings_that_no_earlier_one_has(
    run: RunSettings, edgar: EdgarServer, capsys: pytest.CaptureFixture[str]
) -> None:
    refresh("2018Q1", run)
    refresh("2018Q2", run)
    lake = Lake(run.lake)
    assert lake.releases() == ["2018Q1", "2018Q2"]
    companies = {
        release: [filing.company for filing in rows_of(replace(run, release=release), Filing)]
        for release in lake.releases()
    }
    assert companies == {
        "2018Q1": ["INVENTED 1 CORP", "INVENTED 2 CORP"],
        "2018Q2": ["INVENTED 3 CORP"],
    }
    second = replace(run, release="2018Q2")
    (left_out,) = [reject for reject in rows_of(second, Reject) if reject.stage == "ingest"]
    assert (left_out.reason, left_out.detail) == (
        "an earlier release has this filing",
        "0000000002-18-000002 is in release 2018Q1",
    )
    assert rows_of(second, Case)

    n_requests = len(edgar.requests)
    before = [commit.content for commit in lake.commits()]
    with pytest.raises(SystemExit) as ended:
        main(
            ["refresh", "2018Q2", "--lake", run.lake, "--edgar-url", run.edgar_url, "--pairs", "1"]
        )
    assert not ended.value.code
    told = capsys.readouterr().err
    assert "Nothing to do: release 2018Q2 in " in told
    assert "Left out 1: an earlier release has this filing" in told
    refresh("2018Q2", run)
    assert len(edgar.requests) == n_requests
    assert [commit.content for commit in lake.commits()] == before
    with pytest.raises(ReleaseConflict, match=r"release 2018Q2 is frozen.*pairs: 1 -> 2"):
        refresh("2018Q2", altered(run, pairs=2))


@pytest.mark.usefixtures("as_functions")
def test_where_nothing_is_new_the_run_says_so_and_makes_no_release(run: RunSettings) -> None:
    refresh("2018Q1", run)
    said: list[str] = []
    with hearing(said.append):
        refresh("2018Q1", replace(run, release="2018.03", filings="edgar:2018Q1"))
    assert "an earlier release has this filing" in said[-1]
    assert Lake(run.lake).releases() == ["2018Q1"]


@pytest.mark.usefixtures("as_functions")
def test_a_schedule_takes_the_quarter_that_was_over_when_it_was_due(
    run: RunSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Due:
        scheduled_start_time = datetime(2018, 7, 5, 6, tzinfo=UTC)
        parameters: ClassVar[dict[str, str]] = {}

    monkeypatch.setattr("prefect.runtime.flow_run", Due)
    assert flows.refresh._run_name() == "refresh 2018Q2"
    refresh(run=run)
    assert Lake(run.lake).releases() == ["2018Q2"]
