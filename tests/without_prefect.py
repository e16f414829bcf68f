"""Scripts that do what the tasks of a flow do, without Prefect, whose start takes longer than all the rest.

`python -c INFER LAKE MODEL`, `python -c BUILD LAKE DATASET`, in the repository's root.
"""

from __future__ import annotations

# Stands for Prefect: a task is its function.
TASKS = """
import sys, types
prefect = types.ModuleType("prefect")
prefect.task = lambda **options: lambda function: function
policies = types.ModuleType("prefect.cache_policies")
policies.NO_CACHE = None
sys.modules |= {"prefect": prefect, "prefect.cache_policies": policies}
from tasks.settings import RunSettings
lake, given = sys.argv[1:]
"""
BUILD = (
    TASKS
    + """
from tasks.build import build_dataset
from tasks.ingest import ingest_filings
run = RunSettings(lake=lake, dataset=given)
ingest_filings(run)
build_dataset(run)
"""
)
INFER = (
    TASKS
    + """
from tasks.infer import infer_prefixes, infer_responses
run = RunSettings(lake=lake, model=(given,))
infer_prefixes(run)
infer_responses(run, given)
"""
)
