"""What an endpoint can do, and its row in a models file."""

from __future__ import annotations

import json as as_text
import sys
from dataclasses import asdict

from flows.cli.options import DEFAULTS, AsJson


def probe(
    model: str,
    /,
    *,
    suite: str = DEFAULTS.suite,
    models_file: str | None = None,
    json: AsJson = False,
) -> None:
    """Try an endpoint with about thirty calls, and print its row for a models file.

    Args:
        model: NAME@http://host:port/v1, or a model of the catalogue.
        suite: Suite whose questions, parsers and judge it is tried with.
        models_file: TOML file with models of your own.
    """
    from tasks.inference.engines.failures import GaveUp
    from tasks.models.catalogue import find_model
    from tasks.results.probe import probe as probed

    shown = probed(find_model(model, models_file), suite)
    if json:
        print(as_text.dumps({**asdict(shown), "model": shown.model.name, "row": shown.row}))
        return
    facts = {
        "window": f"{shown.window:,} tokens" if shown.window else "not stated by the server",
        "JSON schema": "obeyed" if shown.follows_schema else "ignored or refused",
        "cached tokens": "reported" if shown.reports_cached else "not reported",
        "token counts": "as expected" if shown.token_ratio else "not reported, or far from ours",
        "longest answer": f"takes about {shown.answer_s:.0f} s",
    }
    if shown.n_left_out:
        facts["slow"] = (
            f"{shown.n_left_out} questions and judgements were left out, to end within minutes. "
            "A run waits as long as tokens come"
        )
    for row in shown.obedience:
        problem = f"; for example: {row.problem}" if row.problem else ""
        facts[row.operation] = f"{row.readable} of {row.asked} replies readable{problem}"
    for name, fact in facts.items():
        print(f"{name:<24} {fact}")
    print(f"\n{shown.row}")
    print(
        f"\nPut these lines in a file, then:\n"
        f"  tenkbench run --model {shown.model.name} --models-file FILE",
        file=sys.stderr,
    )
    if shown.obedience and not any(row.readable for row in shown.obedience):
        raise GaveUp(f"{shown.model.name}: none of its replies could be read; see above for why")
