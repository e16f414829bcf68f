"""What tokens cost: a model's own price, or what LiteLLM's cost map says.

The map is read from the installed wheel as a file: importing litellm takes seconds.
"""

from __future__ import annotations

import importlib.util
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

_COST_MAP = "model_prices_and_context_window_backup.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """US dollars per million tokens; `cached` is what a prompt token costs that the server had in cache."""

    prompt: float
    output: float
    cached: float | None = None

    def of(self, n_prompt: int, n_cached: int, n_output: int) -> float:
        """US dollars of calls with so many tokens; `n_cached` of the prompt's were in the server's cache."""
        cached = self.prompt if self.cached is None else self.cached
        dollars = (n_prompt - n_cached) * self.prompt + n_cached * cached + n_output * self.output
        return dollars / 1_000_000


@cache
def listed_price(called: str) -> Price | None:
    """The price of a model in LiteLLM's cost map, by the name that LiteLLM knows it by; None where it has none.

    The base price: surcharges for prompts of more than 128k tokens are not in it.
    """
    costs = _cost_map()
    row = costs.get(called) or costs.get(called.partition("/")[2])
    if row is None or "input_cost_per_token" not in row or "output_cost_per_token" not in row:
        return None
    cached = row.get("cache_read_input_token_cost")
    return Price(
        prompt=_per_million(row["input_cost_per_token"]),
        output=_per_million(row["output_cost_per_token"]),
        cached=None if cached is None else _per_million(cached),
    )


def _per_million(per_token: float) -> float:
    return round(per_token * 1_000_000, 9)


@cache
def _cost_map() -> dict[str, Any]:
    spec = importlib.util.find_spec("litellm")
    if spec is None or not spec.submodule_search_locations:
        return {}
    rows: dict[str, Any] = json.loads(
        (Path(spec.submodule_search_locations[0]) / _COST_MAP).read_text(encoding="utf-8")
    )
    return rows
