"""Human audits of a judge: answers drawn for people to rate, and their ratings taken in.

A *draw* is one export: answers from every stratum, so that rare verdicts are looked at, too, each
of which stands for as many answers as its stratum has per answer rated. What people have rated
depends on no step of a run and is taken back by none.
"""
