"""A user's own prompts: what is refused before anything is asked, and what steps depend on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tasks.inference.prompts import packaged_prompts, prompts_of, use_own_prompts
from tasks.pipeline.resolved import resolve
from tasks.pipeline.settings import RunSettings, WrongSettings
from tasks.pipeline.step_identity import prompt_files
from tasks.suites.registry import SUITES, load_suite

ANSWER, RUBRIC = "failsafeqa/coached.txt", "failsafeqa/rubrics/answerable.txt"
OWN = "Read this.\n{{ context }}\n=====\nNow answer: {{ query }}\n"


@pytest.fixture(autouse=True)
def _packaged_afterwards() -> Iterator[None]:
    yield
    use_own_prompts({})


def written(folder: Path, file: str, text: str, encoding: str = "utf-8") -> RunSettings:
    path = folder / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode(encoding))
    return RunSettings(prompts=str(folder))


@pytest.mark.parametrize(
    ("file", "text", "says"),
    [
        ("failsafeqa/coachd.txt", OWN, r"no prompt .*one of: .*failsafeqa/coached.txt"),
        (ANSWER, OWN + "{{ answer }}", r"has {{ answer }}.*Use only {{ context }}, {{ query }}\.$"),
        (RUBRIC, "Rate {{ it }}.", r"has {{ it }}, which nothing fills\. Remove it"),
        (ANSWER, "Read {context}.\n=====\n{query}", r"has no placeholder.*Use only {{ context }}"),
        (ANSWER, "{{ context }}\n====\n{{ query }}", r"no line of five equals signs"),
        (ANSWER, "Read.\n=====\n{{ context }}\n", r"has {{ context }} below the line ="),
        (ANSWER, OWN + "\u20ac", r"cannot be read: .*Save it as text in UTF-8"),
        ("repair.txt", "\n=====\n{{ reply }}\n[Why]\n{{ problem }}", r"no line such as \[Your"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_replace_a_prompt_is_refused(
    file: str, text: str, says: str, tmp_path: Path
) -> None:
    run = written(tmp_path, file, text, "cp1252" if "\u20ac" in text else "utf-8")
    with pytest.raises(WrongSettings, match=f"^--prompts: .*{file} .*{says}"):
        resolve(run)


def test_a_folder_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WrongSettings, match=r"no folder .*nowhere"):
        resolve(RunSettings(prompts=str(tmp_path / "nowhere")))


@pytest.mark.parametrize("suite", SUITES)
def test_copies_of_all_packaged_prompts_change_nothing(suite: str, tmp_path: Path) -> None:
    texts = packaged_prompts(SUITES[suite])
    assert set(texts) > {"repair.txt"}
    for file, text in texts.items():
        written(tmp_path, file, text, "utf-8-sig")
    before = prompts_of([*texts])
    resolve(RunSettings(suite=suite, prompts=str(tmp_path)))
    assert prompts_of([*texts]) == before


def test_the_identity_follows_the_text_and_returns(tmp_path: Path) -> None:
    names = [ANSWER, "failsafeqa/rubrics", "failsafeqa/verdict.txt"]
    packaged = prompts_of(names)
    written(tmp_path, RUBRIC, "Five is best.")
    run = written(tmp_path, ANSWER, OWN)
    written(tmp_path, "faith/analyst.txt", "Of another suite.")
    resolve(run)
    own = prompts_of(names)
    assert {name for name in own if own[name] != packaged[name]} == {ANSWER, RUBRIC}
    assert own[ANSWER].startswith("own ")
    resolve(written(tmp_path, ANSWER, OWN + "Once more: {{ query }}"))
    assert prompts_of(names)[ANSWER] not in (own[ANSWER], packaged[ANSWER])
    resolve(RunSettings())
    assert prompts_of(names) == packaged


def test_only_builders_and_judges_depend_on_an_own_repair(tmp_path: Path) -> None:
    suite = load_suite("failsafeqa")
    judge = suite.judges["citations"]
    before = prompt_files(judge.asks, ())
    resolve(written(tmp_path, "repair.txt", "\n=====\n[So far]\n{{ reply }}\nAgain.\n"))
    assert prompt_files(judge.asks, ()) == (*before, "repair.txt")
    assert "repair.txt" not in prompt_files(suite.answers)
