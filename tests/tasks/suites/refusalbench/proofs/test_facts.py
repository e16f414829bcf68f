"""What is proved of questions for dates, states, places and symbols, and what never is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tasks.suites.refusalbench.proofs import prove
from tasks.suites.refusalbench.proofs.facts import fact_of
from tasks.suites.refusalbench.rows import BasePassage, BaseQuestion
from tests.refusal_questions import PROSE

HEAD = "[Kestrel Freight, annual report, fiscal year ended December 31, 2021]\n"
SOLD = "Kestrel Freight sold its Harbor Mills unit in"


def fact_question(query: str, answer: str, text: str) -> BaseQuestion:
    passage = BasePassage(text=HEAD + text, is_signal=True, document_id=None, start_char=0)
    return replace(PROSE, query=query, answers=(answer,), passages=(passage,), asked=None)


SALE = fact_question(
    "When did Kestrel Freight sell its Harbor Mills unit?",
    "May 2019",
    "In May 2019, we sold our Harbor Mills unit. The unit ground wheat.",
)
STATE = fact_question(
    "Under the laws of which state was Kestrel Freight incorporated?",
    "New Jersey",
    "Kestrel Freight was incorporated in New Jersey in 1911.",
)
SYMBOL = fact_question(
    "Under which ticker symbol is Kestrel Freight's common stock traded?",
    "KFR",
    "Our common stock trades under the symbol KFR.",
)
PLACE = fact_question(
    "In which city and state are Kestrel Freight's headquarters located?",
    "Toledo, Ohio",
    "Our headquarters are located in Toledo, Ohio.",
)


def proved(
    base: BaseQuestion, name: str, added: str = "", query: str = "", lever: str = ""
) -> bool:
    text = base.passages[0].text + (f" {added}" if added else "")
    return prove(base, name, "medium", query or base.query, [text], lever) is not None


@pytest.mark.parametrize(
    ("base", "added"),
    [
        (SALE, f"Elsewhere, this annual report states that {SOLD} May 2016."),
        (
            SALE,
            f"The minutes of the Board of Directors record that {SOLD} May 2019. The annual report "
            f"to shareholders states that {SOLD} May 2016.",
        ),
        (SALE, f"{SOLD} either May 2019 or May 2016, but not both. {SOLD} May 2016."),
        (STATE, "Kestrel Freight was incorporated under the laws of Ohio."),
        (SYMBOL, "Kestrel Freight's common stock is traded solely under the ticker symbol HWK."),
        (PLACE, "Kestrel Freight's headquarters are located in Salem, Oregon."),
    ],
)
def test_proves_a_contradiction(base: BaseQuestion, added: str) -> None:
    assert proved(base, "contradiction", added)


@pytest.mark.parametrize(
    ("base", "added"),
    [
        (SALE, f"{SOLD} 2019."),  # says less
        (SALE, f"{SOLD} March 2019."),  # perhaps signed in one month, closed in the other
        (SALE, f"{SOLD} fiscal 2020."),  # may be the same month
        (SALE, "Kestrel Freight sold its Harbor Lines unit in May 2016."),
        (SALE, "Kestrel Freight agreed to sell its Harbor Mills unit in May 2016."),
        (SALE, "Harbor Mills sold its Kestrel Freight unit in May 2016."),
        (SALE, f"An anonymous post claimed that {SOLD} May 2016."),
        (SALE, f"It is not true that {SOLD} May 2016."),
        (SALE, f"{SOLD} May 2016, as corrected below."),
        (SALE, f"{SOLD} May 2016. That date is a misprint."),
        (SALE, f"{SOLD} May 2016. {SOLD} May 2015."),
        (SALE, f"{SOLD} either May 2019 or May 2016, but not both."),
        (SALE, f"{SOLD} either May 2018 or May 2016, but not both. {SOLD} May 2016."),
        (SALE, f"{SOLD} May 2019."),
        (STATE, "Kestrel Freight was incorporated under the laws of New York."),  # shares a word
        (STATE, "Kestrel Freight was incorporated under the laws of America."),
        (STATE, "Kestrel Freight was reincorporated under the laws of Ohio."),
        (SYMBOL, "Kestrel Freight's common stock is traded under the ticker symbol HWK."),
        (SYMBOL, "Kestrel Freight's warrants are traded solely under the ticker symbol HWK."),
        (PLACE, "Kestrel Freight's headquarters are located in Ohio."),
        (PLACE, "Kestrel Freight's headquarters are located in Dayton, Ohio, and Salem, Oregon."),
    ],
)
def test_refuses_what_is_no_contradiction(base: BaseQuestion, added: str) -> None:
    assert not proved(base, "contradiction", added)


def test_refuses_a_contradiction_of_an_answer_that_is_gone() -> None:
    text = SALE.passages[0].text.replace("In May 2019, we", "We")
    changed = [f"{text} {SOLD} May 2016."]
    assert prove(SALE, "contradiction", "medium", SALE.query, changed) is None


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("When did Kestrel Freight enter into an agreement with Harbor Mills?", "May 2019"),
        ("When did Kestrel Freight introduce a new wagon, the K9?", "May 2019"),
        ("When was Mr. Roe elected Vice President, Ports?", "1983"),
        ("To which position was Mr. Roe appointed in 1983?", "Vice President, Ports"),
        ("When did Kestrel Freight sell its Harbor Mills unit?", "in the spring"),
    ],
)
def test_reads_no_fact_that_may_hold_twice(query: str, answer: str) -> None:
    assert fact_of(fact_question(query, answer, "It happened.")) is None


@pytest.mark.parametrize(
    ("base", "query", "is_false"),
    [
        (SALE, f"When did management discover that {SOLD} May 2016?", True),
        (SALE, f"When did management discover that {SOLD} May 2019?", False),
        (SALE, f"When did management discover that {SOLD} 2019?", False),
        (SALE, f"When did management deny that {SOLD} May 2016?", False),
        (STATE, "What color is the law under which Kestrel Freight was incorporated?", True),
        (PLACE, "What color is the city in which Kestrel Freight is located?", False),
        (SALE, "Why did Kestrel Freight want to sell its Harbor Mills unit in May 2019?", False),
        (
            SYMBOL,
            "Why did the ticker symbol under which Kestrel Freight's common stock is traded want "
            "to be KFR?",
            True,
        ),
    ],
)
def test_a_premise_is_false_only_against_the_passage(
    base: BaseQuestion, query: str, is_false: bool
) -> None:
    assert proved(base, "false_premise", query=query) is is_false


RIVAL = "Kestrel Freight and Calder Corporation compete with each other. Calder Corporation"


@pytest.mark.parametrize(
    ("query", "added", "fits_both"),
    [
        ("When was it founded?", f"{RIVAL} was founded in 1904.", True),
        ("When was that company founded?", f"{RIVAL} was founded in 1904.", True),
        (
            "After Kestrel Freight and Calder Corporation signed their agreement, when was it "
            "founded?",
            f"{RIVAL} was founded in 1904.",
            True,
        ),
        ("When was it founded?", f"{RIVAL} was founded in 1911.", False),
        ("When was it founded?", f"{RIVAL} was reorganized in 1904.", False),
        ("When was it founded?", "", False),
        ("When was Kestrel Freight founded?", f"{RIVAL} was founded in 1904.", False),
        ("When was the older company founded?", f"{RIVAL} was founded in 1904.", False),
        (
            "Unlike Calder Corporation, a mill, when was it founded?",
            f"{RIVAL} was founded in 1904.",
            False,
        ),
    ],
)
def test_two_companies_fit_a_pronoun(query: str, added: str, fits_both: bool) -> None:
    base = fact_question(
        "When was Kestrel Freight founded?", "1911", "Kestrel Freight was founded in 1911."
    )
    assert proved(base, "ambiguity", added, query) is fits_both


def test_a_level_or_a_judgement_needs_no_figure() -> None:
    climate = (
        "Going by the room with Kestrel Freight's records, what is the mean yearly temperature"
    )
    assert proved(SALE, "granularity_mismatch", query=f"{climate} of North America?")
    assert not proved(SALE, "granularity_mismatch", query=f"{climate} of that room?")
    assert proved(SALE, "epistemic_mismatch", query="Is Kestrel Freight a good investment?")
    risky = "Our stock is a poor investment."
    query = "Is Kestrel Freight a good investment?"
    assert not proved(SALE, "epistemic_mismatch", risky, query)
