"""The report: a release as one HTML page, down to each answer.

Other rooms use `page`, `measured` and `unscored`.
"""
