"""Human audits of a judge: answers drawn for people to rate (`drawing`, `sheet`), and their ratings taken in (`ratings`).

What people have rated depends on no step of a run and is taken back by none.
"""
