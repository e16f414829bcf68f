"""What a run will ask, and what that costs, before anything is sent.

`estimate` counts what the lake holds already and predicts the rest from the suite's planning figures; `rehearsal` renders
the calls that can be rendered, `preview` looks at filings that have not been ingested, `call_costs` and `gpu_time`
turn tokens into dollars and modelled GPU-hours.
"""
