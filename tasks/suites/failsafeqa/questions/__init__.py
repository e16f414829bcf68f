"""Questions: contexts in; question-answer pairs without citations, and rejects, out.

A part is `write(contexts, engine, *, pairs, seed) -> Iterator[QAPair | Reject]`.
"""
