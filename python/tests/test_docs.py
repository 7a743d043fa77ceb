"""What the documents show is what the module does."""

from __future__ import annotations

import contextlib
import doctest
import importlib
import io
import pathlib
import re
import runpy

import pytest
from helpers import ROOT


BLOCK = re.compile(r"^```python(?P<tag>[^\n]*)\n(?P<code>.*?)^```\n(?:\s*^(?:prints\s*\n\s*)?```text\n(?P<text>.*?)^```$)?", re.M | re.S)


def blocks(name: str) -> list[tuple[str, str | None]]:
    text = (ROOT / name).read_text(encoding="utf-8")
    found = [(one["code"], one["text"], one["tag"].strip()) for one in BLOCK.finditer(text)]
    assert found, name
    for code, _, _ in found:
        compile(code, name, "exec")
    return [(code, text) for code, text, tag in found if tag != "no-run"]


@pytest.mark.parametrize("name", ["README.md", "docs/python.md", "docs/python-rotation.md"])
def test_the_python_of_documents_prints_what_they_say(
    name: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for code, text in blocks(name):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, name, "exec"), {"__name__": "__main__"})
        if text is not None:
            assert printed.getvalue() == text


@pytest.mark.parametrize("path", sorted((ROOT / "docs/tutorials").glob("*.py")), ids=lambda path: path.stem)
def test_a_tutorial_runs(path: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        runpy.run_path(str(path), run_name="__main__")
    assert printed.getvalue()


@pytest.mark.parametrize("name", ["polhode", "polhode._scenario", "polhode._simulator", "polhode._motions"])
def test_examples_in_docstrings(name: str) -> None:
    failed, tried = doctest.testmod(importlib.import_module(name))
    assert tried > 0 and failed == 0


def test_the_module_is_small_and_quick_to_import() -> None:
    import subprocess
    import sys

    # NumPy is the only package that importing needs
    code = "import sys, polhode; print(sorted({m.split('.')[0] for m in sys.modules} & {'scipy', 'pandas', 'matplotlib', 'xarray'}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
