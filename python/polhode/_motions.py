"""Motions in closed form."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _polhode
from ._errors import Error
from ._trajectory import Floats


class States(NamedTuple):
    """Attitudes and body rates at times."""

    e_NB: Floats  #: (n, 4): Euler parameters, scalar first, body to space
    w_B: Floats  #: (n, 3): rad/s, body components


def _inertia(J_B: npt.ArrayLike) -> Floats:
    J = np.asarray(J_B, dtype=float)
    if J.shape == (3,):
        J = np.diag(J)
    if J.shape != (3, 3):
        raise Error(f"J_B has the shape {J.shape}; wanted: 3 principal moments, or a matrix of 3 by 3")
    return np.ascontiguousarray(J)


def _floats(values: npt.ArrayLike, shape: tuple[int, ...], name: str) -> Floats:
    array = np.ascontiguousarray(values, dtype=float)
    if array.shape != shape:
        raise Error(f"{name} has the shape {array.shape}; wanted: {shape}")
    return array


class _Exact:
    _motion: Any

    def at(self, t: npt.ArrayLike) -> States:
        """States at times, before or after the start: whatever t is, the error does not grow."""
        return States(*self._motion.at(np.ascontiguousarray(np.atleast_1d(t), dtype=float)))

    @property
    def period(self) -> float:
        return float(self._motion.period)


class FreeMotion(_Exact):
    """The motion of a free body, attitude included.

    >>> motion = FreeMotion(J_B=[1, 2, 3], w_B=[0.01, 5, 0.01])
    >>> motion.branch
    'about the largest moment'
    >>> states = motion.at([0, 1e6])
    """

    def __init__(self, *, J_B: npt.ArrayLike, w_B: npt.ArrayLike, e_NB: npt.ArrayLike = (1, 0, 0, 0)) -> None:
        self._motion = _polhode.FreeMotion(_inertia(J_B), _floats(e_NB, (4,), "e_NB"), _floats(w_B, (3,), "w_B"))

    @property
    def branch(self) -> str:
        return str(self._motion.branch)

    @property
    def advance(self) -> float:
        """Angle about the angular momentum that the body has turned after one period, rad."""
        return float(self._motion.advance)

    @property
    def kinetic_energy(self) -> float:
        return float(self._motion.kinetic_energy)

    @property
    def momentum(self) -> float:
        return float(self._motion.momentum)


class LagrangeTop(_Exact):
    """The motion of a Lagrange top, held at a point of its symmetry axis z.

    ``transverse`` and ``axial`` are moments at that point; ``k`` is m g l, with the mass centre at +l along z.
    """

    def __init__(
        self, *, transverse: float, axial: float, k: float, w_B: npt.ArrayLike, e_NB: npt.ArrayLike = (1, 0, 0, 0)
    ) -> None:
        self._motion = _polhode.LagrangeTop(
            float(transverse), float(axial), float(k), _floats(e_NB, (4,), "e_NB"), _floats(w_B, (3,), "w_B")
        )
