"""What every command's options have in common."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from tasks.settings import RunSettings

DEFAULTS = RunSettings()
Settings = Annotated[RunSettings, Parameter(name="*")]
AsJson = Annotated[bool, Parameter(help="Print JSON instead of a table.")]
