"""Commands run on Prefect's engine if the environment names a server, and else without."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
SHOWS = "from flows.infer import infer; print(type(infer).__name__)"


def shown(code: str, folder: Path) -> str:
    """What a script prints; Prefect's settings are those in its folder."""
    inherited = {name: os.environ[name] for name in os.environ if not name.startswith("PREFECT_")}
    given = {"PREFECT_HOME": str(folder), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", code]
    return subprocess.check_output(command, cwd=folder, env=inherited | given, text=True).strip()


def test_a_program_that_works_with_prefect_gets_flows(tmp_path: Path) -> None:
    assert shown(f"import prefect; {SHOWS}", tmp_path) == "Flow"


def test_flows_that_no_server_shows_do_not_import_prefect(tmp_path: Path) -> None:
    verbs = ["benchmark", "evaluation", "refresh", "report"]
    code = f"import sys; from flows import {', '.join(verbs)}; print('prefect' in sys.modules)"
    assert shown(code, tmp_path) == "False"
