"""What is made of a scored lake, a room each: report, explain, compare, publish, audit; and estimate, before a run."""
