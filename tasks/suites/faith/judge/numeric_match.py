"""Compare a restored figure with the masked one (paper 004, "Evaluation").

`official` is the authors' scorer (`numeric_official.py`). `strict` is what a financial reader
expects (`tasks/suites/shared/figure_match.py`). Each kind of difference between them has an example
in `tests/tasks/suites/faith/judge/numeric_deviations.toml`.
"""

from __future__ import annotations

from typing import Literal

from tasks.quantities.units import Units
from tasks.suites.faith.judge.numeric_official import judge_official
from tasks.suites.shared.figure_match import Match, match_figures

Mode = Literal["strict", "official"]


def match(
    prediction: str | float | None, truth: str, mode: Mode = "strict", units: Units | None = None
) -> Match:
    """Compare an answer with the true figure; never raise.

    Args:
        prediction: a text, or a number or null from a JSON reply.
        units: see `match_figures`; `official` always uses its authors' units.
    """
    said = "" if prediction is None else str(prediction)
    if mode == "official":
        return Match(*judge_official(said, truth))
    return match_figures(said, truth, units)
