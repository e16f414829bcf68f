"""Where queries name the company of the report."""

from __future__ import annotations

import pytest

from tasks.suites.failsafeqa.perturbations.mentions import company_mentions


@pytest.mark.parametrize(
    ("company", "query", "said"),
    [
        ("FEDEX CORP/DE/", "What did FedEx pay in 2022?", ["FedEx"]),
        ("FEDEX CORP", "What did FedEx Office pay in 2022?", []),
        ("FEDEX CORP", "How many FedEx-owned jets fly?", []),
        (
            "WELLS FARGO & COMPANY/MN",
            "Summarize Wells Fargo & Company's fees.",
            ["Wells Fargo & Company"],
        ),
        ("COCA COLA CO", "What was Coca-Cola's debt?", ["Coca-Cola"]),
        ("JOHNSON & JOHNSON", "Was Johnson & Johnson's profit up?", ["Johnson & Johnson"]),
        ("ESTEE LAUDER COMPANIES INC", "What did Estée Lauder sell?", ["Estée Lauder"]),
        ("WALT DISNEY CO/", "What did The Walt Disney Company buy?", ["The Walt Disney Company"]),
        ("First Bancorp", "What was earned in the First quarter?", []),
        ("Intel Corp", "What did the Company announce?", ["the Company"]),
        ("Intel Corp", "Which company did it buy?", []),
        ("Ford Motor Co", "How many can afford a car?", []),
    ],
)
def test_finds_its_name_in_any_usual_form_and_no_other_name(company, query, said):
    found = [query[start:end] for start, end in company_mentions(query, company)]
    assert found == said
