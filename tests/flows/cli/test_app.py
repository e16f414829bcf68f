"""The command line: what it prints, where, and how it ends."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from cyclopts import App

from flows.cli.app import make_app
from tasks.core.rows import Case
from tasks.pipeline.settings import RunSettings
from tests.flows.rows import rows_of
from tests.flows.typed import tenkbench
from tests.forked import Forked
from tests.servers.serving import serving

HEAVY = "prefect ray litellm spacy duckdb pyarrow nltk lxml tiktoken pandas"


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys; from contextlib import suppress; from flows.cli.app import main\n"
        "with suppress(SystemExit): main(['run', '--json', '--help'])\n"
        f"print([name for name in {HEAVY!r}.split() if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"
    assert "--filings" in done.stdout


# Whether Prefect is imported to say that there is nothing to do.
RUNS = """
import sys
from contextlib import suppress
from flows.cli.app import main
with suppress(SystemExit):
    main(["run", "--lake", sys.argv[1], "--pairs", "2"])
print("prefect" in sys.modules, file=sys.stderr)
"""


def test_a_finished_run_has_nothing_to_do_and_shows_the_tables_without_prefect(
    finished: RunSettings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = Forked(RUNS, finished.lake, stderr=tmp_path / "stderr").wait(240)
    assert "Nothing to do" in said
    assert said.strip().endswith("False")
    assert tenkbench("run", "--lake", finished.lake, "--pairs", "2", "--json") == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["suite"], row["metric"], row["model"]) == ("failsafeqa", "llmc", "extractive")


def commands(found: App, path: tuple[str, ...] = ()) -> Iterator[tuple[str, App]]:
    """Every command with its words."""
    for name in found:
        if not name.startswith("-"):
            command = found[name]
            yield from commands(command, (*path, name))
            if command.default_command is not None:
                yield " ".join((*path, name)), command


@pytest.mark.parametrize(
    ("words", "command"), list(commands(make_app())), ids=lambda value: str(value)[:30]
)
def test_every_option_says_what_it_is(words: str, command: App) -> None:
    options = [
        each
        for each in command.assemble_argument_collection(parse_docstring=True)
        if not each.children
    ]
    assert options, words
    assert [option.name for option in options if not option.parameter.help] == []


def test_ctrl_c_keeps_what_is_in_flight_and_says_how_to_go_on(
    environment: dict[str, str], copied: RunSettings, tmp_path: Path
) -> None:
    held = [{"kind": "hold", "after": 4}]
    with serving(delay_ms=100, faults=held, log=tmp_path / "log") as server:
        models_file = tmp_path / "models.toml"
        models_file.write_text(
            '[models.slow]\nengine = "openai"\ndescription = "ours"\n'
            f'base_url = "{server.url}"\nin_flight = 3\n'
        )
        options = f"--lake {copied.lake} --pairs 2 --model slow --models-file {models_file}".split()
        command = [sys.executable, "-m", "flows.cli.app", "infer", *options]
        started = subprocess.Popen(
            command, env=environment, stderr=subprocess.PIPE, text=True, start_new_session=True
        )
        while server.stats()["received"] < 5:
            assert started.poll() is None
            time.sleep(0.05)
        os.killpg(started.pid, signal.SIGINT)
        assert started.stderr is not None
        said = ""
        while "waiting for the calls in flight" not in said:
            assert started.poll() is None, said
            said += started.stderr.readline()
        server.set_faults([])  # what is in flight is answered now
        _, rest = started.communicate(timeout=240)
        said += rest
        stopped = server.stats()
        n_cases = len(rows_of(copied, Case))
        assert started.returncode == 130
        assert re.search(
            rf"Stopped \(answer_neutral by slow: \d+ of {n_cases}.*\)\. All answers are kept", said
        )
        assert f"This run's calls: slow: {stopped['answered']} sent" in said
        assert " left)" not in said
        assert "Traceback" not in said
        assert stopped["gone"] == 0
        assert stopped["received"] == stopped["answered"] < n_cases
        assert tenkbench("infer", *options) == 0
        # each prompt once: what was answered before the stop is not sent again, a primer may be
        prompts = Counter(
            line["prompt"]
            for line in server.log()
            if line["event"] == "received" and line["max_tokens"] > 1
        )
        assert set(prompts.values()) == {1}


def test_a_run_ends_with_what_its_calls_cost_also_when_its_budget_stops_it(
    copied: RunSettings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving() as server:
        file = tmp_path / "models.toml"
        # a dollar for a million tokens of prompt: a call of some 5,000 costs half a cent
        file.write_text(
            '[models.paid]\nengine = "openai"\ndescription = "ours"\n'
            f'base_url = "{server.url}"\nin_flight = 1\n'
            "price = { prompt = 1, output = 0 }\n"
        )
        options = f"--lake {copied.lake} --pairs 2 --model paid --models-file {file}".split()
        assert tenkbench("infer", *options, "--budget", "0.05") == 1
        stopped = capsys.readouterr().err
        assert tenkbench("infer", *options) == 0
        finished = capsys.readouterr().err
        n_answered = server.stats()["answered"]
    first = re.search(r"This run's calls: paid: (\d+) sent for \$0\.0[45][.,]", stopped)
    assert first, stopped
    assert "the budget of $0.05 does not allow another call" in stopped
    second = re.search(r"paid: (\d+) sent for \$0\.\d\d, (\d+) reused at no cost\.", finished)
    assert second, finished
    assert "answer_neutral by paid: " not in finished  # --verbose would say it
    assert int(first[1]) + int(second[1]) == n_answered
    n_cases = len(rows_of(copied, Case))
    assert int(second[1]) + int(second[2]) == n_cases  # equal prompts are sent once


def test_ctrl_c_ends_at_once_with_a_sentence_and_leaves_no_process(
    environment: dict[str, str], tmp_path: Path
) -> None:
    run = f"-m flows.cli.app run --verbose --lake {tmp_path / 'lake'} --workers 2".split()
    command = [sys.executable, *run]
    started = subprocess.Popen(
        command,
        env=environment,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    assert started.stderr is not None
    first = ""
    while "ingest" not in first:  # the first step is under way
        assert started.poll() is None
        first += started.stderr.readline()
    # told at once: importing Prefect takes seconds
    assert first.startswith("Starting Prefect") == bool(environment["PREFECT_API_URL"])
    os.killpg(started.pid, signal.SIGINT)
    _, rest = started.communicate(timeout=240)
    assert started.returncode == 130
    assert "Stopped. Finished steps and answers are kept" in first + rest
    assert "Traceback" not in rest

    def is_alone() -> bool:
        try:
            os.killpg(started.pid, 0)
        except ProcessLookupError:
            return True
        return False

    deadline = time.monotonic() + 240
    while not is_alone():
        assert time.monotonic() < deadline, "processes of the run are still there"
        time.sleep(0.2)
