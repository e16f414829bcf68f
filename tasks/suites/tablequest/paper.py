"""The paper that TableQuest implements."""

from tasks.suites.suite import Paper

PAPER = Paper(
    title="Benchmarking Table Comprehension in the Wild",
    citation="""```bibtex
@misc{pan2024tablequest,
  title = {Benchmarking Table Comprehension in the Wild},
  author = {Pan, Yikang and Zhu, Yi and Xie, Rand and Liu, Yizhi},
  year = {2024},
  eprint = {2412.09884},
  archivePrefix = {arXiv}
}
```

The three levels of questions and the ways of judging come from this paper. Its own questions are
others.""",
)
