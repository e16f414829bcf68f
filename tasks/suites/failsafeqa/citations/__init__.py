"""Citations: pairs in; pairs with cited and sanitised spans, and rejects, out.

A part is `cite(pairs, contexts, texts, citer, checker) -> Iterator[QAPair | Reject]`.
`contexts` maps context_id to Context, and `texts` document_id to the document's text. The citer
finds the spans; the checker decides whether they support the answer. Offsets of a `Citation`
count from the start of the *document's* text.
"""
