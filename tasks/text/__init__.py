"""Plain text: tokens, sentences, terms, retrieval.

Others use any module; none of them knows of suites or of the pipeline.
"""
