"""Parts that several suites use: cases, contexts, answers to judge, and published files."""
