"""Questions: contexts in, question-answer pairs (without citations yet) and rejects out.

A part is `write(contexts, engine, *, pairs, seed, examples) -> Iterator[QAPair | Reject]`.
"""
