"""Work spread over processes or a Ray cluster.

Others use `workers.spread` and `ray_cluster`.
"""
