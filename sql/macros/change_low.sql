-- The lower end of the 95 % interval of a change from one value to another of other filings, from the intervals of both.
--
-- Each value's own interval says how far it may be off on the side that matters; independent of each other, the two
-- add up in squares (Newcombe 1998; Zou and Donner 2008, "variance estimates recovery"). So near 0 and 1, and where all
-- filings of a release agree, the change is as uncertain as the two values are said to be. Of filings that both
-- releases have the two are alike, and the interval is wider than it need be.
create macro macros.change_low(value, high, other_value, other_low) as
    other_value - value - sqrt((other_value - other_low) ** 2 + (high - value) ** 2)
