"""How two releases were made: the differences, their steps, and the models named."""

from __future__ import annotations

from typing import Any

from tasks.lake.lake import Commit, LakeStep, MadeBy
from tasks.results.compare.identities import MadeDifferently, made_differently


def commit(step: str, **identity: Any) -> Commit:
    code = identity.pop("code", {})
    whole = {
        "parameters": {},
        "inputs": {},
        "prompts": {},
        "version": 1,
        "packages": {},
        **identity,
    }
    return Commit(LakeStep("r", step), whole, (), "2026-11-21", MadeBy("0.1.0", code))


def model(name: str, identity: str = "1") -> dict[str, str]:
    return {"name": name, "engine": "openai", "identity": identity}


def told(changes: list[MadeDifferently]) -> list[tuple[Any, ...]]:
    return [
        (change.kind, change.name, change.before, change.after, change.steps) for change in changes
    ]


def test_what_differs_is_told_once_with_its_steps() -> None:
    before = [
        commit(
            "s.build.qa_pairs", code={"tasks/text": "a"}, prompts={"failsafeqa/rating.txt": "p"}
        ),
        commit("s.build.contexts", code={"tasks/text": "a"}, parameters={"context_tokens": 25_000}),
    ]
    after = [
        commit(
            "s.build.qa_pairs", code={"tasks/text": "b"}, prompts={"failsafeqa/rating.txt": "q"}
        ),
        commit("s.build.contexts", code={"tasks/text": "b"}, parameters={"context_tokens": 20_000}),
    ]
    assert told(made_differently(before, after)) == [
        ("parameters", "context_tokens", 25_000, 20_000, ("s.build.contexts",)),
        ("prompts", "failsafeqa/rating.txt", "p", "q", ("s.build.qa_pairs",)),
        ("code", "tasks/text", "a", "b", ("s.build.contexts", "s.build.qa_pairs")),
    ]


def test_sql_is_code_a_cutoff_is_a_parameter_and_people_s_ratings_are_neither() -> None:
    before = [commit("s.score", code={"sql": "a"}, cutoffs={"m": None}, audits={"x": "1"})]
    after = [commit("s.score", code={"sql": "b"}, cutoffs={"m": "2024-06-30"}, audits={})]
    assert told(made_differently(before, after)) == [
        ("parameters", "cutoffs.m", None, "2024-06-30", ("s.score",)),
        ("code", "sql", "a", "b", ("s.score",)),
    ]


def test_models_differ_by_role_whatever_their_steps() -> None:
    before = [
        commit("s.build.qa_pairs", parameters={"generator": model("g"), "citer": model("c")}),
        commit("s.infer.m", parameters={"model": model("m")}),
        commit("s.judge.j.m", parameters={"judge": model("j"), "model": "m"}),
    ]
    after = [
        commit("s.build.qa_pairs", parameters={"generator": model("g", "2"), "citer": model("c")}),
        commit("s.infer.n", parameters={"model": model("n")}),
        commit("s.judge.j.n", parameters={"judge": model("j"), "model": "n"}),
    ]
    assert told(made_differently(before, after)) == [
        ("models", "generator g", "1", "2", ()),
        ("models", "model m", "1", None, ()),
        ("models", "model n", None, "1", ()),
    ]
