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
    """US dollars per million tokens.

    cached   a prompt token that the server had in its cache
    written  a prompt token that it puts there, where that is charged for; each costs what others do when not given
    """

    prompt: float
    output: float
    cached: float | None = None
    written: float | None = None

    def of(self, n_prompt: int, n_cached: int, n_output: int, n_written: int = 0) -> float:
        """US dollars of calls with so many tokens.

        Of the prompt's, `n_cached` were in the server's cache and `n_written` have been put there.
        """
        cached = self.prompt if self.cached is None else self.cached
        written = self.prompt if self.written is None else self.written
        n_plain = n_prompt - n_cached - n_written
        dollars = n_plain * self.prompt + n_cached * cached + n_written * written + n_output * self.output
        return dollars / 1_000_000

    def less(self, discount: float) -> Price:
        """The price with a share of it taken off.

        Args:
            discount: 0 to 1.
        """
        rest = 1.0 - discount
        return Price(
            prompt=self.prompt * rest,
            output=self.output * rest,
            cached=None if self.cached is None else self.cached * rest,
            written=None if self.written is None else self.written * rest,
        )

    def most(self, n_prompt: int, n_output: int) -> float:
        """The most US dollars that a call can cost: nothing was in the cache, all may have been put there."""
        dearest = max(self.prompt, self.written or 0.0)
        return (n_prompt * dearest + n_output * self.output) / 1_000_000


@cache
def listed_price(called: str, *, in_batch: bool = False) -> Price | None:
    """The price of a model in LiteLLM's cost map, by the name that LiteLLM knows it by; None where it has none.

    The base price: surcharges for prompts of more than 128k tokens are not in it.

    Args:
        in_batch: that of the provider's batch API, where a cached token costs what others do unless the map says otherwise.
    """
    costs = _cost_map()
    row = costs.get(called) or costs.get(called.partition("/")[2]) or {}
    way = "_batches" if in_batch else ""
    prompt, output = (row.get(f"{kind}_cost_per_token{way}") for kind in ("input", "output"))
    if prompt is None or output is None:
        return None
    cached, written = (row.get(f"cache_{kind}_input_token_cost{way}") for kind in ("read", "creation"))
    return Price(
        prompt=_per_million(prompt),
        output=_per_million(output),
        cached=None if cached is None else _per_million(cached),
        written=None if written is None else _per_million(written),
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
