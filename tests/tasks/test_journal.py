"""The journal: what is in it is on disk, counts once, and belongs to the lake for good."""

from __future__ import annotations

import asyncio
import dataclasses
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tasks import database, journal
from tasks.database import JournalError
from tasks.journal import Answer, Journal
from tasks.schemas import Response

RESPONSE = Response(
    request_id="req-1",
    status="ok",
    text="Net sales were $ 5.1 million; “up” 3 %.\x00\n",
    finish_reason="stop",
    n_prompt=25_001,
    n_cached=24_992,
    n_output=17,
    latency_ms=812.25,
    attempts=2,
    error_type=None,
    error=None,
    engine="openai",
    engine_version="vllm 0.33",
    cost_usd=0.00125,
)
FAILURE = dataclasses.replace(
    RESPONSE,
    status="error",
    text=None,
    finish_reason=None,
    n_prompt=None,
    n_cached=None,
    n_output=None,
    latency_ms=None,
    error_type="content_filter",
    error="the prompt was filtered",
    cost_usd=None,
)


def saying(text: str) -> Response:
    return dataclasses.replace(RESPONSE, text=text)


def add(kept: Journal, key: str, response: Response = RESPONSE, since: float | None = None) -> Response:
    return asyncio.run(kept.add(key, response, model="m1", operation="answer", since=since))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "lake" / "_ledger" / "journal.sqlite"


@pytest.fixture
def opened(path: Path) -> Iterator[Callable[[], Journal]]:
    """Opens the journal, as often as processes would."""
    made: list[Journal] = []

    def open_one() -> Journal:
        made.append(Journal(path))
        return made[-1]

    yield open_one
    for one in made:
        one.close()


# --- answers -------------------------------------------------------------------------------


def test_an_answer_comes_back_as_it_was_from_a_journal_opened_later(opened: Callable[[], Journal]) -> None:
    first = opened()
    add(first, "k1")
    add(first, "k2", FAILURE)
    assert first.find(["k1", "k2", "k3"]) == {"k1": RESPONSE, "k2": FAILURE}
    assert opened().find(["k2", "k1"]) == {"k1": RESPONSE, "k2": FAILURE}


def test_the_first_answer_of_a_key_is_its_answer_whoever_adds_another(opened: Callable[[], Journal]) -> None:
    first, second = opened(), opened()
    assert add(first, "k1", saying("first")) == saying("first")
    assert add(second, "k1", saying("second")) == saying("first")
    assert first.find(["k1"]) == second.find(["k1"]) == {"k1": saying("first")}


def test_since_lets_a_later_answer_take_the_place_of_an_earlier_one_once(
    opened: Callable[[], Journal], monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = opened()
    monkeypatch.setattr(journal.time, "time", lambda: 1000.0)
    add(kept, "k1", saying("old"))
    assert kept.find(["k1"], since=1001.0) == {}
    monkeypatch.setattr(journal.time, "time", lambda: 1002.0)
    assert add(kept, "k1", saying("new"), since=1001.0) == saying("new")
    assert add(kept, "k1", saying("newer"), since=1001.0) == saying("new")
    assert kept.find(["k1"]) == kept.find(["k1"], since=1001.0) == {"k1": saying("new")}


def test_what_was_bought_twice_counts_twice_in_the_accounts(opened: Callable[[], Journal]) -> None:
    kept = opened()
    assert kept.spent() == []
    add(kept, "k1")
    add(kept, "k1")
    asyncio.run(kept.add("k2", FAILURE, model="m1", operation="judge"))
    spent = [(row.model, row.operation, row.n_calls, row.n_prompt, row.cost_usd) for row in kept.spent()]
    assert spent == [("m1", "answer", 2, 50_002, 0.0025), ("m1", "judge", 1, 0, 0.0)]


def test_many_keys_are_found_in_one_look(opened: Callable[[], Journal]) -> None:
    kept = opened()
    keys = [f"k{number}" for number in range(1203)]
    kept.add_all(
        Answer(key=key, model="m1", operation="answer", response=saying(key)) for key in keys if key != "k600"
    )
    found = kept.find([*keys, "k1", "unknown"])
    assert found == {key: saying(key) for key in keys if key != "k600"}


def test_finding_uses_the_index_of_keys(opened: Callable[[], Journal], path: Path) -> None:
    add(opened(), "k1")
    with sqlite3.connect(path) as direct:
        plan = direct.execute(
            "explain query plan select text from answers where superseded_at is null and key in (?, ?) and added_at >= ?",
            ["k1", "k2", 0.0],
        ).fetchall()
    assert "USING INDEX answer_of_key (key=?)" in plan[0][-1]


def test_answers_are_added_from_several_threads_and_loops(opened: Callable[[], Journal]) -> None:
    kept = opened()

    async def several(thread: int, loop: int) -> None:
        added = (
            kept.add(f"{thread}.{loop}.{n}", saying(f"{thread}.{loop}.{n}"), model="m", operation="o")
            for n in range(40)
        )
        await asyncio.gather(*added)

    def work(thread: int) -> None:
        for loop in range(3):
            asyncio.run(several(thread, loop))

    threads = [threading.Thread(target=work, args=(thread,)) for thread in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    keys = [f"{thread}.{loop}.{n}" for thread in range(4) for loop in range(3) for n in range(40)]
    assert kept.find(keys) == {key: saying(key) for key in keys}


def test_answers_that_wait_together_share_a_flush(
    opened: Callable[[], Journal], monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = opened()
    kept.prepare()
    committed = []
    one_transaction = journal.transaction
    monkeypatch.setattr(
        journal, "transaction", lambda opened: committed.append(opened) or one_transaction(opened)
    )

    async def together() -> None:
        await asyncio.gather(*(kept.add(f"k{n}", RESPONSE, model="m", operation="o") for n in range(300)))

    asyncio.run(together())
    assert len(kept.find([f"k{n}" for n in range(300)])) == 300
    assert len(committed) < 100


def test_an_answer_that_cannot_be_kept_fails_alone(opened: Callable[[], Journal]) -> None:
    kept = opened()

    async def together() -> list[Response | BaseException]:
        texts = ["good", "lone surrogate \ud800", "also good"]
        added = (kept.add(text[:4], saying(text), model="m", operation="o") for text in texts)
        return await asyncio.gather(*added, return_exceptions=True)

    first, second, third = asyncio.run(together())
    assert (first, third) == (saying("good"), saying("also good"))
    assert isinstance(second, UnicodeEncodeError)
    assert set(kept.find(["good", "lone", "also"])) == {"good", "also"}


def test_all_of_several_answers_are_kept_or_none(opened: Callable[[], Journal]) -> None:
    kept = opened()
    with pytest.raises(UnicodeEncodeError):
        kept.add_all(
            Answer(key=key, model="m", operation="o", response=saying(text))
            for key, text in [("k1", "good"), ("k2", "\ud800")]
        )
    assert kept.find(["k1", "k2"]) == {}


def test_an_answer_whose_asker_has_gone_is_kept(opened: Callable[[], Journal]) -> None:
    kept = opened()

    async def impatient() -> None:
        asked = asyncio.ensure_future(kept.add("k1", RESPONSE, model="m", operation="o"))
        await asyncio.sleep(0)
        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked

    asyncio.run(impatient())
    kept.close()
    assert kept.find(["k1"]) == {"k1": RESPONSE}


def test_a_lake_where_no_model_was_asked_has_no_ledger(opened: Callable[[], Journal], path: Path) -> None:
    kept = opened()
    assert kept.find(["k1"]) == {}
    assert kept.spent() == []
    assert kept.claim([]) == set()
    kept.release(["k1"])
    kept.close()
    assert not path.parent.exists()


# --- other processes -----------------------------------------------------------------------

KILLED_AFTER_ADDING = """
import asyncio, os, signal, sys
from pathlib import Path
from tasks.journal import Journal
from tests.tasks.test_journal import RESPONSE

async def main():
    kept = Journal(Path(sys.argv[1]))
    for n in range(20):
        kept.claim([f"k{n}", f"never sent {n}"])
        await kept.add(f"k{n}", RESPONSE, model="m", operation="o")
        kept.release([f"k{n}"])
    os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main())
"""

CLAIMS_AND_WAITS = """
import sys
from pathlib import Path
from tasks.journal import Journal

kept = Journal(Path(sys.argv[1]))
print(sorted(kept.claim(["k1", "k2"])), flush=True)
sys.stdin.read()
"""


def python(script: str, path: Path, **options: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", script, str(path)]
    root = str(Path(__file__).parents[2])
    return subprocess.Popen(  # type: ignore[call-overload,no-any-return]
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": root},
        **options,
    )


def test_an_answer_is_on_disk_when_add_returns(opened: Callable[[], Journal], path: Path) -> None:
    process = python(KILLED_AFTER_ADDING, path)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    keys = [f"k{n}" for n in range(20)]
    assert opened().find(keys) == dict.fromkeys(keys, RESPONSE)


def test_a_key_is_claimed_once(opened: Callable[[], Journal]) -> None:
    first, second = opened(), opened()
    assert first.claim(["k1", "k2"]) == {"k1", "k2"}
    assert first.claim(["k1", "k3"]) == {"k3"}
    assert second.claim(["k1", "k2", "k3", "k4", "k4"]) == {"k4"}
    second.release(["k1"])  # not its own
    assert second.claim(["k1"]) == set()
    first.release(["k1"])
    assert second.claim(["k1"]) == {"k1"}
    first.close()
    assert second.claim(["k2", "k3"]) == {"k2", "k3"}


def test_a_claim_lasts_as_long_as_its_process(opened: Callable[[], Journal], path: Path) -> None:
    process = python(CLAIMS_AND_WAITS, path)
    assert process.stdout is not None
    assert process.stdout.readline() == "['k1', 'k2']\n"
    kept = opened()
    assert kept.claim(["k1"]) == set()
    process.kill()
    process.communicate()
    assert kept.claim(["k1", "k2"]) == {"k1", "k2"}
    assert [file.name for file in path.parent.glob("running-*")] == [f"running-{kept._claims.owner}.lock"]


def test_a_process_that_ends_by_itself_leaves_no_claim_and_no_lock(
    opened: Callable[[], Journal], path: Path
) -> None:
    process = python(CLAIMS_AND_WAITS, path)
    process.communicate()
    assert process.returncode == 0
    assert list(path.parent.glob("running-*")) == []
    assert opened().claim(["k1"]) == {"k1"}


def test_two_threads_never_claim_the_same_key(opened: Callable[[], Journal]) -> None:
    journals = [opened(), opened()]
    keys = [f"k{n}" for n in range(200)]
    claimed: list[list[str]] = [[], [], [], []]

    def work(number: int) -> None:
        for key in keys:
            claimed[number] += journals[number % 2].claim([key])

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(key for keys in claimed for key in keys) == sorted(keys)


# --- what can be wrong with the file -------------------------------------------------------


def test_a_damaged_file_is_named_and_left_as_it_is(opened: Callable[[], Journal], path: Path) -> None:
    path.parent.mkdir(parents=True)
    path.write_bytes(b"not a database" * 1000)
    with pytest.raises(JournalError, match=r"journal\.sqlite is damaged .* it is left as it is"):
        opened().find(["k1"])
    with pytest.raises(JournalError, match=r"journal\.sqlite is damaged"):
        opened().claim(["k1"])
    assert path.read_bytes() == b"not a database" * 1000


def test_damage_in_the_middle_is_told_when_it_is_met(opened: Callable[[], Journal], path: Path) -> None:
    kept = opened()
    keys = [f"k{n}" for n in range(500)]
    kept.add_all(Answer(key=key, model="m", operation="o", response=RESPONSE) for key in keys)
    kept.close()
    content = bytearray(path.read_bytes())
    content[8192:-4096] = b"\xff" * (len(content) - 8192 - 4096)
    path.write_bytes(content)
    with pytest.raises(JournalError, match=r"damaged .*\.recover"):
        opened().find(keys)
    assert path.read_bytes() == bytes(content)


def test_an_emptied_file_is_not_taken_for_a_new_ledger(opened: Callable[[], Journal], path: Path) -> None:
    path.parent.mkdir(parents=True)
    path.touch()
    with pytest.raises(JournalError, match="not a ledger of tenkbench, or was emptied"):
        opened().claim(["k1"])
    assert path.read_bytes() == b""


def test_the_log_of_a_lost_file_is_not_played_into_a_new_one(
    opened: Callable[[], Journal], path: Path
) -> None:
    path.parent.mkdir(parents=True)
    path.with_name("journal.sqlite-wal").write_bytes(b"answers")
    with pytest.raises(JournalError, match=r"is gone, but journal\.sqlite-wal"):
        opened().claim(["k1"])
    assert not path.exists()


def test_a_ledger_of_another_layout_is_refused(opened: Callable[[], Journal], path: Path) -> None:
    opened().prepare()
    with sqlite3.connect(path) as direct:
        direct.execute("pragma user_version = 99")
    with pytest.raises(JournalError, match=r"another tenkbench .layout 99, this one reads 2"):
        opened().find(["k1"])


def test_a_full_disk_is_told_and_what_was_kept_stays(
    opened: Callable[[], Journal], monkeypatch: pytest.MonkeyPatch
) -> None:
    connect = database._connect

    def small(path: Path) -> sqlite3.Connection:
        made = connect(path)
        made.execute("pragma max_page_count = 12")
        return made

    monkeypatch.setattr(database, "_connect", small)
    kept = opened()
    add(kept, "k1")
    with pytest.raises(JournalError, match=r"no space is left for the ledger .*answers so far are kept"):
        add(kept, "k2", saying("x" * 100_000))
    assert add(kept, "k3", saying("small")) == saying("small")
    assert set(kept.find(["k1", "k2", "k3"])) == {"k1", "k3"}


def test_a_file_that_another_program_holds_is_waited_for_and_then_told(
    opened: Callable[[], Journal], path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "BUSY_S", 0.2)
    kept = opened()
    add(kept, "k1")
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("begin immediate")
    with pytest.raises(JournalError, match="another program has held the ledger"):
        add(kept, "k2")
    other.execute("rollback")
    other.close()
    assert add(kept, "k2") == RESPONSE


def test_a_folder_that_cannot_be_made_is_named(opened: Callable[[], Journal], path: Path) -> None:
    path.parents[1].mkdir()
    path.parent.write_text("a file where the ledger's folder should be")
    with pytest.raises(JournalError, match=r"cannot write the ledger .*claims|journal\.sqlite: File exists"):
        opened().claim(["k1"])


CLAIMS_ONCE = """
import os, sys
from pathlib import Path
from tasks.errors import RunFailed
from tasks.journal import Journal

elsewhere = Journal(Path(sys.argv[1]).parents[2] / "elsewhere" / "journal.sqlite")
elsewhere.claim(["k1"])  # has everything imported while it may be read
elsewhere.close()
if os.geteuid() == 0:  # root may write anywhere
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
try:
    Journal(Path(sys.argv[1])).claim(["k1"])
except RunFailed as error:
    print(error)
"""


@pytest.fixture
def open_to_all() -> Iterator[Path]:
    """A folder that every user may look into; pytest's own may not."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.mark.parametrize("is_made", [False, True], ids=["new ledger", "old ledger"])
def test_a_read_only_ledger_is_refused_before_anything_is_sent(open_to_all: Path, is_made: bool) -> None:
    path = open_to_all / "lake" / "_ledger" / "journal.sqlite"
    path.parent.mkdir(parents=True)
    if is_made:
        kept = Journal(path)
        add(kept, "k1")
        kept.close()
    files = [path.parent, *path.parent.iterdir()]
    for file in files:
        file.chmod(0o555)
    try:
        said, problem = python(CLAIMS_ONCE, path).communicate(timeout=60)
    finally:
        for file in files:
            file.chmod(0o755)
    assert "writable" in said, problem
    assert str(path) in said
