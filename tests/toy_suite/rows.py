"""Tables that only the toy suite has."""

from tasks.core.tables import table


@table("headlines", keys=("release", "suite"))
class Headline:
    """One line of news."""

    title: str
    company: str


@table("toy_votes", keys=("release", "suite"))
class ToyVote:
    """What one verifier says of one pair."""

    qa_pair_id: str
    verifier: str
    is_good: bool


ROW_TYPES = (Headline, ToyVote)
