-- The name of a slice by what it is cut to: `overall`, `task=qa`, `perturbation=ocr,task=tg`.
create macro macros.slice_name(perturbation, task) as
    coalesce(
        nullif(concat_ws(',', 'perturbation=' || perturbation, 'task=' || task), ''),
        'overall'
    )
