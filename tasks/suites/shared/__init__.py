"""Parts that several suites use: answers to be judged, and published files."""
