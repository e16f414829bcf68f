"""Check by arithmetic that a model's window holds the longest prompt.

Prompts are counted in cl100k tokens; a model's own tokens are estimated with its `token_ratio`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, floor, inf

from tasks.core.errors import WrongUsage
from tasks.models.catalogue import Model

# What a chat template adds to a prompt, at most: 15 tokens of Llama 3's, 40 of Llama 3.1's.
CHAT_TOKENS = 64
# The shortest limit of an answer. A longer answer is limited to what its prompt leaves of the
# window; a prompt that leaves less than this is not sent.
LEAST_ANSWER = 512
# Share of a prompt that its model's own tokenizer may count beyond our estimate.
UNCOUNTED = 0.1


class DoesNotFit(WrongUsage):
    """A window is too small for the longest prompt."""


@dataclass(frozen=True, slots=True)
class Need:
    """A model and a prompt that it gets, in cl100k tokens."""

    model: Model
    prompt: int
    answer: int  # most tokens of its answer
    prompt_name: str = "the longest prompt"
    remedy: Callable[[int], str] = lambda most: ""  # tokens -> options for a prompt of no more


def least_answer(most: int) -> int:
    """Return the shortest limit of an answer that may have `most` tokens."""
    return min(most, LEAST_ANSWER)


def own_tokens(model: Model, n_tokens: float) -> int:
    """Return about how many tokens of its own a model counts in so many cl100k tokens."""
    return ceil(round(n_tokens * model.token_ratio, 6))


def prompt_room(model: Model, n_output: int, uncounted: float = 0.0) -> float:
    """Return the most cl100k tokens of a prompt that leaves room for `n_output` and the template.

    Infinity without a window; `uncounted` is a share of the prompt, if our estimate is too low.
    """
    if model.window is None:
        return inf
    left = model.window - n_output - CHAT_TOKENS
    return floor(round(left / model.token_ratio / (1 + uncounted), 6))


def answer_limit(model: Model, n_prompt: int, most: int) -> int:
    """Return an answer's limit: `most` or what the window leaves, at least `least_answer`."""
    if model.window is None:
        return most
    prompt = own_tokens(model, n_prompt * (1 + UNCOUNTED))
    left = model.window - prompt - model.thinking_tokens - CHAT_TOKENS
    return max(min(most, left), least_answer(most))


def check_window(need: Need) -> None:
    """Raise `DoesNotFit` for a prompt that leaves no room for an answer in the model's window."""
    model, least = need.model, least_answer(need.answer) + need.model.thinking_tokens
    prompt = own_tokens(model, need.prompt)
    if model.window is None or prompt + least + CHAT_TOKENS <= model.window:
        return
    longest = prompt_room(model, least)
    remedy = need.remedy(int(longest)) if longest > 0 else ""
    raise DoesNotFit(
        f"{model.name} has a window of {model.window:,} tokens, but {need.prompt_name} takes about "
        f"{prompt:,}, thoughts and the shortest answer {least:,}, and the chat template "
        f"{CHAT_TOKENS}. What would fit: {remedy or 'a larger window'}"
    )
