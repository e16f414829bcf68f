"""A template is filled once, completely, and remembers where its inputs stand."""

from __future__ import annotations

from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks import prompts
from tasks.prompts import Prompt, fill, inputs_of

TEMPLATE = "Answer from the document.\n\n{{ context }}\n=====\nQuestion: {{ query }}\n"


@pytest.fixture
def template(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prompts, "read_template", lambda _: TEMPLATE)


def _every_template() -> list[str]:
    folder = files("tasks.prompts")
    return sorted(
        f"{room.name}/{entry.name.removesuffix('.txt')}"
        for room in folder.iterdir()
        if room.is_dir()
        for entry in room.iterdir()
        if entry.name.endswith(".txt")
    )


def cut(prompt: Prompt) -> dict[str, str]:
    text = prompt.prefix + prompt.suffix
    return {field.name: text[field.start_char : field.end_char] for field in prompt.fields}


@pytest.mark.usefixtures("template")
def test_the_divider_parts_prefix_from_suffix() -> None:
    prompt = fill("any", {"context": "Sales rose.", "query": "Did sales rise?"})
    assert prompt.prefix == "Answer from the document.\n\nSales rose.\n"
    assert prompt.suffix == "Question: Did sales rise?"


AWKWARD = st.lists(
    st.sampled_from(
        ["{{ query }}", "{{ context }}", "\n=====\n", "=====", "é", "\ud83d", "x", "\n", "{{", "}}", "\\1"]
    )
).map("".join)


@given(AWKWARD, AWKWARD)
def test_no_input_can_move_a_boundary_or_take_another_one_s_place(context: str, query: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(prompts, "read_template", lambda _: TEMPLATE)
        prompt = fill("any", {"context": context, "query": query})
    assert cut(prompt) == {"context": context, "query": query}
    assert prompt.prefix == f"Answer from the document.\n\n{context}\n"
    assert prompt.suffix == f"Question: {query}"


@pytest.mark.usefixtures("template")
@pytest.mark.parametrize(
    ("inputs", "says"),
    [
        ({"context": "c"}, r"missing inputs \['query'\]"),
        ({"context": "c", "query": "q", "answer": "a"}, r"unused inputs \['answer'\]"),
    ],
)
def test_a_missing_or_an_unused_input_is_an_error(inputs: dict[str, str], says: str) -> None:
    with pytest.raises(KeyError, match=says):
        fill("any", inputs)


def test_a_template_without_divider_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prompts, "read_template", lambda _: "{{ query }}\n")
    with pytest.raises(ValueError, match="no line of five"):
        fill("any", {"query": "q"})


def test_an_input_may_stand_in_several_places(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prompts, "read_template", lambda _: "<{{ tag }}>\n=====\n{{ query }}</{{ tag }}>\n")
    prompt = fill("any", {"tag": "t1", "query": "q"})
    text = prompt.prefix + prompt.suffix
    assert [(field.name, text[field.start_char : field.end_char]) for field in prompt.fields] == [
        ("tag", "t1"),
        ("query", "q"),
        ("tag", "t1"),
    ]


def test_an_unknown_template_is_an_error() -> None:
    with pytest.raises(FileNotFoundError):
        fill("nowhere/nothing", {})


@pytest.mark.parametrize("name", _every_template())
def test_every_template_can_be_filled_and_read_back(name: str) -> None:
    inputs = {place: f"<the {place}>" for place in inputs_of(name)}
    assert inputs
    prompt = fill(name, inputs)
    assert cut(prompt) == inputs
    assert "{{" not in prompt.prefix + prompt.suffix
    assert prompt.suffix.strip()
