"""Commands run on Prefect's engine if a setting of Prefect's names a server, and else without."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
URL = "http://127.0.0.1:9/api"
SHOWS = "from flows.infer import infer; print(type(infer).__name__)"
# Whether a server is named, and whether still if the environment says that there is none.
NAMES = """
import os
from tasks.core.prefect_engine import names_a_server
print(names_a_server())
os.environ["PREFECT_API_URL"] = ""
print(names_a_server())
"""


def shown(code: str, folder: Path, **environment: str) -> str:
    """What a script prints; Prefect's settings are those given, and those in its folder."""
    inherited = {
        name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")
    }
    given = {"PREFECT_HOME": str(folder), "PYTHONPATH": str(ROOT), **environment}
    command = [sys.executable, "-c", code]
    return subprocess.check_output(command, cwd=folder, env=inherited | given, text=True).strip()


def test_a_server_in_prefects_profiles_is_found(tmp_path: Path) -> None:
    profile = f'active = "ours"\n[profiles.ours]\nPREFECT_API_URL = "{URL}"\n'
    (tmp_path / "profiles.toml").write_text(profile)
    assert shown(NAMES, tmp_path).split() == ["True", "False"]


def test_a_program_that_works_with_prefect_gets_flows(tmp_path: Path) -> None:
    assert shown(f"import prefect; {SHOWS}", tmp_path) == "Flow"


def test_flows_that_no_server_shows_do_not_import_prefect(tmp_path: Path) -> None:
    (tmp_path / "profiles.toml").write_text('active = "local"\n[profiles.local]\n')
    verbs = ["benchmark", "evaluation", "refresh", "report"]
    code = f"import sys; from flows import {', '.join(verbs)}; print('prefect' in sys.modules)"
    assert shown(code, tmp_path) == "False"
