"""Models: the catalogue, prices, addresses, and what a model needs of GPU memory."""
