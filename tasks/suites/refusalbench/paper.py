"""The paper that the suite implements."""

from tasks.suites.suite import Paper

PAPER = Paper(
    title=("RefusalBench: Generative Evaluation of Selective Refusal in Grounded Language Models"),
    citation="""```bibtex
@article{muhamed2025refusalbench,
  title = {RefusalBench: Generative Evaluation of Selective Refusal in Grounded Language Models},
  author = {Muhamed, Aashiq and Ribeiro, Leonardo F. R. and Dreyer, Markus and Smith, Virginia and
            Diab, Mona T.},
  year = {2025},
  eprint = {2510.10390},
  archivePrefix = {arXiv}
}
```

The classes, intensities, levers, codes and metrics come from this paper and its authors' code.""",
)
