"""Citations: pairs in, pairs with cited and sanitised spans, and rejects, out.

A part is `cite(pairs, contexts, texts, citer, checker) -> Iterator[QAPair | Reject]`, where
`contexts` maps context_id to Context, `texts` maps document_id to the document's text, the
citer finds the spans and the checker decides whether they support the answer. Offsets of
a `Citation` count from the start of the *document's* text.
"""
