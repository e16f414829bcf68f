"""The journal: what is in it is on disk, counts once, and belongs to the lake for good."""

from __future__ import annotations

import asyncio
import dataclasses
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tasks.core.rows import Response
from tasks.inference.cache.response_cache import ResponseCache
from tests.journals import FAILURE, RESPONSE, add, adding, bought, charged, python, saying

# --- answers -------------------------------------------------------------------------------


def test_an_answer_comes_back_as_it_was_from_a_journal_opened_later(
    opened: Callable[[], ResponseCache],
) -> None:
    first = opened()
    add(first, "k1")
    add(first, "k2", FAILURE)
    assert first.find(["k1", "k2", "k3"]) == {"k1": RESPONSE, "k2": FAILURE}
    assert opened().find(["k2", "k1"]) == {"k1": RESPONSE, "k2": FAILURE}


def test_the_first_answer_of_a_key_is_its_answer_whoever_adds_another(
    opened: Callable[[], ResponseCache],
) -> None:
    first, second = opened(), opened()
    assert add(first, "k1", saying("first")) == saying("first")
    assert add(second, "k1", saying("second")) == saying("first")
    assert first.find(["k1"]) == second.find(["k1"]) == {"k1": saying("first")}


def test_a_later_answer_takes_the_place_of_an_earlier_one_once_with_the_clock_set_back(
    opened: Callable[[], ResponseCache], monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = opened()
    assert kept.latest() == 0
    add(kept, "k1", saying("old"))
    latest = kept.latest()
    assert kept.find(["k1"], latest) == {}
    monkeypatch.setattr(time, "time", lambda: 1000.0)
    assert add(kept, "k1", saying("new"), after=latest) == saying("new")
    assert add(kept, "k1", saying("newer"), after=latest) == saying("new")
    assert kept.find(["k1"]) == kept.find(["k1"], latest) == {"k1": saying("new")}


def test_what_a_failure_has_cost_that_is_asked_again_stands_in_the_accounts_only(
    opened: Callable[[], ResponseCache], journal_path: Path
) -> None:
    kept = opened()
    failure = dataclasses.replace(FAILURE, error_type="timeout", cost_usd=0.25)
    kept.store(charged("k1", failure)).result()
    assert kept.find(["k1"]) == {}
    assert add(kept, "k1") == RESPONSE
    assert [(one.status, one.superseded_at is None, one.cost_usd) for one in bought(opened())] == [
        ("error", False, 0.25),
        ("ok", True, 0.00125),
    ]


def test_answers_are_added_from_several_threads_and_loops(
    opened: Callable[[], ResponseCache],
) -> None:
    kept = opened()

    async def several(thread: int, loop: int) -> None:
        keys = (f"{thread}.{loop}.{n}" for n in range(40))
        await asyncio.gather(*(adding(kept, key, saying(key)) for key in keys))

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


def test_an_answer_that_cannot_be_kept_fails_alone(opened: Callable[[], ResponseCache]) -> None:
    kept = opened()

    async def together() -> list[Response | BaseException]:
        texts = ["good", "lone surrogate \ud800", "also good"]
        added = (adding(kept, text[:4], saying(text)) for text in texts)
        return await asyncio.gather(*added, return_exceptions=True)

    first, second, third = asyncio.run(together())
    assert (first, third) == (saying("good"), saying("also good"))
    assert isinstance(second, TypeError)
    assert set(kept.find(["good", "lone", "also"])) == {"good", "also"}


def test_an_answer_whose_asker_has_gone_is_kept(opened: Callable[[], ResponseCache]) -> None:
    kept = opened()

    async def impatient() -> None:
        asked = asyncio.ensure_future(adding(kept, "k1", RESPONSE))
        await asyncio.sleep(0)
        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked

    asyncio.run(impatient())
    kept.close()
    assert kept.find(["k1"]) == {"k1": RESPONSE}


# --- other processes -----------------------------------------------------------------------

KILLED_AFTER_ADDING = """
import asyncio, os, signal, sys
from pathlib import Path
from tasks.inference.cache.response_cache import ResponseCache
from tests.journals import RESPONSE, adding

async def main():
    kept = ResponseCache(Path(sys.argv[1]))
    for n in range(20):
        await adding(kept, f"k{n}", RESPONSE)
    os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main())
"""


def test_an_answer_is_on_disk_when_add_returns(
    opened: Callable[[], ResponseCache], journal_path: Path
) -> None:
    process = python(KILLED_AFTER_ADDING, journal_path)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    keys = [f"k{n}" for n in range(20)]
    assert opened().find(keys) == dict.fromkeys(keys, RESPONSE)
