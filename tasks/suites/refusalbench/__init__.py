"""RefusalBench: perturbed questions on 10-K passages that a model should refuse, by reason.

Muhamed et al. 2025, "RefusalBench: Generative Evaluation of Selective Refusal".
"""
