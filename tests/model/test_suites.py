"""All five suites with a real language model in every role that takes one: `make test-model`.

The model is small, so its scores are poor. What must hold holds with any model: a run ends with 0,
so every check of the lake passes, or it lists why nothing that the model wrote could be kept; each
request has one answer or one failure; each reply is read, or counted with its reason; a second run
asks nothing; the page opens. The table at the end says how well the replies to each operation could
be read.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import urllib.request
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas
import pytest

if "TENKBENCH_MODELS_FILE" not in os.environ:
    pytest.skip("needs a real model: make test-model", allow_module_level=True)

from flows.cli.app import main
from tasks.inference.context import Readings
from tasks.inference.engines.vllm import fleet_of
from tasks.inference.operation import Operation, Reply
from tasks.lake.lake import Lake
from tasks.models.catalogue import find_model
from tasks.results.opened import opened_warehouse
from tests.chromium import installed_chromium

pytestmark = pytest.mark.timeout(1800)

MODEL = "smollm2"
SECOND, THIRD = "second", "third"  # the same server by its address, asked once
# Share of an operation's replies that is readable at first, where the server enforces its schema.
READABLE = 0.98
# A small model often fills their texts with placeholders: no schema rules them out, readers do.
WITH_PLACEHOLDERS = {"write_easy", "write_medium", "write_hard"}
# The options of two runs of each suite; {0} is the model. BASE is a file that is written.
BUILDERS = [
    f"failsafeqa --generator {MODEL} --citer {MODEL} --pairs 1 --context-tokens 1500 --limit 1",
    f"faith --panel {MODEL} {SECOND} {THIRD} --pairs 2 --limit 1",
    f"tablequest --generator {MODEL} --verifier {MODEL} --contexts 1 --context-tokens 1500 "
    "--limit 1",
    f"refusalbench --base-panel {MODEL} --base-questions 1 --limit 2",
    f"refusalbench --base-writer {MODEL} --base-questions 2 --settings single --limit 1",
    f"refusalbench --generator {MODEL} --verifier {MODEL} --base-file BASE",
]
ANSWERS = {
    "failsafeqa": "--context-tokens 2000 --limit 1 --judge {0} --judge reference_only={0}",
    "faith": "--pairs 3 --limit 1",
    "tablequest": "--contexts 1 --context-tokens 1500 --per-level 1 --hard --baseline extractive "
    "--judge accuracy={0} --judge critique={0} --judge pairwise={0} --judge reference "
    "--limit 1",
    "longcontext": "--lengths 4000 --records 1 --queries 1 --limit 1",
    "refusalbench": "--base-questions 1 --limit 2 --judge {0}",
}


HOW = ("at first", "repaired", "unread")


class Seen(Counter[tuple[str, str]]):
    """Replies by operation and by how they were read."""

    def __init__(self) -> None:
        super().__init__()
        self.with_schema: set[str] = set()  # operations

    def count(self, operation: Operation[Any, Any], reply: Reply[Any]) -> None:
        if reply.response.status != "ok":
            return
        was_repaired = reply.request.repairs is not None
        how = "unread" if reply.value is None else "repaired" if was_repaired else "at first"
        self[operation.name, how] += 1
        if operation.schema is not None:
            self.with_schema.add(operation.name)

    def total(self, operation: str) -> int:
        return sum(self[operation, how] for how in HOW)


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A models file, and the address of the server that the engine vllm has started for it."""
    given = Path(os.environ["TENKBENCH_MODELS_FILE"])
    row = find_model(MODEL, str(given))

    url = f"{asyncio.run(fleet_of(row)).servers[0].root}/v1"
    others = "".join(
        f'\n[models.{name}]\nengine = "openai"\ndescription = "{MODEL}, once more"\n'
        f'base_url = "{url}"\nserved_as = "{row.called}"\nwindow = {row.window}\n'
        "has_schema = true\n"
        for name in (SECOND, THIRD)
    )
    file = tmp_path_factory.mktemp("models") / "models.toml"
    file.write_text(given.read_text(encoding="utf-8") + others, encoding="utf-8")
    return file, url


@pytest.fixture(scope="module")
def lakes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the lakes, one for each run."""
    return tmp_path_factory.mktemp("lakes")


@pytest.fixture(scope="module")
def seen() -> Iterator[Seen]:
    """How each reply of all runs was read."""
    seen, counted = Seen(), Readings.count

    def count(readings: Readings, operation: Operation[Any, Any], reply: Reply[Any]) -> None:
        seen.count(operation, reply)
        counted(readings, operation, reply)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Readings, "count", count)
        yield seen


def command(*words: str) -> int:
    """Run a command of the product in this process, whose servers stay; return its exit status."""
    with pytest.raises(SystemExit) as ended:
        main(words)
    return int(ended.value.code or 0)


def n_finished(url: str) -> float:
    """How many requests the server has finished."""
    with urllib.request.urlopen(f"{url.removesuffix('/v1')}/metrics", timeout=60) as reply:
        lines = reply.read().decode().splitlines()
    return sum(
        float(line.split()[-1]) for line in lines if line.startswith("vllm:request_success_total")
    )


def run_twice(words: Sequence[str], models: tuple[Path, str]) -> int:
    """Run a command twice, the second time without a question; return its exit status."""
    file, url = models
    run = ["run", *words, "--models-file", str(file)]
    status = command(*run)
    before = n_finished(url)
    assert command(*run) == status
    assert n_finished(url) == before
    return status


@pytest.mark.parametrize("run", BUILDERS)
def test_a_model_builds(
    run: str,
    models: tuple[Path, str],
    lakes: Path,
    seen: Seen,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    suite, *options = run.replace("BASE", str(base_questions(tmp_path))).split()
    lake = lakes / f"{suite}-built-{len(list(lakes.iterdir()))}"
    status = run_twice(["--suite", suite, "--lake", str(lake), *options], models)
    printed = capsys.readouterr()
    print(printed.out, printed.err)
    if status:
        assert re.search(r"gave no rows, so nothing was committed:\n +\d+ x ", printed.err)
    else:
        assert_each_reply_is_accounted_for(lake, suite)


@pytest.mark.parametrize("suite", ANSWERS)
def test_a_model_answers_and_judges(
    suite: str, models: tuple[Path, str], lakes: Path, seen: Seen, tmp_path: Path
) -> None:
    lake = lakes / f"{suite}-answered"
    words = [*ANSWERS[suite].format(MODEL).split(), "--model", MODEL, "--model", "extractive"]
    assert run_twice(["--suite", suite, "--lake", str(lake), *words], models) == 0
    assert_each_reply_is_accounted_for(lake, suite)
    page = tmp_path / "report.html"
    assert command("report", str(page), "--lake", str(lake), "--suite", suite) == 0
    assert MODEL in text_of_page(page)


def test_replies_can_be_read(lakes: Path, seen: Seen) -> None:
    calls = pandas.concat([operations_of(lake) for lake in sorted(lakes.iterdir())])
    table = calls.groupby("operation").sum()
    for how in HOW:
        table[how] = [seen[name, how] / max(1, seen.total(name)) for name in table.index]
    print(table.to_string(float_format="{:.2f}".format))
    operations = seen.with_schema - WITH_PLACEHOLDERS
    slipped = [each for each in operations if seen.total(each) - seen[each, "at first"] > 1]
    first = {each: seen[each, "at first"] / seen.total(each) for each in slipped}  # once is chance
    assert {each: share for each, share in first.items() if share < READABLE} == {}


def base_questions(folder: Path) -> Path:
    """Write a question on one short passage, and the same on ten."""
    signal = "Harrow had net sales of $7.7 billion in fiscal 2023, more than ever before."
    noise = [f"Harrow has {n} plants in Ohio." for n in range(20, 29)]
    ten = [{"text": text, "is_signal": text == signal} for text in (signal, *noise)]
    question = {"query": "How much were Harrow's net sales?", "answers": "$7.7 billion"}
    rows = [question | {"context": signal}, question | {"passages": ten}]
    file = folder / "base.jsonl"
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return file


def operations_of(lake: Path) -> pandas.DataFrame:
    """Count the calls to models of a lake's one suite."""
    suite = lake.name.partition("-")[0]
    with opened_warehouse(Lake(str(lake)), "dev") as connection:
        return connection.execute(
            "select operation, n_calls, n_cut_off, n_error + n_quarantined as n_failed, "
            "n_output_tokens from reports.operations where suite = ? and model != 'extractive'",
            [suite],
        ).df()


def assert_each_reply_is_accounted_for(lake: Path, suite: str) -> None:
    with opened_warehouse(Lake(str(lake)), "dev") as connection:
        n_requests, n_answered = connection.execute(
            "select count(*), count(status) from staging.calls where suite = ?", [suite]
        ).fetchone()  # type: ignore[misc]
    assert n_requests == n_answered > 0


def text_of_page(page: Path) -> str:
    """What a browser shows of a page."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=str(installed_chromium()), args=["--no-sandbox", "--disable-gpu"]
        )
        opened = browser.new_page()
        opened.goto(page.as_uri())
        text = opened.inner_text("body")
        browser.close()
    return text
