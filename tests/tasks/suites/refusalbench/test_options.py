"""What of RefusalBench's options is refused before a run starts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tasks.pipeline.resolved import resolve
from tasks.pipeline.settings import RunSettings, WrongSettings


def settings(levers: Path) -> RunSettings:
    return RunSettings(suite="refusalbench", options={"levers": str(levers)})


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("[ambiguity", "levers.toml is not TOML"),
        ("[vagueness.low]", "levers.toml: .*vagueness"),
        ("[[ambiguity.high.levers]]\nname = 'New'", "levers.toml: lever 1 of .*definition"),
    ],
)
def test_a_file_of_levers_that_cannot_be_used_is_refused_at_the_door(
    content: str, says: str, tmp_path: Path
) -> None:
    file = tmp_path / "levers.toml"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(WrongSettings, match=f"(?s)--levers.*{says}"):
        resolve(settings(file))
