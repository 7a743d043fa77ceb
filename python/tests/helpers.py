"""What the tests share."""

from __future__ import annotations

import pathlib
import subprocess

import polhode

ROOT = pathlib.Path(__file__).resolve().parents[2]


def run_program(*arguments: str, cwd: pathlib.Path) -> subprocess.CompletedProcess[str]:
    """The command line program that came with the module."""
    return subprocess.run([polhode.program(), *arguments], cwd=cwd, capture_output=True, text=True, check=False)


def handle() -> polhode.Scenario:
    """A free body that flips."""
    return polhode.Scenario(
        title="a handle that flips",
        body={"principal_moments": [2.0, 1.0, 3.0]},
        initial={"w_body": [15.0, 0.001, 0.0]},
        event=[{"name": "flip", "rate_body": "x"}],
        run={"duration": 10.0},
    )
