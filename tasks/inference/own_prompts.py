"""A user's own prompts: read from a folder and checked before anything is asked."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tasks.core.errors import WrongSettings
from tasks.inference.prompts import DIVIDER, inputs_in, marks_in, packaged_prompts, prompt_folder

REPAIR = "repair.txt"


def read_own_prompts(folder: str | None, suite: str, packages: Mapping[str, str]) -> dict[str, str]:
    """Read a folder's prompts for a suite that differ from the packaged ones, by file name.

    Args:
        packages: suite -> package, of all suites.

    Raises:
        WrongSettings: there is no such folder, or a file in it cannot replace a prompt.
    """
    if folder is None:
        return {}
    root = Path(folder)
    if not root.is_dir():
        raise WrongSettings(f"--prompts: no folder {folder}. Name one with files SUITE/NAME.txt.")
    packaged = packaged_prompts(packages[suite])
    of_others = {prompt_folder(package) for name, package in packages.items() if name != suite}
    texts: dict[str, str] = {}
    for path in sorted(root.rglob("*")):
        parts = path.relative_to(root).parts
        if path.is_dir() or parts[0] in of_others or any(part.startswith(".") for part in parts):
            continue
        file = "/".join(parts)
        try:
            text = path.read_text(encoding="utf-8-sig")
            problem = _problem(file, text, packaged)
        except (OSError, UnicodeDecodeError) as unreadable:
            problem = f"cannot be read: {unreadable}. Save it as text in UTF-8."
        if problem:
            raise WrongSettings(f"--prompts: {path} {problem}")
        if text != packaged[file]:
            texts[file] = text
    return texts


def _problem(file: str, text: str, packaged: dict[str, str]) -> str:
    """Say why a text cannot replace a packaged prompt, and what to do; empty if it can."""
    if file not in packaged:
        names = ", ".join(sorted(packaged))
        return f"replaces nothing: there is no prompt {file}. Rename it to one of: {names}"
    known, used = inputs_in(packaged[file]), inputs_in(text)
    may_use = f"Use only {_spelled(known)}." if known else "Remove it: this prompt has none."
    if unknown := [name for name in used if name not in known]:
        return f"has {_spelled(unknown)}, which nothing fills. {may_use}"
    if known and not used:
        return f"has no placeholder, so all calls would be the same. {may_use}"
    if DIVIDER not in packaged[file]:
        return ""
    above, divider, below = text.partition(DIVIDER)
    if not divider:
        return (
            "has no line of five equals signs (=====), which divides what calls share from what "
            "varies. Put one between two lines, the first of which may be empty."
        )
    shared = inputs_in(packaged[file].partition(DIVIDER)[0])
    if low := [name for name in shared if name in used and name not in inputs_in(above)]:
        return (
            f"has {_spelled(low)} below the line =====, but calls that share it must begin alike. "
            "Move it above the line."
        )
    if file == REPAIR and not marks_in(below.partition("{{")[0]):
        return (
            "has no line such as [Your reply so far] before its first placeholder, which tells a "
            "request from its repair. Put one there."
        )
    return ""


def _spelled(names: list[str] | tuple[str, ...]) -> str:
    return ", ".join(f"{{{{ {name} }}}}" for name in names)
