-- One row per model and task of the long-context paper: table 2, F1 on single articles.
select
    model,
    task,
    f1::double as f1
from (
    values
    ('gpt-4o-2024-05-13', 'company', 0.79),
    ('gpt-4o-2024-05-13', 'time', 0.97),
    ('gpt-4o-2024-05-13', 'company_time', 0.85),
    ('gpt-4o-2024-05-13', 'company_sentiment', 0.56),
    ('gpt-4-turbo-2024-04-09', 'company', 0.79),
    ('gpt-4-turbo-2024-04-09', 'time', 0.89),
    ('gpt-4-turbo-2024-04-09', 'company_time', 0.79),
    ('gpt-4-turbo-2024-04-09', 'company_sentiment', 0.59),
    ('Llama-2-7B, fine-tuned', 'company', 0.87),
    ('Llama-2-7B, fine-tuned', 'company_sentiment', 0.89)
) as printed (model, task, f1)
