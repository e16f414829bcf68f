"""What calls cost in a model's own tokens, at its own prices."""

from __future__ import annotations

import pytest

from tasks.models.catalogue import Model
from tasks.models.prices import Price
from tasks.results.estimate.call_costs import Calls, total

CALLS = Calls(requests=10, answered=4, prompt=2_000, unique=800, output=60, most_output=600)


def model(price: Price | None) -> Model:
    return Model(name="m", engine="openai", description="", token_ratio=1.5, price=price)


def test_prompts_are_counted_in_the_models_own_tokens() -> None:
    line = CALLS.line("infer", "answer", model(None), "counted")
    assert (line.requests, line.answered, line.prompt, line.shared) == (10, 4, 3_000, 1_200)
    assert (line.dollars, line.most_dollars) == (None, None)


def test_a_repeated_prefix_has_the_cached_price_at_best() -> None:
    price = Price(prompt=10.0, output=100.0, cached=1.0)
    line = CALLS.line("infer", "answer", model(price), "counted")
    new, repeated, warmed, most_output = 1_200, 1_800, 1_200, line.most_output
    best = 10 * new + 1 * (repeated + warmed) + 100 * line.output
    assert line.dollars == pytest.approx(best / 1e6)
    assert line.most_dollars == pytest.approx((10 * (3_000 + warmed) + 100 * most_output) / 1e6)


def test_a_total_adds_tokens_and_known_dollars_of_all_lines() -> None:
    price = Price(prompt=10.0, output=100.0)
    lines = [CALLS.line("infer", "answer", model(dollars), "counted") for dollars in (price, None)]
    whole = total(lines)
    assert (whole.requests, whole.prompt) == (20, 6_000)
    assert whole.dollars == lines[0].dollars


def test_a_model_that_thinks_is_taken_to_answer_as_long_as_it_may() -> None:
    thinking = Model(name="m", engine="openai", description="", thinks=True)
    line = CALLS.line("infer", "answer", thinking, "counted")
    assert line.output == line.most_output == 600
