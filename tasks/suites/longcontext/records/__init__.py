"""From articles to records: queries, haystacks with their cases, and single-article cases."""
