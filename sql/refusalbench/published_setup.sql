-- One row per count, setting, package or cost of the RefusalBench paper's experiments, as its text states it.
with printed as (

    select *
    from (
        values
        (null, 'levers', '176', 'abstract'),
        (null, 'levers of a class and intensity, about', '10', 'section 3.3'),
        (null, 'levers in the catalogue that it prints', '90', 'appendix K'),
        (null, 'criteria of a verifier', '7', 'section 3.4'),
        (null, 'generators', '4', 'appendix C.3'),
        (null, 'models evaluated, more than', '30', 'abstract'),
        ('single', 'base questions', '100', 'section 4.1'),
        ('multi', 'base questions', '100', 'section 4.1'),
        ('multi', 'base questions of a domain', '20', 'appendix C.1'),
        ('multi', 'passages', '10', 'appendix C.1'),
        ('multi', 'most signal passages', '5', 'appendix C.1'),
        ('single', 'cases', '1,600', 'section 4.1'),
        ('multi', 'cases', '1,506', 'section 4.1'),
        ('multi', 'share of the largest domain, Health', '22.9%', 'appendix C.3'),
        ('multi', 'share of the smallest domain, Finance', '16.4%', 'appendix C.3'),
        (null, 'perturbations that the expert saw, of each benchmark', '180', 'appendix C.2'),
        (null, 'of these, of each class and intensity', '10', 'appendix C.2'),
        ('single', 'least quality of a correct answer', '4', 'section 4.1'),
        (null, 'bootstrap resamples', '1,000', 'appendix G'),
        (null, 'standard error of refusal accuracy, below', '2.0%', 'appendix G'),
        (null, 'least kappa that is moderate agreement', '0.40', 'appendix E.1'),
        ('single', 'thinking tokens', '0, 1024, 2048, and 4096', 'appendix H'),
        (null, 'judge', 'Claude-4-Sonnet', 'section 4.1'),
        (null, 'temperature', '1.0', 'appendix J'),
        (null, 'top_p', '1.0', 'appendix J'),
        (null, 'temperature of Gemini 2.5 Pro', '0.1', 'appendix J'),
        (null, 'months of the experiments', 'June and July 2025', 'appendix J'),
        (null, 'US dollars, less than', '10,000', 'appendix J'),
        (null, 'time of the evaluation, within', 'one week', 'appendix J'),
        (null, 'GPUs of 80 GB', '4× NVIDIA A100', 'appendix J'),
        (null, 'LiteLLM', '1.40.11', 'appendix J'),
        (null, 'vLLM', '0.5.1', 'appendix J'),
        (null, 'Hugging Face Transformers', '4.42.3', 'appendix J'),
        (null, 'Hugging Face Datasets', '2.19.2', 'appendix J'),
        (null, 'Pandas', '2.2.2', 'appendix J'),
        (null, 'NumPy', '1.26.4', 'appendix J')
    ) as rows (setting, name, value, source)

),

published_setup as (

    select * from printed

)

select * from published_setup
