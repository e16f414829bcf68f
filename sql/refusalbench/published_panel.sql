-- One row per figure that the RefusalBench paper states of its panel of generators and verifiers.
--
-- kappa         of the two models in `generator` and `verifier`, both as verifiers
-- raters        whose votes count: `self` the generator's own, `cross` the other models', `all` of them
-- statistic     as in `published`; of a kappa over pairs of verifiers
--
-- Section 4.2 and appendix E.4 give Claude-4-Sonnet other pass rates on RefusalBench-NQ: both are here.
with printed as (

    select *
    from (
        values
        ('single', 'pass_rate', null, null, 'self', 'overall', 'all', 'mean', 0.910, 'section 4.2'),
        ('single', 'pass_rate', null, null, 'cross', 'overall', 'all', 'mean', 0.821, 'section 4.2'),
        ('single', 'pass_rate', 'Claude-4-Sonnet', null, 'self', 'overall', 'all', 'value', 0.757, 'section 4.2'),
        ('single', 'pass_rate', 'Claude-4-Sonnet', null, 'cross', 'overall', 'all', 'value', 0.973, 'section 4.2'),
        ('single', 'self_bias', null, null, null, 'overall', 'all', 'highest', 0.258, 'section 4.2'),

        ('single', 'pass_rate', 'Claude-4-Sonnet', null, 'self', 'overall', 'all', 'value', 0.8799, 'appendix E.4'),
        ('single', 'pass_rate', 'Claude-4-Sonnet', null, 'cross', 'overall', 'all', 'value', 0.9673, 'appendix E.4'),
        ('single', 'pass_rate', 'Nova-Pro', null, 'self', 'overall', 'all', 'value', 1.0, 'appendix E.4'),
        ('single', 'pass_rate', 'Nova-Pro', null, 'cross', 'overall', 'all', 'value', 0.8443, 'appendix E.4'),
        ('single', 'pass_rate', 'GPT-4o', null, 'self', 'overall', 'all', 'value', 1.0, 'appendix E.4'),
        ('single', 'pass_rate', 'GPT-4o', null, 'cross', 'overall', 'all', 'value', 0.9191, 'appendix E.4'),
        ('single', 'pass_rate', 'DeepSeek-R1', null, 'self', 'overall', 'all', 'value', 0.9928, 'appendix E.4'),
        ('single', 'pass_rate', 'DeepSeek-R1', null, 'cross', 'overall', 'all', 'value', 0.9780, 'appendix E.4'),
        ('multi', 'pass_rate', 'Claude-4-Sonnet', null, 'self', 'overall', 'all', 'value', 0.704, 'appendix E.4'),
        ('multi', 'pass_rate', 'Claude-4-Sonnet', null, 'cross', 'overall', 'all', 'value', 0.967, 'appendix E.4'),
        ('multi', 'pass_rate', 'Nova-Pro', null, 'self', 'overall', 'all', 'value', 0.985, 'appendix E.4'),
        ('multi', 'pass_rate', 'Nova-Pro', null, 'cross', 'overall', 'all', 'value', 0.555, 'appendix E.4'),
        ('multi', 'self_bias', 'GPT-4o', null, null, 'overall', 'all', 'value', 0.200, 'appendix E.4'),
        ('multi', 'self_bias', 'DeepSeek-R1', null, null, 'overall', 'all', 'value', 0.066, 'appendix E.4'),

        ('single', 'pass_rate', 'DeepSeek-R1', null, 'all', 'intensity', 'low', 'value', 0.910, 'appendix E.2'),
        ('single', 'pass_rate', 'DeepSeek-R1', null, 'all', 'intensity', 'medium', 'value', 0.949, 'appendix E.2'),
        ('single', 'pass_rate', 'DeepSeek-R1', null, 'all', 'intensity', 'high', 'value', 0.965, 'appendix E.2'),
        ('single', 'pass_rate', 'GPT-4o', null, 'all', 'intensity', 'low', 'value', 0.827, 'appendix E.2'),
        ('single', 'pass_rate', 'GPT-4o', null, 'all', 'intensity', 'medium', 'value', 0.765, 'appendix E.2'),
        ('single', 'pass_rate', 'GPT-4o', null, 'all', 'intensity', 'high', 'value', 0.797, 'appendix E.2'),
        ('single', 'pass_rate', 'Nova-Pro', null, 'all', 'intensity', 'low', 'value', 0.711, 'appendix E.2'),
        ('single', 'pass_rate', 'Nova-Pro', null, 'all', 'intensity', 'medium', 'value', 0.690, 'appendix E.2'),
        ('single', 'pass_rate', 'Nova-Pro', null, 'all', 'intensity', 'high', 'value', 0.739, 'appendix E.2'),

        ('single', 'pass_rate', null, null, 'all', 'perturbation_class', 'ambiguity', 'value', 0.725, 'appendix E.3'),
        ('single', 'pass_rate', null, null, 'all', 'perturbation_class', 'missing_info', 'value', 0.928, 'appendix E.3'),
        ('single', 'pass_rate', null, null, 'all', 'perturbation_class', 'granularity_mismatch', 'value', 0.938, 'appendix E.3'),
        ('single', 'pass_rate', null, null, 'all', 'perturbation_class', 'false_premise', 'value', 0.943, 'appendix E.3'),
        ('single', 'pass_rate', null, null, 'all', 'perturbation_class', 'contradiction', 'value', 0.972, 'appendix E.3'),
        ('single', 'pass_rate', null, null, 'all', 'perturbation_class', 'epistemic_mismatch', 'value', 0.978, 'appendix E.3'),
        ('multi', 'pass_rate', null, null, 'all', 'perturbation_class', 'ambiguity', 'value', 0.734, 'appendix E.3'),
        ('multi', 'pass_rate', null, null, 'all', 'perturbation_class', 'missing_info', 'value', 0.725, 'appendix E.3'),
        ('multi', 'pass_rate', null, null, 'all', 'perturbation_class', 'epistemic_mismatch', 'value', 0.767, 'appendix E.3'),
        ('multi', 'pass_rate', null, null, 'all', 'perturbation_class', 'granularity_mismatch', 'value', 0.787, 'appendix E.3'),
        ('multi', 'pass_rate', null, null, 'all', 'perturbation_class', 'contradiction', 'value', 0.896, 'appendix E.3'),
        ('multi', 'pass_rate', null, null, 'all', 'perturbation_class', 'false_premise', 'value', 0.971, 'appendix E.3'),

        ('single', 'kappa', 'GPT-4o', 'Nova-Pro', null, 'overall', 'all', 'highest', 0.442, 'appendix E.1'),
        ('single', 'kappa', 'GPT-4o', 'Claude-4-Sonnet', null, 'overall', 'all', 'lowest', 0.061, 'appendix E.1'),
        ('single', 'kappa', null, null, null, 'overall', 'all', 'mean', 0.190, 'appendix E.1'),
        ('multi', 'kappa', 'Claude-4-Sonnet', 'DeepSeek-R1', null, 'overall', 'all', 'highest', 0.230, 'appendix E.1'),
        ('multi', 'kappa', null, null, null, 'overall', 'all', 'lowest', 0.116, 'appendix E.1'),

        ('single', 'n_kept', 'Claude-4-Sonnet', null, null, 'overall', 'all', 'value', 400, 'appendix C.3'),
        ('single', 'n_kept', 'DeepSeek-R1', null, null, 'overall', 'all', 'value', 400, 'appendix C.3'),
        ('single', 'n_kept', 'GPT-4o', null, null, 'overall', 'all', 'value', 400, 'appendix C.3'),
        ('single', 'n_kept', 'Nova-Pro', null, null, 'overall', 'all', 'value', 400, 'appendix C.3'),
        ('multi', 'n_kept', 'Claude-4-Sonnet', null, null, 'overall', 'all', 'value', 406, 'appendix C.3'),
        ('multi', 'n_kept', 'DeepSeek-R1', null, null, 'overall', 'all', 'value', 385, 'appendix C.3'),
        ('multi', 'n_kept', 'GPT-4o', null, null, 'overall', 'all', 'value', 370, 'appendix C.3'),
        ('multi', 'n_kept', 'Nova-Pro', null, null, 'overall', 'all', 'value', 345, 'appendix C.3')
    ) as rows (setting, metric, generator, verifier, raters, slice_by, slice_value, statistic, value, source)

),

published_panel as (

    select * replace (value::double as value)
    from printed

)

select * from published_panel
