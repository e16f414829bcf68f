-- One row per model printed in the FailSafeQA paper (Kamble et al. 2025), with both of its tables.
--
-- All are shares of compliant answers; beta is 0.5, the judge is Qwen2.5-72B-Instruct, n is 220 pairs.
with printed as (

    select *
    from (
        values
        ('Gemini 2.0 Flash Exp', 0.95, 0.95, 0.95, 0.88, 0.91, 0.83, 0.81, 0.66, 0.77, 0.46, 0.74, 0.76),
        ('Gemini 1.5 Pro 002', 0.96, 0.96, 0.94, 0.92, 0.92, 0.84, 0.74, 0.64, 0.72, 0.53, 0.69, 0.72),
        ('OpenAI GPT-4o', 0.95, 0.94, 0.94, 0.92, 0.95, 0.85, 0.52, 0.43, 0.50, 0.25, 0.47, 0.52),
        ('OpenAI o1', 0.97, 0.95, 0.94, 0.89, 0.94, 0.81, 0.56, 0.55, 0.57, 0.45, 0.55, 0.59),
        ('OpenAI o3-mini', 0.98, 0.96, 0.96, 0.95, 0.90, 0.90, 0.67, 0.51, 0.63, 0.27, 0.59, 0.63),
        ('DeepSeek-R1-Distill-Llama-8B', 0.83, 0.85, 0.82, 0.87, 0.72, 0.64, 0.32, 0.27, 0.30, 0.25, 0.30, 0.34),
        ('DeepSeek-R1-Distill-Qwen-14B', 0.95, 0.90, 0.92, 0.93, 0.86, 0.82, 0.49, 0.21, 0.36, 0.27, 0.35, 0.40),
        ('DeepSeek-R1-Distill-Qwen-32B', 0.95, 0.97, 0.95, 0.92, 0.89, 0.86, 0.54, 0.24, 0.40, 0.35, 0.39, 0.44),
        ('DeepSeek-R1-Distill-Llama-70B', 0.96, 0.97, 0.95, 0.94, 0.93, 0.89, 0.50, 0.27, 0.41, 0.22, 0.38, 0.43),
        ('DeepSeek-R1', 0.94, 0.94, 0.93, 0.91, 0.88, 0.80, 0.51, 0.22, 0.39, 0.20, 0.37, 0.41),
        ('Meta-Llama-3.1-8B-Instruct', 0.91, 0.90, 0.86, 0.82, 0.80, 0.70, 0.67, 0.63, 0.70, 0.27, 0.65, 0.66),
        ('Meta-Llama-3.1-70B-Instruct', 0.94, 0.92, 0.94, 0.87, 0.88, 0.80, 0.46, 0.47, 0.48, 0.37, 0.47, 0.51),
        ('Meta-Llama-3.3-70B-Instruct', 0.95, 0.92, 0.93, 0.90, 0.89, 0.82, 0.50, 0.40, 0.47, 0.31, 0.45, 0.49),
        ('Qwen2.5-7B-Instruct', 0.92, 0.91, 0.90, 0.85, 0.80, 0.75, 0.75, 0.64, 0.75, 0.31, 0.70, 0.71),
        ('Qwen2.5-14B-Instruct', 0.95, 0.94, 0.94, 0.94, 0.88, 0.86, 0.75, 0.61, 0.70, 0.55, 0.68, 0.71),
        ('Qwen2.5-32B-Instruct', 0.95, 0.94, 0.93, 0.92, 0.92, 0.85, 0.89, 0.68, 0.82, 0.55, 0.79, 0.80),
        ('Qwen2.5-72B-Instruct', 0.94, 0.94, 0.94, 0.92, 0.91, 0.84, 0.69, 0.60, 0.68, 0.39, 0.64, 0.67),
        ('Qwen2.5-7B-Instruct-1M', 0.91, 0.91, 0.91, 0.86, 0.77, 0.74, 0.63, 0.58, 0.65, 0.29, 0.60, 0.62),
        ('Qwen2.5-14B-Instruct-1M', 0.95, 0.92, 0.91, 0.91, 0.89, 0.80, 0.78, 0.53, 0.69, 0.37, 0.65, 0.68),
        ('Nemotron-70B-Instruct-HF', 0.94, 0.94, 0.93, 0.90, 0.91, 0.82, 0.52, 0.48, 0.52, 0.39, 0.50, 0.54),
        ('Phi-3-mini-128k-Instruct', 0.86, 0.85, 0.78, 0.79, 0.69, 0.58, 0.54, 0.34, 0.47, 0.24, 0.44, 0.46),
        ('Phi-3-small-128k-Instruct', 0.88, 0.84, 0.88, 0.83, 0.78, 0.70, 0.37, 0.26, 0.34, 0.10, 0.31, 0.35),
        ('Phi-3-medium-128k-Instruct', 0.89, 0.84, 0.84, 0.81, 0.72, 0.63, 0.36, 0.25, 0.33, 0.14, 0.30, 0.34),
        ('Palmyra-Fin-128k-Instruct', 0.96, 0.93, 0.92, 0.90, 0.89, 0.83, 0.95, 0.66, 0.83, 0.65, 0.80, 0.81)
    ) as rows (
        model,
        baseline,
        misspelled,
        incomplete,
        out_of_domain,
        ocr,
        robustness,
        irrelevant_context,
        missing_context,
        context_grounding_qa,
        context_grounding_tg,
        context_grounding,
        llmc
    )

),

published_failsafeqa as (

    select
        model,
        columns(* exclude (model))::double
    from printed

)

select * from published_failsafeqa
order by llmc desc, model
