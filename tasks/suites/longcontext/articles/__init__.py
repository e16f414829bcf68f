"""Articles: read from a file or invented.

Others may use `STEP` and `SOURCE`, and `names` to compare companies' names.
"""

from tasks.suites.longcontext.articles.news_file import SOURCE
from tasks.suites.longcontext.articles.step import STEP

__all__ = ["SOURCE", "STEP"]
