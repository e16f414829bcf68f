"""Proofs on tables of real filings: what is true by construction is proved, and no lie is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from tasks.filings.reader.files import unpack
from tasks.filings.reader.filing import parse_filing
from tasks.suites.tablequest.questions.proofs import SEVERAL_CELLS, Proof, prove
from tasks.suites.tablequest.questions.rounds import WrittenQuestion
from tests.some import some
from tests.table_snippets import Asked, asked_of, snippet_of

FILINGS = (
    "aeroflex_1995_main.txt",
    "apple_1999_full-submission.txt.gz",
    "jnj_2016_main.htm.gz",
    "nvidia_2024_main.htm.gz",
)
TABLES, CELLS = 6, 4  # of a filing, of a table


@pytest.fixture(scope="module")
def asked(shared: Path) -> list[tuple[str, Asked, Asked]]:
    """Snippets, each with a true question on a cell, and another one on another value."""
    found = []
    for name in FILINGS:
        parsed = parse_filing(unpack((shared / "filings" / name).read_bytes()), name)
        rng = Random(name)
        for table in rng.sample(parsed.tables, TABLES):
            context = snippet_of(table, parsed.document)
            cells = [each for each in asked_of(context) if each.cell.value]
            rng.shuffle(cells)
            for one in cells[:CELLS]:
                others = [each for each in cells if abs(each.cell.value) != abs(one.cell.value)]
                if others:
                    found.append((context.text, one, rng.choice(others)))
    return some(found)


def easy(text: str, written: WrittenQuestion, **changes: str) -> Proof:
    cell = {name: value for name, value in changes.items() if name in ("row", "column", "value")}
    named = replace(written.cells[0], **cell)  # type: ignore[arg-type]
    answer = changes.get("answer", written.answer)
    return prove("easy", replace(written, answer=answer, cells=(named,)), text)


def test_nearly_all_true_answers_are_proved(asked: list[tuple[str, Asked, Asked]]) -> None:
    """Leave out cells that their names do not tell from others."""
    reasons = Counter(easy(text, one.written).reason for text, one, _ in asked)
    n_unclear = reasons[SEVERAL_CELLS]
    assert n_unclear < 0.25 * len(asked)
    assert reasons[None] >= 0.95 * (len(asked) - n_unclear), reasons


def _digit(answer: str) -> str:
    place = next(place for place, character in enumerate(answer) if character.isdigit())
    return answer[:place] + str(int(answer[place]) % 9 + 1) + answer[place + 1 :]


def _scale(answer: str) -> str:
    words = {" million": " thousand", " thousand": " million", " billion": " million"}
    for word, other in words.items():
        if word in answer:
            return answer.replace(word, other)
    return answer.replace("%", "") if "%" in answer else f"{answer} thousand"


def _sign(answer: str) -> str:
    return answer.removeprefix("-") if answer.startswith("-") else f"-{answer}"


def _unit(answer: str) -> str:
    return answer.replace("%", " million") if "%" in answer else f"{answer.replace('$', '')}%"


@pytest.mark.parametrize("lie", [_digit, _scale, _sign, _unit])
def test_no_lie_about_a_value_is_proved(
    asked: list[tuple[str, Asked, Asked]], lie: Callable[[str], str]
) -> None:
    for text, one, _ in asked:
        assert not easy(text, one.written, answer=lie(one.written.answer)).proved


def test_no_other_cell_is_taken_for_the_one_that_is_named(
    asked: list[tuple[str, Asked, Asked]],
) -> None:
    for text, one, other in asked:
        assert not easy(text, one.written, answer=other.written.answer).proved
        assert not easy(text, one.written, value=other.cell.text).proved


def test_a_calculation_is_proved_and_the_same_with_another_sign_or_base_is_not(
    asked: list[tuple[str, Asked, Asked]],
) -> None:
    n_proved = 0
    for text, one, other in asked:
        a, b = one.cell, other.cell
        if a.unit != "money" or b.unit != "money":
            continue
        cells = (one.written.cells[0], replace(other.written.cells[0], name="B"))
        change = (a.value - b.value) / b.value * 100

        def proved(answer: str, calculation: str = "(A - B) / B * 100") -> bool | None:
            question = f"{one.written.question} And {other.written.question}"  # noqa: B023
            written = WrittenQuestion(question, answer, "", cells, calculation)  # noqa: B023
            return prove("medium", written, text).proved  # noqa: B023

        n_proved += proved(f"{change:.3f}%") is True
        if abs(change) < 1:
            continue  # too close to its own lies
        assert not proved(f"{-change:.3f}%")
        assert not proved(f"{change / 100:.5f}%")
        assert not proved(f"{change:.3f}")
        assert not proved(f"{change:.3f}%", "A - B")
        assert not proved(f"{(a.value - b.value) / a.value * 100:.3f}%")
    assert n_proved > 20
