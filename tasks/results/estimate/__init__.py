"""Estimate of a run's calls and their cost before anything is sent.

Other packages use `estimate` and `call_costs`.
"""
