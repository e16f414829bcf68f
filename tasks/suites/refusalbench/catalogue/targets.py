"""What a perturbation of a class may change, by setting: data, its check, and its text for prompts.

In the single setting the context is signal passage 0, and there is no noise.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from tasks.suites.refusalbench.strata import PerturbationClass, Setting


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What must, may and must not change; at least one of the parts that may change has to."""

    query: Literal["must", "may", "keep"] = "keep"
    signal: Literal["all", "may", "keep"] = "keep"
    noise: Literal["one", "keep"] = "keep"


_EITHER = Target(query="may", signal="may")
_QUERY = Target(query="must")
_SIGNAL = Target(signal="all")
_SIGNAL_AND_QUERY = Target(query="may", signal="all")

TARGETS: dict[Setting, dict[PerturbationClass, Target]] = {
    "single": {
        "ambiguity": _EITHER,
        "contradiction": _SIGNAL,
        "missing_info": _SIGNAL,
        "false_premise": _QUERY,
        "granularity_mismatch": _EITHER,
        "epistemic_mismatch": _EITHER,
    },
    "multi": {
        "ambiguity": _EITHER,
        "contradiction": Target(noise="one"),
        "missing_info": _SIGNAL,
        "false_premise": _QUERY,
        "granularity_mismatch": _SIGNAL_AND_QUERY,
        "epistemic_mismatch": _SIGNAL_AND_QUERY,
    },
}


def target_of(setting: Setting, perturbation_class: PerturbationClass) -> Target:
    """Return what a perturbation of a class may change."""
    return TARGETS[setting][perturbation_class]


def violations(
    setting: Setting,
    perturbation_class: PerturbationClass,
    *,
    query_changed: bool,
    changed_signal: Collection[int],
    n_signal: int,
    changed_noise: Collection[int],
) -> tuple[str, ...]:
    """Return a sentence for each way in which a perturbation misses its target.

    Args:
        changed_signal: indices of signal passages, from 0. Sentences name passage 0 S1, as prompts.
        changed_noise: indices of noise passages, from 0.
    """
    target = target_of(setting, perturbation_class)
    found = []
    if target.query == "must" and not query_changed:
        found.append("The query did not change, but it must.")
    if target.query == "keep" and query_changed:
        found.append("The query changed, but it must not.")
    unchanged = set(range(n_signal)).difference(changed_signal)
    if target.signal == "all" and unchanged:
        found.append(f"{_named(setting, 'S', unchanged)} did not change, but must.")
    if target.signal == "keep" and changed_signal:
        found.append(f"{_named(setting, 'S', changed_signal)} changed, but must not.")
    noise = _named(setting, "N", changed_noise)
    if target.noise == "one" and len(set(changed_noise)) != 1:
        found.append(f"One noise passage must change, and only one: {noise} changed.")
    if target.noise == "keep" and changed_noise:
        found.append(f"{noise} changed, but must not.")
    if target.query == target.signal == "may" and not query_changed and not changed_signal:
        part = "context" if setting == "single" else "signal passages"
        found.append(f"Nothing changed: the query, the {part} or both must.")
    return tuple(found)


def describe(setting: Setting, perturbation_class: PerturbationClass) -> str:
    """Return the target of a class as instructions for a prompt."""
    target = target_of(setting, perturbation_class)
    is_single = setting == "single"
    if target.query == target.signal == "may":
        part = "the context" if is_single else "one or more signal passages"
        lines = [f"Change the query, or {part}, or both."]
    else:
        query = {
            "must": "Change the query.",
            "may": "You may change the query, too.",
            "keep": "Keep the query word for word.",
        }[target.query]
        signal = {
            "all": "Change the context." if is_single else "Change every signal passage.",
            "keep": f"Keep {'the context' if is_single else 'every signal passage'} word for word.",
        }[target.signal]
        lines = [query, signal] if target.query == "must" else [signal, query]
    if not is_single:
        lines.append(
            "Change exactly one noise passage, so that it clashes with the signal passages."
            if target.noise == "one"
            else "Keep every noise passage word for word."
        )
    return " ".join(lines)


def _named(setting: Setting, letter: str, indices: Collection[int]) -> str:
    """Name passages as prompts do: S1 is signal passage 0."""
    if setting == "single" and letter == "S":
        return "The context"
    return ", ".join(f"{letter}{index + 1}" for index in sorted(set(indices))) or "none"
