"""Suites, one folder each; `suite` is their contract, `registry` lists them.

Parts that several use are in `shared`. A suite imports neither another suite nor `registry`.
"""
