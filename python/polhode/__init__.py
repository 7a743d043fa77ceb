"""Rotation of rigid bodies and of mechanisms made of them, in Euler parameters.

>>> import polhode
>>> handle = polhode.Scenario(title="a handle that flips", body=dict(principal_moments=[2, 1, 3]),
...                           initial=dict(w_body=[15, 0.001, 0]), run=dict(duration=10),
...                           event=[dict(name="flip", rate_body="x")])
>>> run = polhode.simulate(handle, certify=True)
>>> len(run.events), run.certificate.verdict
(4, 'yes')
"""

from __future__ import annotations

from typing import Any

from . import _polhode, _tables
from ._calls import (
    Answer,
    Drawing,
    Linearization,
    Mode,
    Robot,
    RootLocus,
    SweepResult,
    audit,
    check,
    compare,
    convert,
    draw,
    identify,
    import_urdf,
    linearize,
    program,
    root_locus,
    schemes,
    simulate,
    solve,
    sweep,
    verify,
)
from ._errors import Error, Problem
from ._motions import FreeMotion, LagrangeTop, States
from ._polhode import Rotation, State, Wrench
from ._scenario import Scenario
from ._simulator import Simulator
from ._trajectory import Certificate, Column, Event, Peak, Trajectory, read_result

__version__: str = _polhode.version()


def features() -> dict[str, bool]:
    """What this build has: SUNDIALS (cvode-adams, cvode-bdf, ida), HDF5, the page that moves."""
    return dict(_polhode.features())


def __getattr__(name: str) -> Any:
    # the tables of a scenario: polhode.Body, polhode.Joint, ...
    if name in _tables._classes:
        return _tables._classes[name]
    if name == "spatial":
        import importlib

        return importlib.import_module(".spatial", __name__)
    raise AttributeError(f"module 'polhode' has no attribute '{name}'")


__all__ = [
    "Answer", "Certificate", "Column", "Drawing", "Error", "Event", "FreeMotion", "LagrangeTop", "Linearization", "Mode",
    "Peak", "Problem", "Robot", "RootLocus", "Rotation", "Scenario", "Simulator", "State", "States", "SweepResult", "Trajectory",
    "Wrench", "audit", "check", "compare", "convert", "draw", "features", "identify", "import_urdf", "linearize", "program",
    "read_result", "root_locus", "schemes", "simulate", "solve", "sweep", "verify",
]  # fmt: skip
