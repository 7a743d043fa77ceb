"""Rotations with the names and conventions of ``scipy.spatial.transform``, computed by Polhode.

``from polhode.spatial import Rotation, Slerp`` in place of the import from SciPy. What differs is listed in
docs/python-rotation.md; what is left out raises NotImplementedError.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Iterator
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._polhode import Rotation as _Core

__all__ = ["Rotation", "Slerp"]

Floats = NDArray[np.float64]

#: Nearer to lock than this SciPy warns and sets the third angle to zero.
_LOCK = 1e-7


def _array(given: ArrayLike, what: str) -> Floats:
    """Real numbers as doubles, a single row or rows of them."""
    array = np.asarray(given)
    if array.size and array.dtype.kind not in "fiu":
        raise ValueError(f"{what}: an array of {array.dtype}, wanted real numbers")
    array = np.asarray(array, dtype=np.float64)
    return array


def _rows(given: ArrayLike, row: tuple[int, ...], what: str) -> ArrayLike:
    """Passes arrays of doubles and short lists on; looks at shapes where SciPy and the core see them differently."""
    if type(given) is not np.ndarray:
        if isinstance(given, (list, tuple)) and len(row) == 1 and len(given) == row[0] and type(given[0]) is float:
            return given
        given = _array(given, what)
    shape = given.shape
    if shape[len(shape) - len(row):] != row or len(shape) < len(row):
        raise ValueError(f"Expected `{what}` to have shape {('...', *row)}, got {shape}")
    if len(shape) > len(row) + 1:
        raise NotImplementedError(f"{what} of shape {shape}: rotations of more than one leading dimension")
    return given


class _Sequence:
    """One to three axes as SciPy names them, as a sequence of three turns of ours."""

    __slots__ = ("name", "count")

    _known: dict[str, _Sequence] = {}

    def __init__(self, axes: str) -> None:
        if not isinstance(axes, str) or not 1 <= len(axes) <= 3:
            raise ValueError(f"Expected axis specification to be a non-empty string of up to 3 characters, got {axes}")
        extrinsic = axes == axes.lower()
        if not (set(axes) <= set("xyz") or set(axes) <= set("XYZ")):
            raise ValueError(f"Expected axes from `seq` to be from ['x', 'y', 'z'] or ['X', 'Y', 'Z'], got {axes}")
        if any(one == other for one, other in zip(axes, axes[1:])):
            raise ValueError(f"Expected consecutive axes to be different, got {axes}")
        self.count = len(axes)
        full = axes.upper()
        while len(full) < 3:  # turns by zero about any further axes
            full += "XYZ"[("XYZ".index(full[-1]) + 1) % 3]
        self.name = full + (":extrinsic" if extrinsic else "")

    @classmethod
    def of(cls, axes: str) -> _Sequence:
        found = cls._known.get(axes)
        if found is None:
            found = cls._known[axes] = cls(axes)
        return found


class Rotation:
    """Drop-in for ``scipy.spatial.transform.Rotation``: quaternions x y z w, one rotation or an array of them.

    >>> from polhode.spatial import Rotation as R
    >>> R.from_euler("z", 90, degrees=True).apply([1, 0, 0]).round(12)
    array([0., 1., 0.])
    """

    __slots__ = ("_core",)
    __array_ufunc__ = None
    _core: _Core

    def __init__(
        self, quat: ArrayLike, normalize: bool = True, copy: bool = True, scalar_first: bool = False
    ) -> None:
        if not normalize:
            raise NotImplementedError("normalize=False: a rotation here is always of unit norm")
        order: Literal["wxyz", "xyzw"] = "wxyz" if scalar_first else "xyzw"
        self._core = _Core.from_quaternion(_rows(quat, (4,), "quat"), order=order, normalize=True)

    @staticmethod
    def _of(core: _Core) -> Rotation:
        made = _new(Rotation)
        made._core = core
        return made

    # ---- made from ---------------------------------------------------------------------------------------------------

    @staticmethod
    def from_quat(quat: ArrayLike, *, scalar_first: bool = False) -> Rotation:
        order: Literal["wxyz", "xyzw"] = "wxyz" if scalar_first else "xyzw"
        return _of(_Core.from_quaternion(_rows(quat, (4,), "quat"), order=order, normalize=True))

    @staticmethod
    def from_matrix(matrix: ArrayLike, *, assume_valid: bool = False) -> Rotation:
        return _of(_Core._from_right_handed(_rows(matrix, (3, 3), "matrix")))

    @staticmethod
    def from_rotvec(rotvec: ArrayLike, degrees: bool = False) -> Rotation:
        return _of(_Core.from_rotation_vector(_rows(rotvec, (3,), "rot_vec"), degrees=degrees))

    @staticmethod
    def from_euler(seq: str, angles: ArrayLike, degrees: bool = False) -> Rotation:
        turns = _Sequence.of(seq)
        if turns.count == 3:
            if type(angles) is not np.ndarray:
                angles = _array(angles, "angles")
            if angles.ndim == 0 or angles.shape[-1] != 3:
                raise ValueError(
                    "Expected last dimension of `angles` to match number of sequence axes specified, got "
                    f"{angles.shape[-1] if angles.ndim else 1}."
                )
            return _of(_Core.from_euler(turns.name, _rows(angles, (3,), "angles"), degrees=degrees))
        return _of(_Core.from_euler(turns.name, _padded(turns, angles), degrees=degrees))

    @staticmethod
    def from_davenport(axes: ArrayLike, order: str, angles: ArrayLike, degrees: bool = False) -> Rotation:
        if order not in ("e", "extrinsic", "i", "intrinsic"):
            raise ValueError(
                "order should be 'e'/'extrinsic' for extrinsic sequences or 'i'/'intrinsic' for intrinsic "
                f"sequences, got {order}"
            )
        rows = np.atleast_2d(_array(axes, "axes"))
        if rows.ndim != 2 or rows.shape[1] != 3:
            raise ValueError("Axes must be vectors of length 3.")
        if not 1 <= len(rows) <= 3:
            raise ValueError(f"Expected up to 3 axes, got {len(rows)}")
        rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        if any(abs(one @ other) > 1e-7 for one, other in zip(rows, rows[1:])):
            raise ValueError("Consecutive axes must be orthogonal.")
        turns = np.atleast_1d(_array(angles, "angles"))
        if turns.shape[-1] != len(rows):
            raise ValueError(
                f"Expected `angles` to match number of axes, got {turns.shape} angles and {rows.shape} axes."
            )
        product = _Core.identity()
        for i, axis in enumerate(rows):
            turn = _Core.from_axis_angle(axis, np.array(turns[..., i]), degrees=degrees)
            product = turn * product if order[0] == "e" else product * turn
        return _of(product)

    @staticmethod
    def from_mrp(mrp: ArrayLike) -> Rotation:
        return _of(_Core.from_mrp(_rows(mrp, (3,), "mrp")))

    @staticmethod
    def identity(num: int | None = None, *, shape: int | tuple[int, ...] | None = None) -> Rotation:
        return _of(_Core.identity(_number(num, shape)))

    @staticmethod
    def random(
        num: int | None = None, rng: Any = None, *, shape: int | tuple[int, ...] | None = None, random_state: Any = None
    ) -> Rotation:
        """The numbers of SciPy for the same generator."""
        if random_state is not None:
            raise NotImplementedError("random_state: give rng")
        count = _number(num, shape)
        numbers = np.random.default_rng(rng).normal(size=4 if count is None else (count, 4))
        return _of(_Core.from_quaternion(numbers, order="xyzw", normalize=True))

    @staticmethod
    def concatenate(rotations: Rotation | Iterable[Rotation]) -> Rotation:
        if isinstance(rotations, Rotation):
            return _of(rotations._core)
        parts = list(rotations)
        if not all(isinstance(one, Rotation) for one in parts):
            raise TypeError("input must contain Rotation objects only")
        return _of(_Core.concatenate([one._core for one in parts]))

    # ---- written as --------------------------------------------------------------------------------------------------

    def as_quat(self, canonical: bool = False, *, scalar_first: bool = False) -> Floats:
        return self._core.as_quaternion(order="wxyz" if scalar_first else "xyzw", canonical=canonical)

    def as_matrix(self) -> Floats:
        return self._core.as_matrix()

    def as_rotvec(self, degrees: bool = False) -> Floats:
        return self._core.as_rotation_vector(degrees=degrees)

    def as_euler(self, seq: str, degrees: bool = False, *, suppress_warnings: bool = False) -> Floats:
        if len(seq) != 3:
            raise ValueError(f"Expected 3 axes, got {seq}.")
        angles, locked = self._core._as_euler_locked(_Sequence.of(seq).name, _LOCK, degrees)
        if locked is not None and not suppress_warnings:
            warnings.warn(
                "Gimbal lock detected. Setting third angle to zero since it is not possible to uniquely determine "
                f"all angles. First at row {locked}.",
                stacklevel=2,
            )
        found: Floats = angles
        return found

    def as_mrp(self) -> Floats:
        return self._core.as_mrp()

    def as_davenport(self, *_: Any, **__: Any) -> Floats:
        raise NotImplementedError("Rotation.as_davenport is left out")

    # ---- operations --------------------------------------------------------------------------------------------------

    def apply(self, vectors: ArrayLike, inverse: bool = False) -> Floats:
        rows = _rows(vectors, (3,), "vectors")
        return self._core.to_body(rows) if inverse else self._core.to_space(rows)

    def __mul__(self, other: Rotation) -> Rotation:
        if not isinstance(other, Rotation):
            return NotImplemented
        return _of(self._core * other._core)

    def __pow__(self, n: float | ArrayLike, modulus: None = None) -> Rotation:
        if modulus is not None:
            raise NotImplementedError("modulus not supported")
        exponent = np.asarray(n, dtype=np.float64)
        if exponent.ndim > 1 or exponent.size != 1:
            raise ValueError("Array exponent must be a scalar")
        power = float(exponent.reshape(()))
        if power == 1:
            return _of(self._core)
        if power == -1:
            return self.inv()
        return _of(self._core._power(power))

    def inv(self) -> Rotation:
        return _of(self._core.inv())

    def magnitude(self) -> Floats | np.float64:
        angle = self._core.angle()
        return np.float64(angle) if isinstance(angle, float) else angle

    def approx_equal(self, other: Rotation, atol: float | None = None, degrees: bool = False) -> Any:
        if atol is None:
            if degrees:
                warnings.warn(
                    "atol must be set to use the degrees flag, defaulting to 1e-8 radians.", stacklevel=2
                )
            atol = 1e-8
        elif degrees:
            atol = math.radians(atol)
        return self._core.angle_to(other._core) < atol

    def mean(self, weights: ArrayLike | None = None, axis: int | tuple[int, ...] | None = None) -> Rotation:
        if axis is not None and axis != 0 and axis != (0,) and axis != -1 and axis != (-1,):
            raise NotImplementedError(f"axis {axis}: rotations have one leading dimension")
        return _of(self._core.mean(weights))

    def reduce(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError("Rotation.reduce is left out")

    @classmethod
    def create_group(cls, *_: Any, **__: Any) -> Rotation:
        raise NotImplementedError("Rotation.create_group is left out")

    @classmethod
    def align_vectors(cls, *_: Any, **__: Any) -> Any:
        raise NotImplementedError("Rotation.align_vectors is left out")

    # ---- as a sequence -----------------------------------------------------------------------------------------------

    def __getitem__(self, indexer: Any) -> Rotation:
        if self._core.single:
            raise TypeError("Single rotation is not subscriptable.")
        if indexer is Ellipsis:
            return _of(self._core)
        if indexer is None:
            raise NotImplementedError("indexing with None: rotations have one leading dimension")
        return _of(self._core[indexer])

    def __setitem__(self, indexer: Any, value: Rotation) -> None:
        if self._core.single:
            raise TypeError("Single rotation is not subscriptable.")
        if not isinstance(value, Rotation):
            raise TypeError("value must be a Rotation object")
        rows = self._core.as_euler_parameters().copy()
        rows[indexer] = value._core.as_euler_parameters()
        self._core = _Core.from_euler_parameters(rows)

    @property
    def single(self) -> bool:
        return self._core.single

    @property
    def shape(self) -> tuple[int, ...]:
        return () if self._core.single else (len(self._core),)

    def __bool__(self) -> bool:
        return True

    def __len__(self) -> int:
        if self._core.single:
            raise TypeError("Single rotation has no len().")
        return len(self._core)

    def __iter__(self) -> Iterator[Rotation]:
        if self._core.single:
            raise TypeError("Single rotation is not iterable.")
        return map(_of, self._core)

    def __repr__(self) -> str:
        lines = repr(self.as_matrix()).splitlines()
        return "Rotation.from_matrix(" + ("\n" + " " * 21).join(lines) + ")"

    def __getstate__(self) -> _Core:
        return self._core

    def __setstate__(self, state: _Core) -> None:
        self._core = state


_new = object.__new__
_of = Rotation._of


def _number(num: int | None, shape: int | tuple[int, ...] | None) -> int | None:
    if num is not None and shape is not None:
        raise ValueError("Only one of `num` or `shape` can be specified.")
    if shape is None:
        return num
    if isinstance(shape, int):
        return shape
    if len(shape) > 1:
        raise NotImplementedError(f"shape {shape}: rotations have one leading dimension")
    return shape[0] if shape else None


def _padded(turns: _Sequence, angles: ArrayLike) -> Floats:
    """The angles of one or two axes, followed by zeros."""
    given = np.atleast_1d(_array(angles, "angles"))
    if given.shape[-1] != turns.count:
        raise ValueError(
            "Expected last dimension of `angles` to match number of sequence axes specified, got "
            f"{given.shape[-1]}."
        )
    if given.ndim > 2:
        raise NotImplementedError(f"angles of shape {given.shape}: rotations of more than one leading dimension")
    full = np.zeros((*given.shape[:-1], 3))
    full[..., : turns.count] = given
    return full


class Slerp:
    """Interpolation between rotations at given times, at constant rate and the shorter way from each to the next.

    >>> from polhode.spatial import Rotation, Slerp
    >>> Slerp([0, 2], Rotation.from_euler("z", [[0], [90]], degrees=True))(1).as_euler("zyx", degrees=True).round(9)
    array([45.,  0.,  0.])
    """

    def __init__(self, times: ArrayLike, rotations: Rotation) -> None:
        if not isinstance(rotations, Rotation):
            raise TypeError("`rotations` must be a `Rotation` instance.")
        if rotations.single or len(rotations) <= 1:
            raise ValueError("`rotations` must be a sequence of at least 2 rotations.")
        self.times = _array(times, "times")
        if self.times.ndim != 1:
            raise ValueError(
                f"Expected times to be specified in a 1 dimensional array, got {self.times.ndim} dimensions."
            )
        if len(self.times) != len(rotations):
            raise ValueError(
                "Expected number of rotations to be equal to number of timestamps given, got "
                f"{len(rotations)} rotations and {len(self.times)} timestamps."
            )
        self.timedelta = np.diff(self.times)
        if not (self.timedelta > 0).all():
            raise ValueError("Times must be in strictly increasing order.")
        self.rotations = rotations[:-1]
        self._ends = rotations[1:]

    def __call__(self, times: ArrayLike) -> Rotation:
        at = _array(times, "times")
        if at.ndim > 1:
            raise ValueError("`times` must be at most 1-dimensional.")
        rows = np.atleast_1d(at)
        inside = (rows >= self.times[0]) & (rows <= self.times[-1])
        if not inside.all():
            raise ValueError(
                f"Interpolation times must be within the range [{self.times[0]}, {self.times[-1]}], both inclusive; "
                f"times[{int(np.argmin(inside))}] is {rows[np.argmin(inside)]}."
            )
        span = np.maximum(np.searchsorted(self.times, rows) - 1, 0)
        share = (rows - self.times[span]) / self.timedelta[span]
        between = self.rotations._core[span].slerp(self._ends._core[span], share)
        return _of(between[0] if at.ndim == 0 else between)
