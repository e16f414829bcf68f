-- One row per class of perturbations of the RefusalBench paper, and one for all: the share that an expert passed, table 2.
--
-- 180 perturbations of each benchmark, ten of each class and intensity, after the verifiers had passed them.
with printed as (

    select *
    from (
        values
        ('ambiguity', 0.883, 0.833),
        ('contradiction', 0.967, 0.933),
        ('epistemic_mismatch', 0.967, 0.900),
        ('false_premise', 0.933, 0.900),
        ('granularity_mismatch', 0.900, 0.867),
        ('missing_info', 0.933, 0.867),
        ('all', 0.931, 0.883)
    ) as rows (perturbation_class, single_pass_rate, multi_pass_rate)

),

published_human as (

    select
        perturbation_class,
        columns(* exclude (perturbation_class))::double,
        'table 2' as source
    from printed

)

select * from published_human
order by perturbation_class = 'all', perturbation_class
