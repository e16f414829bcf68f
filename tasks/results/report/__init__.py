"""The report: a release as one HTML page, down to each answer."""
