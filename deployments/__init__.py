"""Deployments on a Prefect server: schedules, work pools, limits and presets."""
