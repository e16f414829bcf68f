"""Models: catalogue, prices, and windows.

Others use `catalogue.find_model`, `prices`, `windows.check_window` and `addresses.shown`.
"""
