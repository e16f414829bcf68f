-- What cannot lie beyond -1 and 1, where sums of fractions are rounded; null stays null.
create macro macros.within_one(value) as
    case when value is not null then greatest(-1, least(1, value)) end
