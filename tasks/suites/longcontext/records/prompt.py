"""The prompt of a case, for counting its tokens."""

from __future__ import annotations

from tasks.core.rows import Case
from tasks.suites.longcontext.rows import Query

FILES: tuple[str, ...] = ()


# Stand-ins until `answer.py` and `wording.py` exist.
def prompt_of(case: Case, text: str) -> str:
    """Return the prompt that asks a case about a text."""
    instruction = f"{case.query}\n\nReply with JSON." + " Name each article once." * 20
    after = instruction if case.variant in ("append", "both") else "Reply:"
    return f"{instruction}\n\n[Start of articles]\n{text}[End of articles]\n\n{after}"


def word_query(query: Query) -> str:
    """Word a query."""
    about = f" about {query.company}" if query.company else ""
    since = f" since {query.since}, today is {query.today}" if query.since else ""
    return f"Find every {query.sentiment or ''} article{about}{since}.\nA definition."
