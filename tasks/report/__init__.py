"""The report: one HTML page of a release, from what was measured down to each answer.

`measured`, `trial` and `cases` ask the warehouse, `provenance` the lake's commits. `charts` and `scatter` say what is
drawn, `drawing` draws it with Vega-Lite, `labels` finds room for names. `verdict` says what the tests allow to be said,
`contents` what each section shows, `assets` what the page may run; `page` puts it all into the templates. Scripts, style
and templates are files beside them.
"""
