"""The paper that FailSafeQA implements."""

from tasks.suites.suite import Paper

PAPER = Paper(
    title="Expect the Unexpected: FailSafe Long Context QA for Finance",
    citation="""```bibtex
@misc{kamble2025failsafeqa,
  title = {Expect the Unexpected: FailSafe Long Context QA for Finance},
  author = {Kamble, Kiran and Russak, Melisa and Mozolevskyi, Dmytro and Ali, Muayad and \
Russak, Mateusz and AlShikh, Waseem},
  year = {2025},
  eprint = {2502.06329},
  archivePrefix = {arXiv}
}
```

The perturbations and their names come from this paper. Its own dataset, Writer/FailSafeQA, is \
another one.""",
)
