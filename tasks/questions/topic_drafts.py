"""Writing that a user may ask for: notes, lists and messages on topics that a context has enough to say about."""

from __future__ import annotations

from collections.abc import Iterator

from tasks.questions.drafts import Draft
from tasks.questions.sentence_drafts import stands_alone
from tasks.text.retrieval import Index
from tasks.text.terms import content_terms

# What an annual report is asked about in prose, and the words by which its passages are known.
_TOPICS = {
    "liquidity and capital resources": "liquidity capital cash credit facility borrowings",
    "competition": "competition competitors compete competitive",
    "our employees": "employees workforce unions labor",
    "research and development": "research development",
    "properties and facilities": "facilities properties located square feet leased",
    "government regulation": "regulation laws regulatory compliance agency",
    "environmental matters": "environmental remediation waste emissions",
    "patents and trademarks": "patents trademarks intellectual property licenses",
    "suppliers and raw materials": "suppliers raw materials components supply",
    "customers": "customers customer accounts",
    "dividends": "dividends dividend declared",
    "legal proceedings": "lawsuit court plaintiffs complaint litigation",
    "acquisitions": "acquisition acquired acquire purchase",
    "interest rate risk": "interest rate risk debt",
    "foreign currency": "foreign currency exchange rates",
    "our growth strategy": "strategy growth expand objectives",
    "distribution and sales channels": "distribution distributors sales channels dealers",
    "seasonality": "seasonal seasonality quarter",
    "income taxes": "income tax taxes rate deferred",
    "insurance": "insurance coverage claims policies",
}
_FORMS = ("note", "bullets", "email", "summary")
_ENOUGH = 3  # sentences below which there is nothing to write about


def topic_drafts(index: Index) -> Iterator[Draft]:
    """One writing task per topic on which the text has at least three sentences that stand alone."""
    for number, (topic, words) in enumerate(_TOPICS.items()):
        terms = content_terms(words)
        chosen = []
        for hit in index.rank(terms)[:40]:
            passage = hit.passage
            own = sum(term in passage.terms for term in terms)
            if passage.row is None and own >= 2 and stands_alone(" ".join(passage.text.split())):
                chosen.append(passage)
            if len(chosen) == 4:
                break
        if len(chosen) >= _ENOUGH:
            chosen.sort(key=lambda passage: passage.start_char)
            sentences = [" ".join(passage.text.split()) for passage in chosen]
            request, answer = _written(_FORMS[number % len(_FORMS)], topic, sentences)
            yield Draft(request, answer, chosen[0].start_char, "tg")


def _written(form: str, topic: str, sentences: list[str]) -> tuple[str, str]:
    if form == "bullets":
        return f"list the key points on {topic}", "\n".join(f"- {sentence}" for sentence in sentences)
    if form == "email":
        body = " ".join(sentences)
        return (
            f"draft a short email to the team about {topic}",
            f"Subject: {topic[:1].upper()}{topic[1:]}\n\nHello team,\n\n{body}",
        )
    if form == "summary":
        return f"summarize what the report says about {topic}", " ".join(sentences)
    return f"write a short note on {topic}", " ".join(sentences)
