"""Plain-text skills that several rooms share: tokens, sentences, figures, terms, retrieval."""
