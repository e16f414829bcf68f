"""The recall study: whether answers from tables say what the text around them says.

Paper 001, appendix F. `study.STEP` is its step of the build, `papers.SOURCE` its other source.
"""
