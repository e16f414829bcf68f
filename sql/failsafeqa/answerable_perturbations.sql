-- The perturbations that keep the query's meaning and the document's content: those that robustness counts.
create macro failsafeqa.answerable_perturbations() as
    ['baseline', 'misspelled', 'incomplete', 'out_of_domain', 'ocr']
