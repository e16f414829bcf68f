"""Tables that only the toy suite has."""

from dataclasses import dataclass

from tasks.core.tables import table


@table("headlines", keys=("release", "suite"))
@dataclass(frozen=True, slots=True, kw_only=True)
class Headline:
    """One line of news."""

    title: str
    company: str


@table("toy_votes", keys=("release", "suite"))
@dataclass(frozen=True, slots=True, kw_only=True)
class ToyVote:
    """What one verifier says of one pair."""

    qa_pair_id: str
    verifier: str
    is_good: bool


ROW_TYPES = (Headline, ToyVote)
