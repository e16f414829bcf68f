"""SQL reads the options of suites that are not scored yet with the suites' own defaults."""

from __future__ import annotations

import re

from tasks.pipeline.resolved import parameters_of
from tasks.suites.registry import SUITES, load_suite
from tasks.warehouse.sql_files import sql_files


def test_the_defaults_in_sql_are_the_suites() -> None:
    texts = "\n".join(file.text for file in sql_files())
    read = set(re.findall(r"coalesce\(getvariable\('(\w+)'\), ([^)]+)\)", texts))
    options = [(load_suite(name).options(), parameters_of(load_suite(name))) for name in SUITES]
    defaults = {name: getattr(values, name) for values, names in options for name in names}
    assert len(re.findall("getvariable", texts)) == len(re.findall("coalesce.getvariable", texts))
    assert {name: text.strip("'") for name, text in read} == {
        name: str(value) for name, value in defaults.items() if name in dict(read)
    }
