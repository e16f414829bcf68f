"""Export of releases as a Hugging Face data set with a card."""
