"""The paper that the suite implements."""

from tasks.suites.suite import Paper

PAPER = Paper(
    title="Systematic Evaluation of Long-Context LLMs on Financial Concepts",
    citation="""```bibtex
@inproceedings{gupta2024longcontext,
  title = {Systematic Evaluation of Long-Context LLMs on Financial Concepts},
  author = {Gupta, Lavanya and Sharma, Saket and Zhao, Yiyun},
  year = {2024},
  eprint = {2412.15386},
  archivePrefix = {arXiv}
}
```

The concepts, tasks, lengths and placements come from this paper. Its dataset is proprietary.""",
)
