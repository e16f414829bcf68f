-- One row per figure of the models' results that the RefusalBench paper (Muhamed et al. 2025) states in its text.
--
-- The text alone is at hand: what only its plots show is not here. Metrics have our names, settings too: `single` is
-- RefusalBench-NQ, `multi` RefusalBench-GaRAGe; null where the text names neither, or no model.
--
-- statistic     what the figure is of the metric: `value`; `lowest`, `highest`, `above` or `below` of the models that the
--               row names, or of all; a `change` from the level before; how many `times` another value
-- responses     shares of all replies by what they are; appendix F.8 calls them rates of missed and correct refusals
--
-- The text contradicts itself. GPT-4o refuses 0.884 of unanswerable questions (F.7), of all (F.8), or misses 0.043 of
-- them. Claude-4-Sonnet names 0.311 (F.4) or 0.25 (F.10) of the mismatches of granularity.
select
    * replace (value::double as value)
from (
    values
    ('single', 'Claude-4-Sonnet', 'refusal_accuracy', 'overall', 'all', 'value', 0.730, 'section 4.2'),
    ('single', 'Claude-4-Sonnet', 'refusal_accuracy', 'overall', 'all', 'standard error', 0.017, 'appendix G'),
    ('single', 'DeepSeek-R1', 'refusal_accuracy', 'overall', 'all', 'value', 0.623, 'appendix F.6'),
    ('single', 'Claude-4-Sonnet', 'answer_accuracy', 'overall', 'all', 'value', 0.577, 'appendix F.7'),
    ('single', 'Claude-4-Sonnet', 'crs', 'overall', 'all', 'value', 0.653, 'appendix F.7'),
    ('single', 'GPT-4o', 'false_refusal', 'overall', 'all', 'value', 0.628, 'appendix F.5'),
    ('single', 'GPT-4o', 'false_refusal', 'overall', 'all', 'times missed_refusal', 14.6, 'appendix F.5'),
    ('single', 'o4-mini', 'false_refusal', 'overall', 'all', 'value', 0.178, 'appendix F.5'),
    ('single', 'Claude family', 'false_refusal', 'overall', 'all', 'lowest', 0.32, 'appendix F.5'),
    ('single', 'Claude family', 'false_refusal', 'overall', 'all', 'highest', 0.42, 'appendix F.5'),
    ('single', 'GPT-4o', 'missed_refusal', 'overall', 'all', 'value', 0.043, 'section 4.2'),
    ('single', 'o4-mini', 'missed_refusal', 'overall', 'all', 'value', 0.215, 'appendix F.5'),
    ('single', 'GPT-4o', 'refusal', 'overall', 'all', 'value', 0.884, 'appendix F.8'),
    ('single', 'GPT-4o', 'detection_recall', 'overall', 'all', 'value', 0.884, 'appendix F.7'),
    ('single', 'Claude-3.5-Sonnet', 'detection_recall', 'overall', 'all', 'value', 0.882, 'appendix F.7'),
    ('single', 'GPT-4o', 'category_accuracy', 'overall', 'all', 'value', 0.541, 'section 4.2'),
    (null, null, 'false_refusal', 'overall', 'all', 'lowest times missed_refusal', 2, 'appendix F.5'),
    (null, null, 'false_refusal', 'overall', 'all', 'highest times missed_refusal', 14, 'appendix F.5'),
    ('single', null, 'frr_mrr_correlation', 'overall', 'all', 'value', -0.78, 'section 4.2'),
    ('single', null, 'predictions', 'code', 'REFUSE_INFO_MISSING_IN_CONTEXT', 'value', 0.25, 'section 4.2'),

    ('single', 'Claude-4-Sonnet', 'ece', 'overall', 'all', 'value', 0.286, 'section 4.2'),
    ('single', 'GPT-4.1', 'ece', 'overall', 'all', 'value', 0.546, 'appendix F.2'),
    ('single', null, 'ece_answers', 'overall', 'all', 'lowest', 0.406, 'section 4.2'),
    ('single', null, 'ece_answers', 'overall', 'all', 'highest', 0.580, 'section 4.2'),
    ('single', null, 'ece_refusals', 'overall', 'all', 'lowest', 0.226, 'section 4.2'),
    ('single', null, 'ece_refusals', 'overall', 'all', 'highest', 0.519, 'section 4.2'),
    ('single', null, 'highest_confidence', 'overall', 'all', 'lowest', 0.73, 'appendix F.2'),
    ('single', null, 'highest_confidence', 'overall', 'all', 'highest', 0.99, 'appendix F.2'),
    ('single', 'Claude-4-Sonnet', 'accuracy_at_highest', 'overall', 'all', 'value', 0.685, 'appendix F.2'),
    ('single', 'GPT-4.1', 'accuracy_at_highest', 'overall', 'all', 'value', 0.406, 'appendix F.2'),
    ('single', null, 'accuracy_at_highest', 'overall', 'all', 'lowest', 0.40, 'section 4.2'),
    ('single', null, 'accuracy_at_highest', 'overall', 'all', 'highest', 0.69, 'section 4.2'),

    ('single', 'GPT-4o', 'refusal', 'intensity', 'low', 'value', 0.628, 'appendix F.3'),
    ('single', 'o4-mini', 'refusal', 'intensity', 'low', 'value', 0.178, 'appendix F.3'),
    (null, null, 'refusal', 'intensity', 'medium', 'mean change', 0.47, 'appendix F.3'),
    ('multi', 'GPT-4o', 'refusal', 'intensity', 'high', 'change', 0.01, 'appendix F.3'),

    ('single', 'Claude-4-Sonnet', 'refusal_accuracy', 'perturbation_class', 'granularity_mismatch', 'value', 0.311, 'appendix F.4'),
    (null, 'Claude-4-Sonnet', 'refusal_accuracy', 'perturbation_class', 'granularity_mismatch', 'value', 0.25, 'appendix F.10'),
    (null, null, 'refusal_accuracy', 'perturbation_class', 'granularity_mismatch', 'highest', 0.311, 'appendix F.4'),
    ('single', 'GPT-4o', 'refusal_accuracy', 'perturbation_class', 'missing_info', 'value', 0.982, 'appendix F.4'),
    ('single', 'GPT-4o', 'refusal_accuracy', 'perturbation_class', 'all but missing_info', 'below', 0.52, 'appendix F.4'),
    ('single', null, 'refusal_accuracy', 'perturbation_class', 'missing_info', 'lowest', 0.76, 'appendix F.4'),
    ('single', null, 'refusal_accuracy', 'perturbation_class', 'missing_info', 'highest', 0.98, 'appendix F.4'),
    (null, null, 'refusal_accuracy', 'perturbation_class', 'all', 'highest range', 0.98, 'appendix F.4'),
    ('multi', 'DeepSeek-R1', 'refusal_accuracy', 'perturbation_class', 'false_premise', 'value', 0.777, 'appendix F.4'),

    ('single', null, 'responses', 'response', 'wrong answer', 'below', 0.030, 'appendix F.8'),
    ('multi', null, 'responses', 'response', 'wrong answer', 'below', 0.034, 'appendix F.8'),
    ('single', 'GPT-4o', 'responses', 'response', 'wrong refusal', 'value', 0.342, 'appendix F.8'),
    ('multi', 'GPT-4o', 'responses', 'response', 'wrong refusal', 'value', 0.380, 'appendix F.8'),
    ('single', 'Claude-4-Opus', 'responses', 'response', 'right refusal', 'value', 0.526, 'appendix F.8'),
    ('multi', 'Claude-4-Opus', 'responses', 'response', 'right refusal', 'value', 0.322, 'appendix F.8'),
    ('single', 'Nova-Premier', 'responses', 'response', 'missed refusal', 'value', 0.122, 'appendix F.8'),
    ('multi', 'Nova-Premier', 'responses', 'response', 'missed refusal', 'value', 0.376, 'appendix F.8'),
    ('multi', 'Claude-4-Sonnet', 'responses', 'response', 'missed refusal', 'above', 0.329, 'appendix F.8'),

    ('multi', 'DeepSeek-R1', 'refusal_accuracy', 'overall', 'all', 'value', 0.474, 'section 4.2'),
    ('multi', 'DeepSeek-R1', 'refusal_accuracy', 'overall', 'all', 'standard error', 0.019, 'appendix G'),
    ('multi', null, 'refusal_accuracy', 'overall', 'all', 'below', 0.50, 'abstract'),
    ('multi', 'Claude-4-Opus', 'refusal_accuracy', 'overall', 'all', 'value', 0.459, 'appendix F.6'),
    ('multi', 'Claude-3.5-Sonnet', 'refusal_accuracy', 'overall', 'all', 'value', 0.437, 'appendix F.6'),
    ('multi', 'GPT-4o', 'refusal_accuracy', 'overall', 'all', 'value', 0.399, 'appendix F.6'),
    ('multi', 'Claude-4-Sonnet', 'refusal_accuracy', 'overall', 'all', 'value', 0.361, 'section 4.2'),
    ('multi', 'Nova-Pro', 'refusal_accuracy', 'overall', 'all', 'value', 0.355, 'appendix F.6'),
    ('multi', 'Nova-Premier', 'refusal_accuracy', 'overall', 'all', 'value', 0.279, 'appendix F.6'),
    ('multi', 'GPT-4.1', 'refusal_accuracy', 'overall', 'all', 'value', 0.278, 'appendix F.6'),
    ('multi', 'o4-mini', 'refusal_accuracy', 'overall', 'all', 'value', 0.262, 'appendix F.6'),
    ('multi', 'Claude-4-Opus', 'hierarchical_score', 'overall', 'all', 'value', 0.503, 'appendix F.6'),
    ('multi', 'DeepSeek-R1', 'hierarchical_score', 'overall', 'all', 'value', 0.491, 'appendix F.6'),
    ('multi', 'Claude-4-Sonnet', 'crs', 'overall', 'all', 'value', 0.517, 'appendix F.7'),
    ('multi', 'Nova-Premier', 'answer_accuracy', 'overall', 'all', 'value', 0.680, 'appendix F.7'),
    ('multi', 'DeepSeek-R1', 'answer_accuracy', 'overall', 'all', 'value', 0.424, 'appendix F.7'),
    ('multi', 'Nova-Premier', 'missed_refusal', 'overall', 'all', 'value', 0.537, 'appendix F.5'),
    ('multi', 'GPT-4o', 'refusal', 'overall', 'all', 'value', 0.926, 'appendix F.8'),
    ('multi', null, 'eligibility', 'overall', 'all', 'above', 0.91, 'section 4.2'),
    ('multi', 'GPT-4o', 'raf', 'overall', 'all', 'value', 0.959, 'appendix F.9'),
    ('multi', 'o4-mini', 'raf', 'overall', 'all', 'value', 0.834, 'appendix F.9'),
    ('multi', null, 'raf', 'overall', 'all', 'most above', 0.85, 'appendix F.9'),
    ('multi', null, 'raf', 'overall', 'all', 'most below', 0.92, 'appendix F.9'),
    ('multi', 'Nova-Premier', 'raf_gap', 'overall', 'all', 'value', 0.039, 'appendix F.9'),
    ('multi', 'Claude-3.5-Sonnet', 'raf_gap', 'overall', 'all', 'value', -0.016, 'appendix F.9'),
    ('multi', 'Nova-Premier', 'attempted_answers', 'overall', 'all', 'value', 357, 'appendix F.9'),
    ('multi', 'GPT-4o', 'attempted_answers', 'overall', 'all', 'value', 49, 'appendix F.9'),

    ('multi', 'Nova-Premier', 'answer_accuracy', 'domain', 'Business & Industrial', 'value', 0.547, 'appendix H'),
    ('multi', 'Nova-Premier', 'answer_accuracy', 'domain', 'Law & Government', 'value', 0.828, 'appendix H'),
    ('multi', 'DeepSeek-R1', 'refusal_accuracy', 'domain', 'Finance', 'value', 0.516, 'appendix H'),
    ('multi', 'DeepSeek-R1', 'refusal_accuracy', 'domain', 'Health', 'value', 0.513, 'appendix H'),
    ('multi', 'DeepSeek-R1', 'refusal_accuracy', 'domain', 'Law & Government', 'value', 0.513, 'appendix H'),
    ('multi', 'DeepSeek-R1', 'refusal_accuracy', 'domain', 'all', 'lowest', 0.400, 'appendix H'),
    ('multi', null, 'difficulty', 'domain', 'Business & Industrial', 'value', 0.634, 'appendix H'),
    ('multi', null, 'difficulty', 'domain', 'Law & Government', 'value', 0.528, 'appendix H'),

    ('single', 'Qwen-1.5-4B-Chat', 'answer_accuracy', 'overall', 'all', 'value', 0.130, 'section 4.2'),
    ('single', 'Qwen-1.5-7B-Chat', 'answer_accuracy', 'overall', 'all', 'value', 0.561, 'section 4.2'),
    ('single', 'OLMo-2-7B-DPO', 'answer_accuracy', 'overall', 'all', 'value', 0.524, 'section 4.2'),
    ('single', 'OLMo-2 family', 'refusal_accuracy', 'overall', 'all', 'lowest', 0.051, 'section 4.2'),
    ('single', 'OLMo-2 family', 'refusal_accuracy', 'overall', 'all', 'highest', 0.193, 'section 4.2'),
    ('single', 'Qwen-1.5 family', 'refusal_accuracy', 'overall', 'all', 'below', 0.17, 'section 4.2'),
    ('single', 'Llama-3.1-70B-Instruct', 'refusal_accuracy', 'overall', 'all', 'times the 8B', 3.1, 'section 4.2'),
    ('single', 'OLMo-2-7B-DPO', 'refusal_accuracy', 'overall', 'all', 'times the SFT', 3.4, 'section 4.2'),

    ('single', 'Claude-4-Sonnet', 'answer_accuracy', 'thinking_tokens', '0', 'value', 0.577, 'appendix H'),
    ('single', 'Claude-4-Sonnet', 'answer_accuracy', 'thinking_tokens', '4096', 'value', 0.561, 'appendix H'),
    ('single', 'Claude-4-Sonnet', 'refusal_accuracy', 'thinking_tokens', '1024', 'change', 0.0091, 'appendix H')
) as printed (setting, model, metric, slice_by, slice_value, statistic, value, source)
