"""Rules by which the weightless engine plays FailSafeQA's operations; used by those operations alone."""
