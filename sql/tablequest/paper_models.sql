-- One row per model printed in the TableQuest paper (Pan et al. 2024), with its tables 2 and 3.
--
-- Ratings are Elo against gpt-4o, at 1000, on 80 questions of each level; the judge is gpt-4-turbo. accuracy is that of easy
-- and medium questions, as shares; all of it is the mean of the two. None is printed for gpt-4o. Names
-- that end in `-vision` were shown images.
--
-- The paper does not say how ratings are computed. 797.37 on hard questions is 1000 + 400 log10(19 / 61), that is 19
-- points of 80, and 892.46 is a share of 0.35 of all points. No count of wins and half ties out of 80 gives
-- the other ratings, whose games may have been weighed or dropped.
select
    model,
    'gpt-4-turbo' as judge,
    240 as n_questions,
    columns(* exclude (model))::double
from (
    values
    ('gpt-4o', 1000, 1000, 1000, 1000, null, null, null),
    ('gpt-4-turbo', 1164.35, 1104.56, 1372.43, 1045.06, 0.65625, 0.6375, 0.675),
    ('claude-3-5-sonnet-20240620', 1081.39, 1250.12, 1219.87, 832.23, 0.65625, 0.675, 0.6375),
    ('gemini-1.5-pro', 896.81, 967.86, 930.28, 779.98, 0.6625, 0.70, 0.625),
    ('gemini-1.5-flash', 880.88, 880.19, 969.48, 779.98, 0.64375, 0.6875, 0.60),
    ('Meta-Llama-3.1-70B-Instruct', 869.27, 880.19, 1008.80, 703.98, 0.4875, 0.4875, 0.4875),
    ('Qwen2-72B-Instruct', 867.81, 884.54, 912.63, 793.03, 0.65, 0.65, 0.65),
    ('Meta-Llama-3-70B-Instruct', 772.05, 853.85, 833.20, 606.52, 0.51875, 0.5375, 0.50),
    ('gpt-4o-vision', 892.46, null, null, 797.37, 0.70, 0.725, 0.675),
    ('gemini-1.5-pro-vision', 760.52, null, null, 639.71, 0.54375, 0.625, 0.4625)
) as printed (model, elo, easy_elo, medium_elo, hard_elo, accuracy, easy_accuracy, medium_accuracy)
order by elo desc, model
