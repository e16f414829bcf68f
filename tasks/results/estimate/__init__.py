"""What a run will ask, and what that costs, before anything is sent; others use `estimate`, `budget` and `call_costs`."""
