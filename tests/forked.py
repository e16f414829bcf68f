"""Processes that begin after their imports, for tests that start and kill many of a kind.

Python's own fork server has imported what the scripts of `tests/without_prefect.py` import. Each
process is a fork of it, in its own session. It can be killed, stopped and waited for as any other.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]


class Forked:
    """A script as a process; as much of `subprocess.Popen` as its tests need.

    Args:
        script: what it runs.
        arguments: the script's `sys.argv[1:]`.
        stderr: the file that takes what it writes on standard error.
        environment: variables that it has beside this process's.
    """

    def __init__(
        self,
        script: str,
        *arguments: str,
        stderr: Path,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["tests.preloaded"])
        self.stderr = stderr
        whole = {**os.environ, **(environment or {})}
        self.process = context.Process(target=_run, args=(script, arguments, str(stderr), whole))
        self.process.start()
        assert self.process.pid is not None
        self.pid = self.process.pid

    def poll(self) -> int | None:
        """The exit status, negative for a signal; None while it runs."""
        return self.process.exitcode

    @property
    def returncode(self) -> int | None:
        return self.poll()

    def wait(self, timeout: float | None = None) -> str:
        """Wait for its end; what it wrote on standard error.

        Raises:
            TimeoutError: it runs still.
        """
        self.process.join(timeout)
        if self.poll() is None:
            raise TimeoutError(f"process {self.pid} runs after {timeout} s")
        return self.stderr.read_text(encoding="utf-8") if self.stderr.exists() else ""


def _run(script: str, arguments: tuple[str, ...], stderr: str, environment: dict[str, str]) -> None:
    os.setsid()
    for stream, target in ((1, os.devnull), (2, stderr)):
        with open(target, "wb") as file:
            os.dup2(file.fileno(), stream)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(ROOT)
    sys.argv = ["-c", *arguments]
    exec(compile(script, "<script>", "exec"), {"__name__": "__main__"})
