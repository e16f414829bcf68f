"""What a perturbation of a class may change, by setting: data, and its text for prompts.

In the single setting the context is signal passage 0, and there is no noise.
"""

from __future__ import annotations

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
