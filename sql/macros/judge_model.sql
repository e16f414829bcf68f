-- The model that is a judge: of `critique=gpt-4o` it is gpt-4o, of `gpt-4o` itself.
create macro macros.judge_model(judge) as regexp_replace(judge, '^\w+=', '')
