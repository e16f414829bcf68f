-- Degrees of freedom of a change between n and other_n groups of filings, from how far each value may be off (Welch 1947,
-- Satterthwaite 1946): those of both together where both are equally sure, those of the less sure one where it decides.
create macro macros.change_degrees(off, n, other_off, other_n) as
    ((off / macros.student_t(n - 1)) ** 2 + (other_off / macros.student_t(other_n - 1)) ** 2) ** 2
    / (
        (off / macros.student_t(n - 1)) ** 4 / (n - 1)
        + (other_off / macros.student_t(other_n - 1)) ** 4 / (other_n - 1)
    )
