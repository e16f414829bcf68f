"""Presets: files of options for a run, laid out like `deployments/presets/paper.toml`.

An option on the command line, or its TENKBENCH_ variable, overrides the preset.
"""

from __future__ import annotations

import tomllib
from dataclasses import fields
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated, Any

from cyclopts import App, Parameter, Token
from cyclopts.argument import ArgumentCollection

from tasks.core.untrusted import read_toml
from tasks.core.validation import check_keys
from tasks.pipeline.settings import RunSettings, WrongSettings
from tasks.suites.registry import load_suite, suites_named

_SUFFIX = ".toml"
_OPTION = "--preset"

# `fill_from_preset` reads it before the command starts.
Preset = Annotated[
    str | None,
    Parameter(name=_OPTION, help="Options from a file: a preset, such as `paper`, or FILE.toml."),
]


def fill_from_preset(_app: App, _commands: tuple[str, ...], arguments: ArgumentCollection) -> None:
    """Fill missing arguments from the named preset (a cyclopts config).

    Raises:
        WrongSettings, WrongTable: the preset does not exist or holds more than options.
    """
    named = [argument for argument in arguments if argument.name == _OPTION and argument.tokens]
    if not named:
        return
    preset = named[0].tokens[-1].value
    for key, value in read_preset(preset).items():
        argument, _, _ = arguments.match(f"--{key.replace('_', '-')}")
        if not argument.tokens:
            for place, item in enumerate(value if isinstance(value, list) else [value]):
                argument.append(
                    Token(keyword=key, value=str(item), source=f"preset {preset}", index=place)
                )


def read_preset(preset: str) -> dict[str, Any]:
    """Read a preset's options, keyed by the field names of `RunSettings`.

    Raises:
        WrongSettings: the preset cannot be found or read; the message lists the presets.
        WrongTable: a key is not an option.
    """
    from tasks.pipeline.resolved import own_options

    try:
        options = read_toml(_file_of(preset))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as unreadable:
        raise WrongSettings(f"Cannot read --preset '{preset}': {unreadable}") from unreadable
    shared = {field.name for field in fields(RunSettings)} - {"roles", "options"}
    own = own_options(*map(load_suite, suites_named(options.get("suite", RunSettings().suite))))
    check_keys(options, (*shared, *own), f"--preset {preset}")
    return options


def _file_of(preset: str) -> Traversable:
    packaged = {
        file.name.removesuffix(_SUFFIX): file
        for file in (files("deployments") / "presets").iterdir()
        if file.name.endswith(_SUFFIX)
    }
    own = Path(preset)
    if preset not in packaged and not (preset.endswith(_SUFFIX) and own.is_file()):
        raise WrongSettings(
            f"No preset '{preset}'. Choose {', '.join(sorted(packaged))} or your own .toml file."
        )
    return packaged.get(preset, own)
