"""Work spread over processes or a Ray cluster; others use `workers` and `ray_cluster`."""
