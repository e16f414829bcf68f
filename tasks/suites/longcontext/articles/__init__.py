"""Articles: read from a file or invented.

Others may use `STEP`, `SOURCE` and `PANEL`, and `names` to compare companies' names.
"""

from tasks.suites.longcontext.articles.news_file import SOURCE
from tasks.suites.longcontext.articles.panel import PANEL
from tasks.suites.longcontext.articles.step import STEP

__all__ = ["PANEL", "SOURCE", "STEP"]
