"""The report: one HTML page of a release, from what was measured down to each answer; others use `page`, `measured`, `unscored`."""
