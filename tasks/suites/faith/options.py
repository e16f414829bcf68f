"""FAITH's own options."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, field_validator

from tasks.quantities.units import Units, load_units
from tasks.suites.suite import Options


class FaithOptions(Options):
    """Options that only FAITH reads."""

    pairs: int | None = Field(
        None, ge=1, description="Maximum hidden figures per filing. [default: all]"
    )
    table_format: Literal["csv", "markdown"] = Field(
        "csv", description="How models under test are shown the tables."
    )
    unit_groups: Path | None = Field(
        None,
        description="TOML file of your own units, in addition to tasks/quantities/units.toml.",
    )

    def units(self) -> Units | None:
        """Load the units of `unit_groups`; None for the packaged ones."""
        return None if self.unit_groups is None else load_units(self.unit_groups)

    @field_validator("unit_groups")
    @classmethod
    def _has_units(cls, file: Path | None) -> Path | None:
        if file is not None:
            load_units(file)
        return file
