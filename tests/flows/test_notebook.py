"""The analyst's notebook runs on a finished lake, and is kept without what it has printed."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from tasks.pipeline.settings import RunSettings

NOTEBOOK = Path(__file__).parents[2] / "sql" / "slide.ipynb"


def test_it_goes_from_a_lake_to_a_figure(
    copied: RunSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path(copied.lake).parent
    (below := folder / "sql").mkdir()  # where Jupyter starts: the notebook's own folder
    monkeypatch.setenv("IPYTHONDIR", str(folder / "ipython"))
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    assert len(notebook.cells) == 10
    shown = "[axes.get_title('left'), *(each.get_text() for each in axes.get_yticklabels())]"
    notebook.cells.append(nbformat.v4.new_code_cell(f"print(*{shown}, sep=';')"))
    run = NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(below)}})
    run.execute()  # raises the first cell's error
    title, *labels = notebook.cells.pop().outputs[0].text.strip().split(";")
    assert re.search(rf"FailSafeQA, release {copied.release}: \d+ answers of extractive", title)
    assert "out of domain" in labels
    warnings = [out for cell in notebook.cells for out in cell.get("outputs", []) if "text" in out]
    assert not [out for out in warnings if out.get("name") == "stderr"]
    assert (folder / "slide.png").read_bytes().startswith(b"\x89PNG")
