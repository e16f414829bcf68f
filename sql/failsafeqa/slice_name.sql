-- The name of a slice by what it is cut to: `overall`, `task=qa`, `variant=ocr,task=tg`.
create macro failsafeqa.slice_name(variant, task) as
    coalesce(
        nullif(concat_ws(',', 'variant=' || variant, 'task=' || task), ''),
        'overall'
    )
