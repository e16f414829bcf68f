"""Prices of tokens: a model's own, or those of LiteLLM's cost map.

The map is read as a file from the installed wheel, since importing litellm takes seconds.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.metadata import distribution
from pathlib import Path
from typing import Annotated, Any

from annotated_types import Ge

from tasks.core.validation import STRICT

_COST_MAP = "model_prices_and_context_window_backup.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """US dollars per million tokens; `cached` and `written` default to `prompt`."""

    __pydantic_config__ = STRICT
    prompt: Annotated[float, Ge(0)]
    output: Annotated[float, Ge(0)]
    cached: Annotated[float, Ge(0)] | None = None  # of tokens read from the server's cache
    written: Annotated[float, Ge(0)] | None = None  # of tokens written to that cache

    def of(self, n_prompt: int, n_cached: int, n_output: int, n_written: int = 0) -> float:
        """Return the US dollars of calls with these tokens.

        Of `n_prompt` tokens, `n_cached` were in the server's cache, and `n_written` were put there.
        """
        cached = self.prompt if self.cached is None else self.cached
        written = self.prompt if self.written is None else self.written
        n_plain = n_prompt - n_cached - n_written
        dollars = (
            n_plain * self.prompt + n_cached * cached + n_written * written + n_output * self.output
        )
        return dollars / 1_000_000

    def most(self, n_prompt: int, n_output: int) -> float:
        """Return the most dollars that a call can cost: every token written."""
        dearest = max(self.prompt, self.written or 0.0)
        return (n_prompt * dearest + n_output * self.output) / 1_000_000


@cache
def listed_price(called: str) -> Price | None:
    """Return a model's price by its LiteLLM name, or None.

    This is the base price, without surcharges for prompts of more than 128k tokens.
    """
    costs = _cost_map()
    row = costs.get(called) or costs.get(called.partition("/")[2]) or {}
    prompt, output = (row.get(f"{kind}_cost_per_token") for kind in ("input", "output"))
    if prompt is None or output is None:
        return None
    cached, written = (row.get(f"cache_{kind}_input_token_cost") for kind in ("read", "creation"))
    per_token = {"prompt": prompt, "output": output, "cached": cached, "written": written}
    return Price(
        **{kind: round(cost * 1_000_000, 9) for kind, cost in per_token.items() if cost is not None}
    )


@cache
def _cost_map() -> dict[str, Any]:
    file = distribution("litellm").locate_file(f"litellm/{_COST_MAP}")
    rows: dict[str, Any] = json.loads(Path(str(file)).read_text(encoding="utf-8"))
    return rows
