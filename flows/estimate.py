"""What `tenkbench estimate` and `tenkbench models` show."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from tasks.call_costs import Line, total
from tasks.estimate import Estimate
from tasks.models import Model, costs_unknown, price_of


def show_estimate(found: Estimate, *, as_json: bool) -> None:
    """Calls and tokens, then what they cost; totals last."""
    if as_json:
        content = {
            "lines": [asdict(line) for line in found.lines],
            "total": asdict(total(found.lines)),
            "notes": list(found.notes),
        }
        print(json.dumps(content, indent=1))
        return
    console = Console()
    if not console.is_terminal:
        console = Console(width=200)
    console.print(_calls(found.lines))
    priced = [line for line in found.lines if line.dollars is not None or line.gpu_hours is not None]
    if priced:
        console.print(_costs(priced))
    else:
        console.print("Nothing here is paid per token, and nothing has GPU-hours to model.\n")
    if any(line.basis == "predicted" for line in found.lines):
        console.print(
            "predicted: from the figures in tasks/planning.py, since what is asked depends on answers that "
            "nobody has given yet; counted: from what is there already.",
            style="dim",
        )
    console.print(
        "with sharing: each prompt head that several calls share is read once. answers, at most: all as long as "
        "they may be. Calls that warm heads up and repairs of unreadable replies are not in it.",
        style="dim",
    )
    if any(line.gpu_hours is not None for line in priced):
        console.print("GPU-hours are modelled for H100 SXM (tasks/gpu_time.py), not measured.", style="dim")
    for note in found.notes:
        console.print(f"- {note}", markup=False)


def _table(title: str, columns: Sequence[str], n_texts: int) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE, show_footer=False)
    for place, column in enumerate(columns):
        is_text = place < n_texts
        table.add_column(column, justify="left" if is_text else "right", overflow="fold", no_wrap=not is_text)
    return table


def _calls(lines: Sequence[Line]) -> Table:
    columns = (
        *("operation", "model", "", "calls", "answered"),
        *("prompt tokens", "with sharing", "answers", "at most"),
    )
    table = _table("What is asked, in each model's tokens", columns, n_texts=3)
    for line in lines:
        _add(table, line, line.basis)
    table.add_section()
    _add(table, total(lines), "")
    return table


def _add(table: Table, line: Line, basis: str) -> None:
    counts = (line.requests, line.answered, line.prompt, line.shared, line.output, line.most_output)
    table.add_row(line.operation, line.model, basis, *(f"{count:,}" for count in counts))


def _costs(lines: Sequence[Line]) -> Table:
    table = _table(
        "What that costs", ("model", "operation", "", "dollars", "at most", "GPU-hours"), n_texts=3
    )
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


def _amounts(line: Line) -> list[str]:
    amounts = (line.dollars, line.most_dollars, line.gpu_hours)
    return ["-" if amount is None else f"{amount:,.2f}" for amount in amounts]


def model_rows(models: Sequence[Model], *, in_full: bool) -> tuple[list[str], list[tuple[Any, ...]]]:
    """The catalogue as a table; `in_full` with a price's parts and the layout's in columns of their own."""
    if in_full:
        return _full_rows(models)
    columns = ["model", "engine", "window", "8 x 80 GB", "$ per M tokens", "key", "description"]
    rows = [
        (
            model.name,
            model.engine,
            model.window,
            _layout(model),
            _price(model),
            _key(model),
            model.description,
        )
        for model in models
    ]
    return columns, rows


def _layout(model: Model) -> str | None:
    if model.layout is None:
        return None
    return f"{model.layout.replicas} x TP{model.layout.tensor_parallel}"


def _price(model: Model) -> str:
    price = price_of(model)
    if price is None:
        return "unknown" if costs_unknown(model) else "none"
    cached = "" if price.cached is None else f" (cached {price.cached:g})"
    return f"{price.prompt:g}{cached} in, {price.output:g} out"


def _key(model: Model) -> str | None:
    """The variable's name and whether it is set; never what it holds."""
    if model.key_env is None:
        return None
    return f"{model.key_env} {'set' if os.environ.get(model.key_env) else 'NOT SET'}"


def _full_rows(models: Sequence[Model]) -> tuple[list[str], list[tuple[Any, ...]]]:
    columns = [
        *("model", "engine", "repository", "revision", "window", "parameters_b", "weights_gb", "kv_bytes"),
        *(
            "tensor_parallel",
            "replicas",
            "rope",
            "token_ratio",
            "price_prompt",
            "price_cached",
            "price_output",
        ),
        *("key_env", "is_key_set", "description"),
    ]
    rows = []
    for model in models:
        price, layout = price_of(model), model.layout
        rows.append(
            (
                *(model.name, model.engine, model.repository, model.revision, model.window),
                *(model.parameters_b, model.weights_gb, model.kv_bytes),
                *((None, None) if layout is None else (layout.tensor_parallel, layout.replicas)),
                *(dict(model.rope) or None, model.token_ratio),
                *((None, None, None) if price is None else (price.prompt, price.cached, price.output)),
                *(model.key_env, None if model.key_env is None else bool(os.environ.get(model.key_env))),
                model.description,
            )
        )
    return columns, rows
