-- What an operation of a stored derivation makes of its operands; null where it is none that is known, or they do not fit it.
--
-- Written apart from `tasks/suites/faith/derivations/evaluate.py`, which the search uses; a change names the later figure first.
create macro faith.recomputed(operation, operands) as
    case
        when operation = 'lookup' and len(operands) = 1 then operands[1]
        when operation in ('difference', 'point_difference') and len(operands) = 2 then operands[1] - operands[2]
        when operation = 'basis_points' and len(operands) = 2 then (operands[1] - operands[2]) * 100
        when operation = 'percent_change' and len(operands) = 2
            then (operands[1] - operands[2]) / nullif(abs(operands[2]), 0) * 100
        when operation = 'share' and len(operands) = 2 then operands[1] / nullif(operands[2], 0) * 100
        when operation in ('share_point_difference', 'share_basis_points') and len(operands) = 4
            then (operands[1] / nullif(operands[2], 0) - operands[3] / nullif(operands[4], 0))
                * if(operation = 'share_basis_points', 10000, 100)
        when operation = 'average' and len(operands) = 2 then (operands[1] + operands[2]) / 2
        when operation = 'sum' and len(operands) >= 2 then list_sum(operands)
        when operation = 'difference_of_sums' and len(operands) >= 4 and len(operands) % 2 = 0
            then list_sum(operands[:len(operands) // 2]) - list_sum(operands[len(operands) // 2 + 1:])
        when operation = 'percent_change_of_sums' and len(operands) >= 4 and len(operands) % 2 = 0
            then (list_sum(operands[:len(operands) // 2]) - list_sum(operands[len(operands) // 2 + 1:]))
                / nullif(abs(list_sum(operands[len(operands) // 2 + 1:])), 0) * 100
    end
