"""Human audits of a judge, and of questions.

`answers` has people rate what a judge has rated, and `questions` has them answer questions before
they see ours. Both use one kind of `sheet`. No step of a run removes what people write.
"""
