"""The paper that FAITH implements."""

from tasks.suites.suite import Paper

PAPER = Paper(
    title="FAITH: A Framework for Assessing Intrinsic Tabular Hallucinations in Finance",
    citation="""```bibtex
@inproceedings{zhang2025faith,
  title = {FAITH: A Framework for Assessing Intrinsic Tabular Hallucinations in Finance},
  author = {Zhang, Mengao and others},
  booktitle = {Proceedings of the ACM International Conference on AI in Finance},
  year = {2025},
  eprint = {2508.05201},
  archivePrefix = {arXiv}
}
```

The task, its scenarios and its mask types come from this paper. Its own dataset is another one.""",
)
