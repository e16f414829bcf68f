"""Which steps a run has (`plan`), what each depends on, what is finished, and what is refused before it starts (`preflight`)."""
