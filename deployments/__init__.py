"""What runs on a Prefect server: deployments with their schedules, work pools, limits, presets."""
