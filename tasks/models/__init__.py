"""Models: catalogue, prices, and GPU memory.

Others use `catalogue.find_model`, `prices`, `gpu_memory.check_layouts` and `addresses.shown`.
"""
