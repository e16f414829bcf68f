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
    from tasks.results.probe import Probed
    from tasks.results.probe import probe as probed

    def said(found: Probed) -> list[tuple[str, str]]:
        counts = "as expected" if found.token_ratio else "not reported, or far from ours"
        if not found.counts_tokens:
            counts = (
                "not credible: the row below drops them (counts_tokens = false). If they are too "
                "low, the server may cut long prompts: raise its window"
            )
        speed = "no speed: the server does not count its tokens"
        if found.tokens_per_s is not None:
            speed = f"{found.tokens_per_s:,.1f} tokens a second"
            if found.first_token_s is not None:
                speed += f", the first after {found.first_token_s:.2f} s"
        return [
            ("window", f"{found.window:,} tokens" if found.window else "not stated by the server"),
            ("JSON schema", "obeyed" if found.follows_schema else "ignored or refused"),
            ("cached tokens", "reported" if found.reports_cached else "not reported"),
            ("token counts", counts),
            ("longest answer", f"takes about {found.answer_s:.0f} s"),
            ("longest reply", speed),
            *([("slow", f"{found.n_left_out} questions and judgements were left out, to end within "
                "minutes. A run waits as long as tokens come")] if found.n_left_out else []),
            *(
                (each.operation, f"{each.readable} of {each.asked} replies readable"
                 + (f"; for example: {each.problem}" if each.problem else ""))
                for each in found.obedience
            ),
        ]  # fmt: skip

    found = probed(find_model(model, models_file), suite)
    if json:
        told = {name: value for name, value in asdict(found).items() if name != "model"}
        print(as_text.dumps({"model": found.model.name, **told, "row": found.row}))
        return
    for name, value in said(found):
        print(f"{name:<24} {value}")
    print(f"\n{found.row}")
    print(
        f"\nPut these lines in a file, then:\n"
        f"  tenkbench run --model {found.model.name} --models-file FILE",
        file=sys.stderr,
    )
    if found.obedience and not any(each.readable for each in found.obedience):
        raise GaveUp(f"{found.model.name}: none of its replies could be read; see above for why")
