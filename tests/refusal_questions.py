"""Base questions for tests of proofs and plays."""

from __future__ import annotations

from tasks.suites.refusalbench.rows import AskedFigure, BasePassage, BaseQuestion

FREIGHT = (
    "Kestrel Freight moved more coal than in the year before. Railway revenues were "
    "$7.7 billion in fiscal 2021, up from $7.1 billion in fiscal 2020. Operating expenses came to "
    "$5.2 billion (excluding the costs of a storm). Generally, we serve various ports such as "
    "Toledo and Ashtabula."
)
TABLE = (
    "| Years ended December 31,\n(In millions) | 2021 | 2020\nFreight revenues | $7,734 | $7,102\n"
    "Labor | 2,313 | 2,041\nFuel | 1,151 | 998\n\nFuel prices rose in 2021."
)
SHARE = (
    "Coal made up 18% of our carloads in 2021. Grain made up 31% of our carloads in 2021. "
    "We hauled more grain than in any year since the founding of the railroad."
)
PLANTS = (
    "At December 29, 2021, Kestrel Freight operated 158 shops in the United States. The shops "
    "abroad repair locomotives for other railroads. Most of the shops are owned and the "
    "others are leased."
)
NOISE = (
    "Harbor Mills grinds wheat for bakeries. Its flour sales were $212 million in 2021.",
    "[Kestrel Freight, annual report]\nThe directors are elected for one year.",
)


def base_question(
    text: str,
    measure: str,
    period: str,
    figure: str,
    *,
    noise: tuple[str, ...] = (),
    query: str | None = None,
) -> BaseQuestion:
    """Return a question for one figure of a passage, with noise passages after it."""
    asked = AskedFigure(company="Kestrel Freight", measure=measure, period=period, figure=figure)
    return BaseQuestion(
        base_question_id="q",
        setting="multi" if noise else "single",
        source="file",
        source_id="1",
        query=query or f"What were Kestrel Freight's {measure} in {period}?",
        answers=(figure,),
        passages=(
            BasePassage(text=text, is_signal=True, document_id=None, start_char=0),
            *(
                BasePassage(text=each, is_signal=False, document_id=None, start_char=0)
                for each in noise
            ),
        ),
        asked=asked,
        sector="industrials",
        answer_kind="money",
    )


PROSE = base_question(FREIGHT, "railway revenues", "fiscal 2021", "$7.7 billion")
ROWS = base_question(TABLE, "freight revenues", "2021", "$7,734 million")
PERCENT = base_question(SHARE, "share of coal in carloads", "2021", "18%")
COUNT = base_question(PLANTS, "shops in the United States", "December 29, 2021", "158")
MULTI = base_question(FREIGHT, "railway revenues", "fiscal 2021", "$7.7 billion", noise=NOISE)

ACME = "Net sales of Acme Corp. were $7.7 billion in fiscal 2023. Acme sells paint."


def acme_question(
    *texts: str, noise: tuple[str, ...] = (), asked: dict[str, str] | None = None
) -> BaseQuestion:
    """Return a question for net sales of Acme Corp., of passages and noise."""
    facts = {
        "company": "Acme Corp.",
        "measure": "net sales",
        "period": "fiscal 2023",
        "figure": "$7.7 billion",
        **(asked or {}),
    }
    passages = [(text, True) for text in texts or (ACME,)] + [(text, False) for text in noise]
    return BaseQuestion(
        base_question_id="q",
        setting="single" if len(passages) == 1 else "multi",
        source="filings",
        source_id="d",
        query="What were Acme Corp.'s net sales in fiscal 2023?",
        answers=(facts["figure"],),
        passages=tuple(
            BasePassage(text=text, is_signal=is_signal, document_id=None, start_char=0)
            for text, is_signal in passages
        ),
        asked=AskedFigure(**facts),
        sector="unknown",
        answer_kind="money",
    )
