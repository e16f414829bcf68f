"""The kind of a masked figure in the prompt's words."""

from __future__ import annotations

from tasks.quantities.figures import Figure

PERCENTAGE = "a percentage"
POINTS = "a number of percentage points"
BASIS_POINTS = "a number of basis points"
NEITHER = "neither a percentage nor a number of basis points"

_UNITS = {PERCENTAGE: "percent", POINTS: "percent", BASIS_POINTS: "bps"}


def form_of_figure(figure: Figure | None) -> str:
    """Name a figure's kind in the prompt's words."""
    if figure is None:
        return NEITHER
    if figure.unit == "percent":
        return POINTS if figure.measure == "percentage point" else PERCENTAGE
    return BASIS_POINTS if figure.unit == "bps" else NEITHER


def unit_of_form(form: str) -> str | None:
    """Return percent, bps, or None for neither.

    Raises:
        ValueError: no prompt names such a form.
    """
    if form not in _UNITS and form != NEITHER:
        raise ValueError(f"no form {form!r}; there are {', '.join((*_UNITS, NEITHER))}")
    return _UNITS.get(form)
