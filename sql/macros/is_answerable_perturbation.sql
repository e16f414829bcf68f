-- Whether robustness counts a perturbation: those that keep the query's meaning and the document's content.
create macro macros.is_answerable_perturbation(perturbation) as
    perturbation in ('baseline', 'misspelled', 'incomplete', 'out_of_domain', 'ocr')
