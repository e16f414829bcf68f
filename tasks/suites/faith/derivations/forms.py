"""What a prompt says of the kind of figure that is masked, and all that a reader is told of it."""

from __future__ import annotations

from tasks.quantities.figures import Figure

PERCENTAGE = "a percentage"
POINTS = "a number of percentage points"
BASIS_POINTS = "a number of basis points"
NEITHER = "neither a percentage nor a number of basis points"

_UNITS = {PERCENTAGE: "percent", POINTS: "percent", BASIS_POINTS: "bps"}


def form_of_figure(figure: Figure | None) -> str:
    """The kind of a figure in the prompt's words."""
    if figure is None:
        return NEITHER
    if figure.unit == "percent":
        return POINTS if figure.measure == "percentage point" else PERCENTAGE
    return BASIS_POINTS if figure.unit == "bps" else NEITHER


def unit_of_form(form: str) -> str | None:
    """percent or bps; None where it is neither.

    Raises:
        ValueError: the form is none that a prompt says.
    """
    if form not in _UNITS and form != NEITHER:
        raise ValueError(f"no form {form!r}; there are {', '.join((*_UNITS, NEITHER))}")
    return _UNITS.get(form)
