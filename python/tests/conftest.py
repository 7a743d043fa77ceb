"""What is there for every test: the examples."""

from __future__ import annotations

import pathlib

import pytest
from helpers import ROOT


@pytest.fixture(scope="session")
def examples() -> list[pathlib.Path]:
    found = sorted((ROOT / "examples").glob("*.toml"))
    return [path for path in found if not path.name.startswith("chain")]
