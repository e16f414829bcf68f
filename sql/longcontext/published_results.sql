-- One row per figure that the long-context paper states in words: F1 by length on its simplest task, and degenerate replies.
select
    model,
    task,
    length,
    metric,
    value::double as value
from (
    values
    ('gpt-4o-2024-05-13', 'company', 4000, 'f1', 0.99),
    ('gpt-4o-2024-05-13', 'company', 128000, 'f1', 0.4),
    ('gpt-4-turbo-2024-04-09', 'company', 128000, 'degenerate', 0.04),
    ('gpt-4-turbo-2024-04-09', 'company_sentiment', 128000, 'degenerate', 0.42)
) as printed (model, task, length, metric, value)
