"""Proofs of ambiguity, granularity and epistemic mismatches: what they accept, and what never."""

from __future__ import annotations

import pytest

from tasks.suites.refusalbench.proofs import judgement, too_fine, two_readings
from tasks.suites.refusalbench.rows import BaseQuestion
from tests.refusal_questions import ACME, acme_question

RIVAL = (
    " Acme Corp. and Calder Inc. are competitors."
    " Calder Inc. reported net sales of $6.1 billion in fiscal 2023."
)
WORLD = "Going by Acme's net sales, what was the gross domestic product of the world?"
AVERAGE = "Going by Acme's net sales in fiscal 2023, what was the worldwide average net sales?"
LAW = "Given net sales of $7.7 billion, does this prove that every company must report as much?"
BOTH_YEARS = "Net sales were $7.7 billion in fiscal 2023 and $7.1 billion in fiscal 2022."


def _holds(
    kind: str,
    query: str,
    *texts: str,
    noise: tuple[str, ...] = (),
    asked: dict[str, str] | None = None,
) -> bool:
    module = {"two_readings": two_readings, "too_fine": too_fine, "judgement": judgement}[kind]
    base = acme_question(*texts, noise=noise, asked=asked)
    shown = [passage.text for passage in base.passages]
    proof = module.prove(base, query, shown)
    assert proof is None or proof.kind == kind
    return proof is not None


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("What were its net sales in fiscal 2023?", ACME + RIVAL),
        ("What were that company's net sales in fiscal 2023?", ACME + RIVAL),
        ("What did that one report as net sales in fiscal 2023?", ACME + RIVAL),
        (
            "After Acme Corp. and Calder Inc. signed a contract, what were its net sales?",
            ACME + RIVAL,
        ),
        (
            "After Acme told Calder Inc. that it had closed its books, what were its net sales?",
            ACME + RIVAL,
        ),
        ("One of the two companies reported net sales in fiscal 2023, but how much?", ACME + RIVAL),
        ("What were Acme's net sales in that year?", BOTH_YEARS),
        ("What were the net sales of Acme Corp.?", BOTH_YEARS),
        (
            "What were Acme's net sales?",
            "Net sales were $7.7 billion and $7.1 billion in fiscal 2023 and 2022, respectively.",
        ),
    ],
)
def test_two_candidates_that_the_query_does_not_tell_apart_are_proved(
    query: str, text: str
) -> None:
    assert _holds("two_readings", query, text)


@pytest.mark.parametrize(
    ("query", "text"),
    [
        # the query tells them apart
        ("What were Acme Corp.'s net sales in fiscal 2023?", ACME + RIVAL),
        ("What were Calder Inc.'s net sales in fiscal 2023?", ACME + RIVAL),
        ("What were that paint company's net sales in fiscal 2023?", ACME + RIVAL),
        ("What were the larger company's net sales in fiscal 2023?", ACME + RIVAL),
        ("What were the net sales of the company that sells paint?", ACME + RIVAL),
        ("Leaving Calder Inc. aside, what were its net sales in fiscal 2023?", ACME + RIVAL),
        ("For Acme Corp., what were its net sales in fiscal 2023?", ACME + RIVAL),
        ("Of Acme Corp. and Calder Inc., what were the former's net sales?", ACME + RIVAL),
        ("Acme Corp. published its report. What were its net sales in fiscal 2023?", ACME + RIVAL),
        ("Unlike Acme Corp. and Calder Inc., what did it report as net sales?", ACME + RIVAL),
        (
            "After Acme Corp., not Calder Inc., closed its books, what were its net sales?",
            ACME + RIVAL,
        ),
        ("What were both companies' net sales in fiscal 2023?", ACME + RIVAL),
        # there is no second candidate
        ("What were its net sales in fiscal 2023?", ACME),
        ("What were its net sales?", ACME + " Calder Inc. is a competitor of Acme Corp."),
        ("What were its net sales?", ACME + RIVAL.replace("net sales", "net income")),
        ("What were its net sales?", ACME + RIVAL.replace("fiscal 2023", "fiscal 2022")),
        ("What were its net sales?", ACME + RIVAL.replace("$6.1", "$7.7")),
        ("What were its net sales?", ACME + RIVAL.replace("$6.1 billion", "a large sum")),
        ("What were its net sales?", ACME + RIVAL.replace("reported", "did not report")),
        ("What were its net sales?", ACME + RIVAL.replace("reported", "might have reported")),
        ("What were its net sales?", ACME + RIVAL.replace("fiscal", "the first quarter of fiscal")),
        ("What were its net sales?", ACME + RIVAL.replace("$6.1 billion", "6 percent")),
        (
            "What were its net sales?",
            ACME + " Our sales to Calder Inc. were $6.1 billion in fiscal 2023.",
        ),
        ("What were its net sales?", RIVAL),  # the first candidate is gone
        # the period is told, or there is only one
        ("What were Acme's net sales in the latest year?", BOTH_YEARS),
        ("What were Acme's net sales in the year after fiscal 2022?", BOTH_YEARS),
        ("What were Acme's net sales in fiscal 2023?", BOTH_YEARS),
        ("What were Acme's most recent net sales?", BOTH_YEARS),
        ("What were Acme's net sales in both years?", BOTH_YEARS),
        ("What were Acme's higher net sales?", BOTH_YEARS),
        ("What were Acme's net sales?", ACME),
        ("What were Acme's net sales?", BOTH_YEARS.replace("$7.1", "$7.7")),
        (
            "What were Acme's net sales?",
            ACME + " Net sales of Calder Inc. were $5 billion in 2022.",
        ),
        (
            "What were Acme's net sales?",
            ACME + " Net sales of paint were $7.1 billion in fiscal 2022.",
        ),
        ("What were Acme's net sales?", ACME + " Net sales rose by $1 billion in fiscal 2022."),
        (
            "What were Acme's net sales?",
            ACME + " We expect net sales of $8.1 billion in fiscal 2024.",
        ),
        (
            "What were Acme's net sales?",
            "Net sales increased $7.7 billion in fiscal 2023 and $7.1 billion in fiscal 2022.",
        ),
    ],
)
def test_one_reading_is_never_proved_to_be_two(query: str, text: str) -> None:
    assert not _holds("two_readings", query, text)


@pytest.mark.parametrize(
    "query",
    [
        "What were Acme Corp.'s net sales in the second month of fiscal 2023?",
        "What were Acme's net sales in the second week of the third month of fiscal 2023?",
        "What were Acme's net sales in fiscal 2023 in each district of its northern region?",
        "What were Acme's net sales to each customer in fiscal 2023?",
        "How did Acme's net sales change over the five decades up to fiscal 2023?",
        "What share of the whole industry's net sales did Acme report in fiscal 2023?",
        AVERAGE,
        WORLD,
    ],
)
def test_a_level_that_no_passage_gives_is_proved(query: str) -> None:
    assert _holds("too_fine", query)


@pytest.mark.parametrize(
    ("query", "text"),
    [
        # the passage gives the level, or lets it be derived
        (
            "What were Acme's net sales in the second month of fiscal 2023?",
            "Monthly net sales came to $0.6 billion.",
        ),
        (
            "What were Acme's net sales in the second month of fiscal 2023?",
            "In February, they reached $0.5 billion.",
        ),
        (
            "What were Acme's net sales in the second month of fiscal 2023?",
            "For the four weeks ended May 7, they were $0.6 billion.",
        ),
        (
            "What were Acme's net sales in the second quarter of fiscal 2023?",
            "Q2 brought $1.9 billion.",
        ),
        (
            "What were Acme's net sales in each week of fiscal 2023?",
            "They were $148 million every week.",
        ),
        (
            "What were Acme's net sales in each month of fiscal 2023?",
            "Each month brought the same, $0.64 billion.",
        ),
        (
            "What were Acme's net sales in each store in fiscal 2023?",
            "Our one store made all sales.",
        ),
        (
            "What were Acme's net sales in each store in fiscal 2023?",
            "Each of 77 shops sold for $100 million.",
        ),
        (
            "What were Acme's net sales to each customer in fiscal 2023?",
            "Two buyers took half each.",
        ),
        (
            "What were Acme's net sales by each employee in fiscal 2023?",
            "A workforce of 770 sold it in equal parts.",
        ),
        (
            "How did Acme's net sales change over the five decades up to fiscal 2023?",
            "In 1973 they were $1 billion.",
        ),
        (
            "How did Acme's net sales change over the five decades up to fiscal 2023?",
            "Over fifty years they grew by 4% a year.",
        ),
        (
            "How did Acme's net sales change over the five decades up to fiscal 2023?",
            "They have grown by 4% ever since.",
        ),
        (
            "How did Acme's net sales change over the two years up to fiscal 2023?",
            "In fiscal 2021 they were $7.0 billion.",
        ),
        (
            "What share of the whole industry's net sales did Acme report in fiscal 2023?",
            "The industry sold paint for $77 billion.",
        ),
        (
            "What share of the whole industry's net sales did Acme report in fiscal 2023?",
            "This is 10% of the market.",
        ),
        (
            AVERAGE,
            "Globally, firms like ours sold for $2 billion.",
        ),
        (
            WORLD,
            "The world economy reached $100 trillion.",
        ),
        # the query asks for no such level, or for what follows from the figure
        ("What were Acme's average net sales in each month of fiscal 2023?", ""),
        ("What were Acme's net sales per month in fiscal 2023?", ""),
        ("What were Acme's net sales on the last day of fiscal 2023?", ""),
        ("What were Acme's net sales in fiscal 2023, summed over each month?", ""),
        ("What were Acme's net sales in fiscal 2023, apart from those in each month?", ""),
        ("What were Acme's total net sales in fiscal 2023?", ""),
        ("What were Acme's net sales for the twelve months of fiscal 2023?", ""),
        (
            "If all months had equal sales, what were Acme's net sales in each month?",
            "",
        ),
    ],
)
def test_a_level_that_is_given_or_follows_is_never_proved(query: str, text: str) -> None:
    assert not _holds("too_fine", query, f"{ACME} {text}".strip())


def test_a_level_of_the_base_question_is_never_too_fine() -> None:
    text = "Net sales of Acme Corp. were $1.9 billion in the second quarter of 2023."
    query = "What were Acme's net sales in the second quarter of 2023?"
    facts = {"period": "the second quarter of 2023", "figure": "$1.9 billion"}
    assert not _holds("too_fine", query, text, asked=facts)


@pytest.mark.parametrize(
    "query",
    [
        "Is Acme Corp. a good investment?",
        "Given Acme's net sales of $7.7 billion in fiscal 2023, is the company a good investment?",
        "Should Acme aim for higher net sales in the future?",
        "How much will Acme's net sales be in 2024?",
        "What is the probability that Acme's net sales will exceed $7.7 billion in 2024?",
        "What would Acme's net sales have been in fiscal 2023 if it had moved to Lisbon?",
        "What is the most beautiful aspect of Acme's net sales in fiscal 2023?",
        "Is it always morally wrong for any company to report net sales of $7.7 billion?",
        "What will Acme's net sales be after every future year has passed?",
        LAW,
    ],
)
def test_a_judgement_that_no_sentence_makes_is_proved(query: str) -> None:
    assert _holds("judgement", query)


@pytest.mark.parametrize(
    ("query", "text"),
    [
        # the passage makes the judgement
        ("Is Acme Corp. a good investment?", "Management calls the company a good investment."),
        ("Is Acme Corp. a good investment?", "We believe that our shares will pay off."),
        ("Is Acme Corp. a good investment?", "The stock is a bargain."),
        ("Is Acme Corp. a good investment?", "Acme is a great place to put your money."),
        (
            "Is Acme Corp. a good investment?",
            "We call a company a good investment if its sales exceed $5 billion.",
        ),
        ("Is Acme Corp. a good investment?", "An analyst advises holders to buy more."),
        ("Is Acme Corp. a safe investment?", "Its shares were rated safe by three agencies."),
        ("Should Acme aim for higher net sales?", "The Board resolved that Acme should grow."),
        ("Should Acme aim for higher net sales?", "Net sales are too low to cover our costs."),
        ("Should Acme aim for higher net sales?", "It must sell more."),
        ("Should Acme aim for higher net sales?", "Our target for net sales is $9 billion."),
        (
            "How much will Acme's net sales be in 2024?",
            "We expect net sales of $8.1 billion in 2024.",
        ),
        (
            "How much will Acme's net sales be in 2024?",
            "Net sales are contracted at $8 billion a year.",
        ),
        (
            "How much will Acme's net sales be in 2024?",
            "Next year's results are set at $8 billion.",
        ),
        (
            "How much will Acme's net sales be in 2024?",
            "Net sales for fiscal 2024 come to $8 billion.",
        ),
        (
            "What is the probability that Acme's net sales will exceed $7.7 billion in 2024?",
            "The odds of higher sales are three to one.",
        ),
        (
            "What is the probability that Acme's net sales will exceed $7.7 billion in 2024?",
            "Sales have risen in nine of ten years.",
        ),
        (
            "What would Acme's net sales have been in fiscal 2023 if it had moved to Lisbon?",
            "Had we moved to Lisbon, nothing else would have changed.",
        ),
        (
            "What would Acme's net sales have been in fiscal 2023 if it had sold no paint?",
            "Without paint, net sales would have been $1.0 billion.",
        ),
        (
            "What would Acme's net sales have been in fiscal 2023 if it had never bought Calder?",
            "We bought Calder, which had sales of $1.0 billion.",
        ),
        (
            "What is the most beautiful aspect of Acme's net sales in fiscal 2023?",
            "The loveliest thing about them is their steady rise.",
        ),
        (
            "Is it always morally wrong for any company to report net sales of $7.7 billion?",
            "It is immoral for a company to report more than it sold.",
        ),
        (
            "What will Acme's net sales be after every future year has passed?",
            "Net sales are fixed forever by contract.",
        ),
        (
            LAW,
            "By law every company must report $7.7 billion.",
        ),
        ("Is Acme Corp. a good investment?", "Acme is a good buy."),
        # the query asks for a fact
        ("Should you need them, what were Acme's net sales in fiscal 2023?", ""),
        (
            "What would Acme's net sales have been in fiscal 2023 if it had reported in thousands?",
            "",
        ),
        ("What would Acme's net sales have been in fiscal 2023 if it had rounded them up?", ""),
        ("How much will Acme's net sales be in 2023?", ""),
        ("How much will Acme's net sales be in 2022?", ""),
        ("What did Acme say its net sales will be in 2024?", ""),
        ("What were Acme's net sales in fiscal 2023, and is it a good investment?", ""),
        ("Is Acme a good investment by its own rule that sales must exceed $5 billion?", ""),
        ("Who says that Acme is a good investment?", ""),
        ("Does Acme's report call the company a good investment?", ""),
        ("Were Acme's net sales in fiscal 2023 high?", ""),
    ],
)
def test_a_judgement_that_is_made_or_a_question_of_fact_is_never_proved(
    query: str, text: str
) -> None:
    assert not _holds("judgement", query, f"{ACME} {text}".strip())


def test_a_later_year_that_the_passages_report_is_no_forecast() -> None:
    facts = {"period": "fiscal 2022", "figure": "$7.1 billion"}
    query = "How much will Acme's net sales be in 2023?"
    text = "Net sales of Acme Corp. were $7.1 billion in fiscal 2022."
    assert _holds("judgement", query, text, asked=facts)
    assert not _holds("judgement", query, f"{text}\n\nThe table shows 2023, too.", asked=facts)


def test_an_opinion_on_the_measure_is_none_on_the_shares() -> None:
    text = f"{ACME} We believe that net sales are stated fairly."
    assert _holds("judgement", "Is Acme Corp. a good investment?", text)


def test_what_another_company_says_of_itself_makes_no_judgement() -> None:
    query = "Is Acme Corp. a good investment?"
    other = "[Calder Inc., annual report, fiscal year ended May 1, 2023]\nOur stock is a bargain."
    own = other.replace("Calder Inc.", "Acme Corp.")
    assert _holds("judgement", query, ACME, noise=(other,))
    assert not _holds("judgement", query, ACME, noise=(own,))
    assert not _holds("judgement", query, ACME, noise=("Our stock is a bargain.",))


@pytest.mark.parametrize("kind", ["two_readings", "too_fine", "judgement"])
def test_a_question_whose_facts_are_unknown_has_no_proof(kind: str) -> None:
    module = {"two_readings": two_readings, "too_fine": too_fine, "judgement": judgement}[kind]
    base = acme_question()
    unknown = BaseQuestion(
        **{name: getattr(base, name) for name in base.__slots__ if name != "asked"}, asked=None
    )
    assert module.prove(unknown, "Is it a good investment?", [ACME]) is None


@pytest.mark.parametrize(
    ("said", "is_open"),
    [
        ("Acme Corp., $7.7 billion; Calder Inc., $6.1 billion; Dunmore Inc., not disclosed.", True),
        ("Acme Corp., $7.7 billion; Calder Inc., $6.1 billion; Dunmore Inc., $5.1 billion.", False),
        (
            "Acme Corp., $7.7 billion; Calder Inc., $6.1 billion; Dunmore Inc., not disclosed."
            " Dunmore Inc. had $5.1 billion.",
            False,
        ),
    ],
)
def test_a_median_needs_every_member(said: str, is_open: bool) -> None:
    query = "What were the median net sales of the three companies in fiscal 2023?"
    text = f"{ACME} The net sales were as follows: {said}"
    assert _holds("too_fine", query, text) is is_open


def test_a_move_without_an_effect_says_nothing_of_a_world_without_it() -> None:
    query = (
        "What would Acme Corp.'s net sales have been in fiscal 2023 if the company had not moved "
        "its training center to Lisbon?"
    )
    text = f"{ACME} In 2023, we moved our training center to Lisbon."
    assert _holds("judgement", query, text)
    assert not _holds("judgement", query, f"{text} This raised net sales by $1 billion.")


def test_the_climate_of_a_continent_is_asked_of_no_room() -> None:
    query = (
        "Going by the room with the records of Acme Corp.'s net sales, what is the mean yearly "
        "temperature of North America?"
    )
    text = f"{ACME} We kept the records in a room at a constant 65 degrees Fahrenheit."
    assert _holds("too_fine", query, text)
    assert not _holds("too_fine", query, f"{text} The mean temperature outside is 50 degrees.")


def test_rules_of_single_offices_make_no_rule_of_the_company() -> None:
    query = (
        "For how many years does Acme Corp. keep the records of Acme Corp.'s net sales companywide?"
    )
    local = (
        "Our office in Salem keeps the records of our net sales for five years and the office in "
        "Tulsa for eight years; there is no companywide rule."
    )
    assert _holds("too_fine", query, f"{ACME} {local}")
    assert not _holds("too_fine", query, ACME)
    assert not _holds(
        "too_fine", query, f"{ACME} {local} In all offices, they are kept for ten years."
    )
    assert not _holds("too_fine", query.replace(" companywide", ""), f"{ACME} {local}")
