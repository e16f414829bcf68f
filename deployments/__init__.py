"""Deployments on a Prefect server: schedules, work pools and presets."""
