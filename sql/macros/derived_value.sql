-- What an operation of a derivation gives for numbers; null if it is not known, or takes another number of them.
--
-- Written apart from the search. A change names the later figure first.
create macro macros.derived_value(operation, numbers) as
    case
        when len(numbers) = 1 and operation = 'lookup' then numbers[1]
        when len(numbers) >= 2 and operation = 'sum' then list_sum(numbers)
        when len(numbers) = 2 and operation in ('difference', 'point_difference') then numbers[1] - numbers[2]
        when len(numbers) = 2 and operation = 'basis_points' then (numbers[1] - numbers[2]) * 100
        when len(numbers) = 2 and operation = 'percent_change'
            then (numbers[1] - numbers[2]) / nullif(abs(numbers[2]), 0) * 100
        when len(numbers) = 2 and operation = 'share' then numbers[1] / nullif(numbers[2], 0) * 100
    end
