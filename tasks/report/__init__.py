"""The report: one HTML page of a release, from what was measured down to each answer.

`measured` and `cases` ask the warehouse, `provenance` the lake's commits; `charts` and `tradeoff` draw with Vega-Lite,
`verdict` says what the tests allow to be said; `page` puts it all into the template. Scripts, styles and templates are
files beside them.
"""
