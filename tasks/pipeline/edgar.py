"""A run's EDGAR settings, as values for `tasks.filings.edgar`."""

from __future__ import annotations

from tasks.filings.edgar.query import EdgarAccess, EdgarQuery, is_edgar, parse_query
from tasks.pipeline.settings import RunSettings, WrongSettings, flag


def edgar_query(run: RunSettings) -> EdgarQuery:
    """Return the query of a run with `--filings edgar:...`.

    Raises:
        WrongSettings: an option is invalid; the message names it.
    """
    assert run.filings is not None
    return parse_query(
        run.filings,
        forms=run.forms,
        companies=run.companies,
        sample=run.sample,
        seed=run.seed,
        limit=run.limit,
    )


def edgar_access(run: RunSettings) -> EdgarAccess:
    """Return how a run reaches EDGAR; checked only before a download."""
    return EdgarAccess(contact=run.contact, url=run.edgar_url)


def check_choosing(run: RunSettings) -> None:
    """Refuse options that choose among EDGAR's filings if the run names none of them.

    Checked during planning: only then does a refresh name the filings of its quarter.

    Raises:
        WrongSettings: the message names the option.
    """
    if not is_edgar(run.filings):
        for name in ("companies", "sample"):
            if getattr(run, name) is not None:
                raise WrongSettings(
                    f"{flag(name)} chooses among EDGAR's filings: it needs "
                    "--filings such as edgar:2018Q1"
                )
