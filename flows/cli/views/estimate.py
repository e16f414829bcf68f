"""Output of `tenkbench estimate` and `tenkbench models`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict
from itertools import groupby
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from flows.cli.views.console import print_json
from tasks.models.catalogue import Model, costs_unknown, price_of
from tasks.results.estimate.budget import BudgetCheck, Reached
from tasks.results.estimate.call_costs import COUNTED, Line, total
from tasks.results.estimate.estimate import Estimate

# Columns of a terminal from which on tables show everything.
_WIDE = 120


def show_estimate(found: Estimate, *, as_json: bool) -> None:
    """Show calls and tokens, then their cost, with totals last."""
    if as_json:
        content = {
            "lines": [asdict(line) for line in found.lines],
            "total": asdict(total(found.lines)),
            "budget": None if found.budget is None else asdict(found.budget),
            "notes": list(found.notes),
        }
        print_json(content)
        return
    console = _console()
    console.print(_calls(found.lines, is_narrow=console.width < _WIDE))
    priced = [
        line for line in found.lines if line.dollars is not None or line.gpu_hours is not None
    ]
    if priced:
        console.print(_costs(priced))
    else:
        console.print("No call is paid per token or has GPU-hours to model.\n")
    if found.budget is not None:
        console.print(_stages(found.budget))
        console.print(f"{_verdict(found.budget)}\n", highlight=False)
    if any(line.basis != COUNTED for line in found.lines):
        console.print(
            "predicted (~): by the run's own steps on part of the filings, with rules instead of "
            "models. counted: in the lake, or by steps that need no model's reply.",
            style="dim",
            highlight=False,
        )
    console.print(
        "answered already: in the lake or its response cache; they cost nothing, and their tokens "
        "are not counted. prefixes once: prompt tokens if a server reads each shared prefix, such "
        "as the same instructions and filing, only once. answer tokens: typical answers. at most: "
        "answers of the maximum length. Not included: calls that warm up prefixes, failed "
        "attempts, and repairs of unreadable replies. Rules read no tokens.",
        style="dim",
        highlight=False,
    )
    if any(line.gpu_hours is not None for line in priced):
        console.print(
            "GPU-hours are a model of H100 SXM (tasks/results/estimate/gpu_time.py), not measured.",
            style="dim",
            highlight=False,
        )
    if priced and (left_out := _in_no_total(found.lines)):
        console.print(
            f"- not in the totals, because their servers' cost is unknown: {', '.join(left_out)}",
            highlight=False,
        )
    for note in found.notes:
        console.print(f"- {note}", markup=False, highlight=False)


def _in_no_total(lines: Sequence[Line]) -> list[str]:
    """List models with new calls but neither dollars nor GPU-hours."""
    asked = [line for line in lines if not line.is_rule and line.requests > line.answered]
    return sorted({line.model for line in asked if line.dollars is None and line.gpu_hours is None})


def _console() -> Console:
    console = Console()
    return console if console.is_terminal else Console(width=200)


def _table(title: str, columns: Sequence[str], n_texts: int) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE)
    for place, column in enumerate(columns):
        is_text = place < n_texts
        table.add_column(
            column, justify="left" if is_text else "right", overflow="fold", no_wrap=not is_text
        )
    return table


def _calls(lines: Sequence[Line], *, is_narrow: bool) -> Table:
    """List operations under each building or judging model; group all answers.

    A narrow table has fewer columns, and marks predicted calls with ~.
    """
    counts = ("calls", "answered already", "prompt tokens", "prefixes once", "answer tokens")
    columns = (
        ("", "calls", "answered", "prompt", "answer", "at most")
        if is_narrow
        else ("", "", *counts, "at most")
    )
    table = _table(
        "Calls, and the tokens of those not answered yet",
        columns,
        n_texts=1 if is_narrow else 2,
    )
    for (stage, heading), group in groupby(
        lines, key=lambda line: (line.stage, "answers" if line.stage == "infer" else line.model)
    ):
        table.add_row(heading, style="bold")
        of_group = list(group)
        is_one = len({line.operation for line in of_group}) == 1
        for line in of_group:
            answers = line.model if is_one else f"{line.model}: {line.operation}"
            name = f"  {answers if stage == 'infer' else line.operation}"
            table.add_row(*_cells(name, line, line.basis, is_narrow))
    table.add_section()
    table.add_row(*_cells("total of models", total(lines), "", is_narrow))
    if by_rule := sum(line.requests for line in lines if line.is_rule):
        blank = ["-"] * (len(columns) - (2 if is_narrow else 3))
        table.add_row("by rules, free", *([] if is_narrow else [""]), f"{by_rule:,}", *blank)
    return table


def _cells(name: str, line: Line, basis: str, is_narrow: bool) -> list[str]:
    tokens = [line.prompt, line.shared, line.output, line.most_output]
    shown = ["-"] * len(tokens) if line.is_rule else [f"{n:,}" for n in tokens]
    calls, answered = f"{line.requests:,}", f"{line.answered:,}"
    if not is_narrow:
        return [name, basis, calls, answered, *shown]
    mark = "~" if basis not in ("", COUNTED) else ""
    return [name, f"{mark}{calls}", answered, shown[0], *shown[2:]]


def _costs(lines: Sequence[Line]) -> Table:
    table = _table("Cost", ("model", "operation", "", "dollars", "at most", "GPU-hours"), n_texts=3)
    by_model: dict[str, list[Line]] = {}
    for line in lines:
        by_model.setdefault(line.model, []).append(line)
    for model, of_model in by_model.items():
        for line in of_model:
            table.add_row(model, line.operation, line.basis, *_amounts(line))
        if len(of_model) > 1:
            table.add_row(model, "all", "", *_amounts(total(of_model)), style="bold")
    table.add_section()
    table.add_row("total", "", "", *_amounts(total(lines)), style="bold")
    return table


def _stages(check: BudgetCheck) -> Table:
    table = _table(
        f"Budget of ${check.budget:,.2f}",
        ("stage", "dollars", "cumulative", "at most", "within budget"),
        n_texts=1,
    )
    for stage in check.stages:
        amounts = (stage.dollars, stage.so_far, stage.most_so_far)
        holds = (
            "yes"
            if stage.most_so_far <= check.budget
            else "if answers are typical"
            if stage.so_far <= check.budget
            else "NO"
        )
        table.add_row(stage.stage, *map(_amount, amounts), holds)
    return table


def _verdict(check: BudgetCheck) -> str:
    """Say whether the budget covers the run, or where it ends."""
    if check.reached is not None:
        return (
            f"The budget of ${check.budget:,.2f} does not cover this run. It runs out "
            f"{_place(check.reached)}. The run stops there and keeps all answers; the same command "
            "then continues with a new budget."
        )
    if check.reached_most is not None:
        return (
            f"The budget of ${check.budget:,.2f} covers this run if answers are typical. With "
            f"answers of the maximum length, it runs out {_place(check.reached_most)}."
        )
    return f"The budget of ${check.budget:,.2f} covers this run, however long its answers are."


def _place(reached: Reached) -> str:
    return (
        f"in {reached.stage}, at about call {reached.call:,} of {reached.calls:,} of "
        f"{reached.operation} by {reached.model}"
    )


def _amounts(line: Line) -> list[str]:
    return [_amount(amount) for amount in (line.dollars, line.most_dollars, line.gpu_hours)]


def _amount(amount: float | None) -> str:
    if amount is None:
        return "-"
    return "<0.01" if 0 < amount < 0.005 else f"{amount:,.2f}"


def show_models(models: Sequence[Model], *, as_json: bool) -> None:
    """Show the catalogue; JSON splits prices and layouts into keys."""
    if as_json:
        print_json([_in_full(model) for model in models])
        return
    console = _console()
    is_narrow = console.width < _WIDE
    columns = ("model", "engine", "description", "window", "8 x 80 GB", "$ per M tokens", "key")
    table = _table("", columns if not is_narrow else columns[:2] + columns[-1:], n_texts=7)
    for model in models:
        window = "-" if model.window is None else f"{model.window:,}"
        middle = (model.description, window, _layout(model), _price(model))
        table.add_row(model.name, model.engine, *(() if is_narrow else middle), _key(model))
    console.print(table)
    if is_narrow:
        console.print("Wider terminals and --json also show windows, layouts and prices.")


def _layout(model: Model) -> str:
    if model.layout is None:
        return "-"
    return f"{model.layout.replicas} x TP{model.layout.tensor_parallel}"


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
    price, layout = price_of(model), model.layout
    return {
        "model": model.name,
        "engine": model.engine,
        "description": model.description,
        "repository": model.repository,
        "revision": model.revision,
        "window": model.window,
        "parameters_b": model.parameters_b,
        "weights_gb": model.weights_gb,
        "kv_bytes": model.kv_bytes,
        "tensor_parallel": None if layout is None else layout.tensor_parallel,
        "replicas": None if layout is None else layout.replicas,
        "rope": dict(model.rope) or None,
        "token_ratio": model.token_ratio,
        "price_prompt": None if price is None else price.prompt,
        "price_cached": None if price is None else price.cached,
        "price_output": None if price is None else price.output,
        "key_env": model.key_env,
        "is_key_set": None if model.key_env is None else bool(os.environ.get(model.key_env)),
    }
