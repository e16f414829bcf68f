"""Questions on a snippet, in rounds of rising level: written, proved, verified."""
