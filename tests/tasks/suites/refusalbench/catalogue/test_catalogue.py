"""The packaged levers, a user's own, and the search for a lever that a model named."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from tasks.suites.refusalbench.catalogue import Lever, WrongLeversFile, read_catalogue
from tasks.suites.refusalbench.strata import (
    CLASSES,
    CODE_OF,
    INTENSITIES,
    RELEASED_CLASS,
    Intensity,
    PerturbationClass,
)

PACKAGED = read_catalogue()
STRATA: list[tuple[PerturbationClass, Intensity]] = [
    (perturbation_class, intensity) for perturbation_class in CLASSES for intensity in INTENSITIES
]
COUNTS = {
    "ambiguity": (10, 9, 10),
    "contradiction": (8, 10, 10),
    "missing_info": (9, 11, 10),
    "false_premise": (10, 10, 10),
    "granularity_mismatch": (10, 10, 10),
    "epistemic_mismatch": (9, 10, 10),
}
OWN = """
[missing_info.medium]

[[missing_info.medium.levers]]
name = "Footnote Cut"
definition = "Delete the footnote that answers the query."
query = "How is backlog defined?"
context = "Backlog (2) was $40 million."

[false_premise.low]
criterion = "The false part does not matter."

[[false_premise.low.levers]]
name = "Wrong Ticker"
definition = "Give a wrong ticker in passing."
query = "How many stores has the company, listed as XQZ?"
context = "We have 12 stores."
answer = "12"
"""


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "own.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_holds_176_levers_in_18_strata() -> None:
    counts = Counter((lever.perturbation_class, lever.intensity) for lever in PACKAGED.levers)
    expected = {
        (name, intensity): count
        for name, row in COUNTS.items()
        for intensity, count in zip(INTENSITIES, row, strict=True)
    }
    assert counts == expected
    assert len(PACKAGED.levers) == 176


def test_names_and_order_are_those_of_the_authors(shared: Path) -> None:
    path = shared / "reference" / "refusalbench" / "lever_names.json"
    names = json.loads(path.read_text(encoding="utf-8"))
    ours = {
        RELEASED_CLASS[perturbation_class]: {
            intensity.upper(): [lever.name for lever in PACKAGED.of(perturbation_class, intensity)]
            for intensity in INTENSITIES
        }
        for perturbation_class in CLASSES
    }
    assert ours == names


def test_low_examples_are_answered_by_their_context_and_the_others_by_a_code() -> None:
    for lever in PACKAGED.levers:
        if lever.intensity != "low":
            assert lever.answer is None
            assert lever.example.endswith(CODE_OF[lever.perturbation_class])
            continue
        assert lever.answer is not None
        assert lever.example.endswith(lever.answer)
        # a choice between two words of the query may be answered by one of them
        shown = words(lever.context) | words(lever.query) | {"the", "a", "yes", "no"}
        assert words(lever.answer) <= shown, lever.name
        assert figures(lever.answer) <= figures(lever.context), lever.name


def words(text: str) -> set[str]:
    return set(re.findall(r"[a-z]+", text.lower()))


def figures(text: str) -> set[str]:
    return set(re.findall(r"-?\d(?:[\d,.]*\d)?", text))


def test_adds_levers_of_a_file_after_the_packaged_ones(tmp_path: Path) -> None:
    found = read_catalogue(written(tmp_path, OWN))
    assert len(found.levers) == 178
    own = found.of("missing_info", "medium")[-1]
    assert own == Lever(
        name="Footnote Cut",
        perturbation_class="missing_info",
        intensity="medium",
        definition="Delete the footnote that answers the query.",
        query="How is backlog defined?",
        context="Backlog (2) was $40 million.",
    )
    assert found.of("missing_info", "medium")[:-1] == PACKAGED.of("missing_info", "medium")
    assert found.of("false_premise", "low")[-1].answer == "12"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"Footnote Cut"', '"table gap."', "'table gap.' exists as 'Table Gap' in missing_info"),
        ('"Footnote Cut"', '"Wrong ticker"', "'Wrong Ticker' exists as 'Wrong ticker'"),
        ('"Footnote Cut"', '"..."', "has no letter or digit"),
        ('"Footnote Cut"', '""', "name"),
        ("missing_info", "missinginfo", "did you mean missing_info"),
        ("false_premise.low", "false_premise.lows", "did you mean low"),
        ("context =", "contxt =", "did you mean context"),
        ('definition = "Give a wrong ticker in passing."', "", "definition is missing"),
        ('answer = "12"', "", "no answer; a low example is answerable"),
        ('"Backlog (2) was $40 million."', '"B"\nanswer = "2"', "remove answer"),
        ('"We have 12 stores."', "12", "context"),
        ('"The false part does not matter."', "7", "criterion must be a sentence, not 7"),
        ("[[missing_info.medium.levers]]", "[missing_info.medium.levers]", "above each lever"),
        ("[missing_info.medium]", "[missing_info]\nmedium = 2", "expected a table"),
        ("[[missing_info.medium.levers]]", "[[missing_info", "is not TOML"),
    ],
)
def test_says_what_is_wrong_with_a_file(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in OWN
    path = written(tmp_path, OWN.replace(old, new))
    if "medium = 2" in new:
        path = written(tmp_path, "[missing_info]\nmedium = 2\n")
    with pytest.raises(WrongLeversFile) as error:
        read_catalogue(path)
    assert said in str(error.value)
    assert str(path) in str(error.value)


@pytest.mark.parametrize(
    "written_name",
    [
        "Either/Or Coordination Scope",
        "either/or coordination scope",
        ' "Either/Or Coordination Scope." ',
        "4. Either/Or Coordination Scope",
        "**4) Either or Coordination-Scope**",
        "#4: EitherOr coordination scope",
    ],
)
def test_finds_a_lever_however_its_name_is_written(written_name: str) -> None:
    found = PACKAGED.find(written_name, "ambiguity", "medium")
    assert found is not None
    assert found.name == "Either/Or Coordination Scope"


def test_does_not_guess_between_two_levers(tmp_path: Path) -> None:
    levers = "".join(
        f'[[ambiguity.high.levers]]\nname = "{name}"\n'
        'definition = "d"\nquery = "q"\ncontext = "c"\n'
        for name in ("Forces", "5 Forces")
    )
    found = read_catalogue(written(tmp_path, levers))
    assert found.find("Forces", "ambiguity", "high") is not None
    assert found.find("5 Forces", "ambiguity", "high") is None
