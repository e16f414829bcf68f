"""Citations: pairs in; pairs with cited and sanitised spans, and rejects, out.

The citer finds the spans; the checker decides whether they support the answer. Offsets of a
`Citation` count from the start of the *document's* text.
"""
