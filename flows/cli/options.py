"""What every command's options have in common."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from tasks.core.settings import RefreshSettings, RunSettings

DEFAULTS = RunSettings()
REFRESH_DEFAULTS = RefreshSettings()
Settings = Annotated[RunSettings, Parameter(name="*")]
Refresh = Annotated[RefreshSettings, Parameter(name="*")]
AsJson = Annotated[bool, Parameter(help="Print JSON instead of a table.")]
