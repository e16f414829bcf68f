"""Suites, a folder each: `suite` is their contract, `registry` finds one by name, `shared` is what several use.

A suite imports no other suite, and no part of one imports `registry`.
"""
