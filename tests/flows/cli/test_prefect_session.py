"""The temporary server: only if nobody named one, ready for the first flow, gone at the end.

Each script runs in an interpreter of its own, as a command does: Prefect reads its settings once.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from flows.cli import temporary_server

ROOT = Path(__file__).parents[3]
# Stands in for the server: says its port and waits for the end, or does what a test needs.
READY = "import sys; print(4321, flush=True); sys.stdin.read()"
STARTS = """
import json, os, sys, threading
from pathlib import Path
from flows.cli import prefect_session as prefect_api, temporary_server
temporary_server.__file__ = sys.argv[1]
process = prefect_api.start_temporary_server()
"""
SHOWS = (
    STARTS
    + """
found = []
def look():
    from prefect.settings import get_current_settings
    settings = get_current_settings()
    found.append([settings.api.url, settings.flows.heartbeat_frequency])
with prefect_api.shown_on(process):
    look()
    thread = threading.Thread(target=look)  # as Prefect's own, which send logs
    thread.start()
    thread.join()
said = {"started": process is not None, "here": found[0], "url of a thread": found[1][0]}
print(json.dumps(said))
"""
)


def script(
    code: str, *arguments: str, home: Path, **environment: str
) -> subprocess.CompletedProcess[str]:
    """What a script has done; Prefect's settings are those given, and those in its home."""
    inherited = {
        name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")
    }
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=ROOT,
        env={**inherited, "PREFECT_HOME": str(home), **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def program(folder: Path, code: str) -> str:
    file = folder / "program.py"
    file.write_text(code)
    return str(file)


def name_a_server(home: Path, url: str) -> None:
    """As `prefect config set PREFECT_API_URL=...` does."""
    (home / "profiles.toml").write_text(
        f'active = "ours"\n[profiles.ours]\nPREFECT_API_URL = "{url}"\n'
    )


def test_flows_and_their_threads_find_the_temporary_server_and_send_no_heartbeats(
    tmp_path: Path,
) -> None:
    shown = script(SHOWS, program(tmp_path, READY), home=tmp_path)
    assert json.loads(shown.stdout) == {
        "started": True,
        "here": ["http://127.0.0.1:4321/api", None],
        "url of a thread": "http://127.0.0.1:4321/api",
    }, shown.stderr


def test_heartbeats_that_the_user_has_set_stay(tmp_path: Path) -> None:
    shown = script(
        SHOWS, program(tmp_path, READY), home=tmp_path, PREFECT_FLOWS_HEARTBEAT_FREQUENCY="60"
    )
    assert json.loads(shown.stdout)["here"] == ["http://127.0.0.1:4321/api", 60], shown.stderr


def test_a_server_in_the_environment_is_used_as_it_is(tmp_path: Path) -> None:
    url = "http://127.0.0.1:9/api"
    shown = script(SHOWS, program(tmp_path, READY), home=tmp_path, PREFECT_API_URL=url)
    assert json.loads(shown.stdout) == {
        "started": False,
        "here": [url, 180],
        "url of a thread": url,
    }, shown.stderr


def test_a_server_in_a_profile_is_used_and_the_temporary_one_ends_by_itself(tmp_path: Path) -> None:
    url = "http://127.0.0.1:9/api"
    name_a_server(tmp_path, url)
    waited = SHOWS + "print(process.wait(), process.stdout.read() == '')"
    shown = script(waited, temporary_server.__file__, home=tmp_path)
    said, ended = shown.stdout.splitlines()
    assert json.loads(said) == {"started": True, "here": [url, 180], "url of a thread": url}, (
        shown.stderr
    )
    assert ended == "0 True"
    assert not (tmp_path / "prefect.db").exists()


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("raise SystemExit(3)", "ended with status 3 before it was ready"),
        (
            "import sys; sys.stdin.read()",
            "not ready after 1 s. Raise PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS",
        ),
    ],
)
def test_a_temporary_server_that_does_not_come_up_ends_the_command_with_a_sentence(
    code: str, says: str, tmp_path: Path
) -> None:
    command = """
from flows.cli import app as cli
cli.main(["ingest", "--lake", sys.argv[2]])
"""
    failed = script(
        (
            "import sys\nfrom flows.cli import temporary_server\n"
            f"temporary_server.__file__ = sys.argv[1]\n{command}"
        ),
        program(tmp_path, code),
        str(tmp_path / "lake"),
        home=tmp_path,
        PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS="1",
    )
    assert failed.returncode == 1
    assert says in failed.stderr
    assert "Traceback" not in failed.stderr


@pytest.mark.parametrize("end", ["os.kill(os.getpid(), 9)", "os._exit(3)"])
def test_the_temporary_server_ends_with_a_command_that_could_not_end_it(
    end: str, tmp_path: Path
) -> None:
    lasts = "import sys; print(1, flush=True); sys.stdin.read(); sys.stderr.write('ended')"
    started = script(
        f"{STARTS}\nprocess.stdout.readline()\n{end}", program(tmp_path, lasts), home=tmp_path
    )
    assert started.stderr == "ended"
