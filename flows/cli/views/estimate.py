"""Output of `tenkbench estimate` and `tenkbench models`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from flows.cli.views.console import print_json, print_prose, print_table
from tasks.models.catalogue import Model, costs_unknown, price_of
from tasks.results.estimate.call_costs import COUNTED, EstimateLine, total
from tasks.results.estimate.estimate import Estimate

# What the figures mean.
_CALLS = (
    "Calls that are answered already cost nothing, and their tokens are not counted.",
    "Not included: warm-up calls, failed attempts and repairs of unreadable replies.",
)
_PREDICTED = (
    "Predictions run the run's own steps with replies made up in place of models, kept as often as "
    "an able model's were. A weaker one gives less; other filings can give more."
)
_COSTS = (
    "dollars: an answer has a fifteenth of the allowed length. A model that thinks uses all of it; "
    "repeated prompts have the cached price.",
    "at most: every answer has the maximum length, and nothing is cached. Servers without a price "
    "are not included.",
    "Tokens are cl100k's times the row's token_ratio; a server that counts more is paid for more.",
)


def show_estimate(estimate: Estimate, *, as_json: bool) -> None:
    """Show calls and tokens, then their cost, with totals last."""
    lines, whole = estimate.lines, total(estimate.lines)
    if as_json:
        print_json({**asdict(estimate), "total": asdict(whole)})
        return
    _print_calls(lines)
    priced = [line for line in lines if line.dollars is not None]
    if priced:
        _print_costs(priced)
    else:
        print_prose("No call is paid per token.")
    bases = dict.fromkeys(line.basis for line in lines if line.basis != COUNTED)
    marks = [*(f"~: {basis}." for basis in bases), *((_PREDICTED,) if bases else ())]
    print_prose(*marks, *_CALLS, *(_COSTS if priced else ()))
    print_prose(*(f"- {note}" for note in estimate.notes))


def _print_calls(lines: Sequence[EstimateLine]) -> None:
    """List operations by the model that is asked."""
    columns = ("model", "operation", "calls", "answered", "prompt", "answer")
    rows = [
        (
            line.model,
            f"{line.operation}{'' if line.basis == COUNTED else ' ~'}",
            line.requests,
            *((None,) * 3 if line.is_rule else (line.answered, line.prompt, line.output)),
        )
        for line in lines
    ]
    whole = total(lines)
    rows.append(("total", "", whole.requests, whole.answered, whole.prompt, whole.output))
    if whole.shared < whole.prompt:
        rows.append(("", "prefixes read once", None, None, whole.shared, None))
    print_table(columns, rows, "Calls, and the tokens of those not answered yet")


def _print_costs(lines: Sequence[EstimateLine]) -> None:
    rows = [
        (model, *_amounts(total(line for line in lines if line.model == model)))
        for model in dict.fromkeys(line.model for line in lines)
    ]
    rows.append(("total", *_amounts(total(lines))))
    print_table(("model", "dollars", "at most"), rows, "Cost")


def _amounts(line: EstimateLine) -> list[str]:
    return [_amount(amount) for amount in (line.dollars, line.most_dollars)]


def _amount(amount: float | None) -> str:
    if amount is None:
        return "-"
    return "<0.01" if 0 < amount < 0.005 else f"{amount:,.2f}"


def show_models(models: Sequence[Model], *, as_json: bool) -> None:
    """Show the catalogue; JSON has every field of a row."""
    if as_json:
        print_json([_in_full(model) for model in models])
        return
    rows = [
        (model.name, model.engine, model.window, _price(model), _key(model)) for model in models
    ]
    print_table(("model", "engine", "window", "$ per M tokens", "key"), rows)


def _price(model: Model) -> str:
    price = price_of(model)
    if price is None:
        return "unknown" if costs_unknown(model) else "none"
    cached = "" if price.cached is None else f" (cached {price.cached:g})"
    return f"{price.prompt:g}{cached} in, {price.output:g} out"


def _key(model: Model) -> str:
    """Show the variable's name and whether it is set, never its value."""
    if model.key_env is None:
        return "-"
    return f"{model.key_env} {'set' if os.environ.get(model.key_env) else 'NOT SET'}"


def _in_full(model: Model) -> dict[str, Any]:
    price, key = price_of(model), model.key_env
    return {
        **asdict(model),
        "price": price and asdict(price),
        "is_key_set": None if key is None else bool(os.environ.get(key)),
    }
