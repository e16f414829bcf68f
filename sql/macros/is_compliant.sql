-- Whether a rating makes an answer compliant: 4, 5 or 6 (paper 000, "Answer Compliance"); null stays null.
create macro macros.is_compliant(rating) as rating >= 4
