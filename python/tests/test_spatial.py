"""polhode.spatial against SciPy itself: the same calls, the same values, the same errors."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

scipy_transform = pytest.importorskip("scipy.spatial.transform")
from polhode.spatial import Rotation as Ours  # noqa: E402
from polhode.spatial import Slerp as OurSlerp  # noqa: E402

Theirs = scipy_transform.Rotation
EPS = np.finfo(float).eps
#: SciPy's own rounding, some operations deep, is in every comparison.
CLOSE = {"rtol": 0, "atol": 32 * EPS}
AXES = [a + b + c for a in "xyz" for b in "xyz" for c in "xyz" if a != b != c]
SEQUENCES = AXES + [axes.upper() for axes in AXES]


def quaternions() -> np.ndarray:
    """Random ones of any norm, and edge cases: no turn, half turns, tiny angles, negative scalars."""
    random = np.random.default_rng(11).standard_normal((200, 4))
    halves = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, -1, 0], [1, 1, 0, 0], [0, -3, 4, 0]], dtype=float)
    tiny = np.array([[1e-9, 0, 0, 1], [0, 1e-150, 0, 1], [0, 0, 1e-300, 1], [1e-4, 2e-4, -1e-4, -1]])
    none = np.array([[0, 0, 0, 1], [0, 0, 0, -1], [0, 0, 0, 1e-140], [0, 0, 0, 1e140]], dtype=float)
    return np.concatenate([random, halves, tiny, none])


def pair(q: np.ndarray) -> tuple[Any, Any]:
    return Ours.from_quat(q), Theirs.from_quat(q)


def same(ours: Any, theirs: Any) -> bool:
    """Attitudes, by their matrices: the sign of a quaternion is no difference."""
    if ours.single != theirs.single:
        return False
    return np.allclose(ours.as_matrix(), theirs.as_matrix(), **CLOSE)


def same_angles(ours: np.ndarray, theirs: np.ndarray) -> bool:
    """Up to whole turns: SciPy ends at −π where we end at π."""
    return np.allclose(np.remainder(ours - theirs + 1, 2 * np.pi) - 1, 0, rtol=0, atol=1e-14)


def test_quaternions_keep_their_sign_and_are_normalised() -> None:
    ours, theirs = pair(quaternions())
    for options in ({}, {"canonical": True}, {"scalar_first": True}, {"canonical": True, "scalar_first": True}):
        assert np.allclose(ours.as_quat(**options), theirs.as_quat(**options), **CLOSE), options
    first = np.roll(quaternions(), 1, axis=1)
    assert np.array_equal(Ours.from_quat(first, scalar_first=True).as_quat(), ours.as_quat())
    assert np.array_equal(Ours(quaternions()).as_quat(), ours.as_quat())


def test_norms_whose_squares_leave_the_range() -> None:
    """SciPy calls the first of them zero."""
    for size in (1e-200, 1e200):
        assert np.allclose(Ours.from_quat([0, 0, 3 * size, 4 * size]).as_quat(), [0, 0, 0.6, 0.8], **CLOSE)


def test_matrices() -> None:
    ours, theirs = pair(quaternions())
    assert np.allclose(ours.as_matrix(), theirs.as_matrix(), **CLOSE)
    assert same(Ours.from_matrix(theirs.as_matrix()), theirs)
    assert np.allclose(
        Ours.from_matrix(theirs.as_matrix()).as_quat(), Theirs.from_matrix(theirs.as_matrix()).as_quat(), **CLOSE
    )
    noisy = theirs.as_matrix() + 0.01 * np.random.default_rng(1).standard_normal((len(theirs), 3, 3))
    assert same(Ours.from_matrix(noisy), Theirs.from_matrix(noisy))
    assert same(Ours.from_matrix(noisy[0]), Theirs.from_matrix(noisy[0]))


def test_rotation_vectors() -> None:
    ours, theirs = pair(quaternions())
    half_turns = np.abs(theirs.as_quat()[:, 3]) < 1e-15  # either direction of the axis is right
    for degrees in (False, True):
        x, y = ours.as_rotvec(degrees=degrees), theirs.as_rotvec(degrees=degrees)
        assert np.allclose(x[~half_turns], y[~half_turns], rtol=16 * EPS, atol=32 * EPS)
        assert np.allclose(np.abs(x), np.abs(y), rtol=16 * EPS, atol=32 * EPS)
    vectors = np.random.default_rng(2).standard_normal((50, 3)) * np.logspace(-200, 2, 50)[:, None]
    assert np.allclose(Ours.from_rotvec(vectors).as_quat(), Theirs.from_rotvec(vectors).as_quat(), **CLOSE)
    degrees_ = 100 * vectors[-5:]
    # arguments of up to 1e4 are rounded once more on the way to radians
    x, y = (kind.from_rotvec(degrees_, degrees=True).as_quat() for kind in (Ours, Theirs))
    assert np.allclose(x, y, rtol=0, atol=1e-13)


@pytest.mark.parametrize("seq", SEQUENCES)
def test_euler_angles(seq: str) -> None:
    q = np.random.default_rng(3).standard_normal((300, 4))
    ours, theirs = pair(q)
    distance = np.abs(np.sin(theirs.as_euler(seq)[:, 1])) if seq[0] == seq[2] else np.cos(theirs.as_euler(seq)[:, 1])
    far = distance > 0.05  # SciPy loses digits near lock
    assert far.sum() > 280
    assert same_angles(ours.as_euler(seq)[far], theirs.as_euler(seq)[far])
    assert same_angles(np.radians(ours.as_euler(seq, degrees=True)[far]), theirs.as_euler(seq)[far])
    angles = np.random.default_rng(4).uniform(-6, 6, (50, 3))
    x, y = Ours.from_euler(seq, angles), Theirs.from_euler(seq, angles)
    assert np.allclose(x.as_quat(), y.as_quat(), **CLOSE)
    assert np.allclose(Ours.from_euler(seq, np.degrees(angles), degrees=True).as_quat(), y.as_quat(), **CLOSE)


@pytest.mark.parametrize("seq", SEQUENCES)
def test_gimbal_lock(seq: str) -> None:
    middle = [0.0, np.pi] if seq[0] == seq[2] else [np.pi / 2, -np.pi / 2]
    for at in middle:
        theirs = Theirs.from_euler(seq, [[0.4, at, 0.3], [-3.0, at, 2.0], [0.2, at, -0.2]])
        ours = Ours.from_quat(theirs.as_quat())
        with pytest.warns(UserWarning, match="Gimbal lock"):
            angles = ours.as_euler(seq)
        with pytest.warns(UserWarning, match="Gimbal lock"):
            expected = theirs.as_euler(seq)
        assert np.all(angles[:, 2] == 0)
        # the middle angle at lock: SciPy's is off by the root of the rounding
        assert np.allclose(np.remainder(angles - expected + 1, 2 * np.pi) - 1, 0, rtol=0, atol=1e-7)
        assert Ours.from_euler(seq, angles).approx_equal(ours, atol=1e-7).all()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert np.array_equal(ours.as_euler(seq, suppress_warnings=True), angles)


@pytest.mark.parametrize("seq", ["x", "Y", "zx", "XZ", "yz", "ZY"])
def test_one_or_two_axes(seq: str) -> None:
    shapes = [(2,), (4, 2)] if len(seq) == 2 else [(), (1,), (4, 1)]
    for shape in shapes:
        angles = np.random.default_rng(5).uniform(-3, 3, shape)
        assert same(Ours.from_euler(seq, angles), Theirs.from_euler(seq, angles)), shape


def test_davenport_and_modified_rodrigues() -> None:
    axes = np.array([[0, 0, 1], [0, 2, 0], [1, 0, 1]])
    angles = np.random.default_rng(6).uniform(-3, 3, (5, 3))
    for order in ("e", "intrinsic"):
        assert same(Ours.from_davenport(axes, order, angles), Theirs.from_davenport(axes, order, angles))
        assert same(Ours.from_davenport(axes, order, angles[0]), Theirs.from_davenport(axes, order, angles[0]))
        assert same(Ours.from_davenport(axes[0], order, 0.3), Theirs.from_davenport(axes[0], order, 0.3))
    ours, theirs = pair(quaternions())
    half_turns = np.abs(theirs.as_quat()[:, 3]) < 1e-15
    assert np.allclose(ours.as_mrp()[~half_turns], theirs.as_mrp()[~half_turns], **CLOSE)
    x = np.random.default_rng(7).standard_normal((20, 3))
    assert np.allclose(Ours.from_mrp(x).as_quat(), Theirs.from_mrp(x).as_quat(), **CLOSE)


def test_operations() -> None:
    ours, theirs = pair(quaternions())
    b, c = pair(quaternions()[::-1].copy())
    assert np.allclose((ours * b).as_quat(), (theirs * c).as_quat(), **CLOSE)
    assert np.allclose((ours[3] * b).as_quat(), (theirs[3] * c).as_quat(), **CLOSE)
    assert np.allclose((ours[:1] * b).as_quat(), (theirs[:1] * c).as_quat(), **CLOSE)
    assert np.allclose(ours.inv().as_quat(), theirs.inv().as_quat(), **CLOSE)
    # SciPy's squares of angles below 1e-160 vanish
    assert np.allclose(ours.magnitude(), theirs.magnitude(), rtol=16 * EPS, atol=1e-160)
    assert isinstance(ours[0].magnitude(), float)
    assert ours.approx_equal(b, atol=1).tolist() == theirs.approx_equal(c, atol=1).tolist()
    assert ours.approx_equal(b, atol=60, degrees=True).tolist() == theirs.approx_equal(c, atol=60, degrees=True).tolist()
    for n in (0, 1, -1, 2, -3, 0.5, np.array([2.0])):
        assert same(ours**n, theirs**n), n
    weights = np.arange(50.0)
    assert same(ours[:50].mean(), theirs[:50].mean()) and same(ours[:50].mean(weights), theirs[:50].mean(weights))
    assert same(Ours.concatenate([ours, b[2]]), Theirs.concatenate([theirs, c[2]]))


@pytest.mark.parametrize("inverse", [False, True])
def test_apply_and_its_shapes(inverse: bool) -> None:
    ours, theirs = pair(quaternions())
    v = np.random.default_rng(8).standard_normal((len(theirs), 3))
    for index, vectors in [(slice(None), v), (slice(None), v[0]), (0, v), (0, v[0]), (slice(1), v), (slice(None), v[:1])]:
        x = ours[index].apply(vectors, inverse=inverse)
        y = theirs[index].apply(vectors, inverse=inverse)
        assert x.shape == y.shape
        assert np.allclose(x, y, rtol=0, atol=64 * EPS)


def test_as_a_sequence() -> None:
    ours, theirs = pair(quaternions())
    for index in (3, -2, slice(2, 9), slice(None, None, -4), [4, 1, 1], np.arange(5), theirs.magnitude() > 2):
        assert same(ours[index], theirs[index])
    assert len(ours) == len(theirs) and ours.shape == theirs.shape and ours[0].shape == theirs[0].shape
    assert all(same(x, y) for x, y in zip(ours[:9], theirs[:9]))
    ours[2], theirs[2] = ours[7], theirs[7]
    assert same(ours, theirs)
    assert np.array_equal(pickle.loads(pickle.dumps(ours)).as_quat(), ours.as_quat())
    assert repr(ours[:2]).startswith("Rotation.from_matrix(array(")
    assert bool(Ours.from_quat(np.zeros((0, 4)))) and bool(ours[0])


def test_identity_and_random() -> None:
    for arguments in ((), (3,), (0,)):
        assert np.array_equal(Ours.identity(*arguments).as_quat(), Theirs.identity(*arguments).as_quat())
        x = Ours.random(*arguments, rng=np.random.default_rng(3))
        y = Theirs.random(*arguments, rng=np.random.default_rng(3))
        assert x.single == y.single and np.allclose(x.as_quat(), y.as_quat(), **CLOSE)
    assert same(Ours.identity(shape=(2,)), Theirs.identity(shape=(2,)))


def test_empty_arrays() -> None:
    ours, theirs = pair(np.zeros((0, 4)))
    for call in (
        lambda r: r.as_quat(), lambda r: r.as_matrix(), lambda r: r.as_rotvec(), lambda r: r.as_euler("zyx"),
        lambda r: r.as_mrp(), lambda r: r.magnitude(), lambda r: r.inv().as_quat(), lambda r: (r * r).as_quat(),
    ):  # fmt: skip
        assert call(ours).shape == call(theirs).shape


def test_interpolation() -> None:
    times = [0, 1, 2.5, 4]
    q = np.random.default_rng(9).standard_normal((4, 4))
    ours, theirs = OurSlerp(times, Ours.from_quat(q)), scipy_transform.Slerp(times, Theirs.from_quat(q))
    at = np.linspace(0, 4, 33)
    assert same(ours(at), theirs(at)) and same(ours(1.3), theirs(1.3)) and same(ours(4), theirs(4))
    for wrong in ([-0.1], 4.1, [[1.0]], [1, np.nan]):
        with pytest.raises(ValueError):
            ours(wrong)
    with pytest.raises(ValueError, match="increasing"):
        OurSlerp([0, 1, 1, 2], Ours.from_quat(q))
    with pytest.raises(ValueError, match="4 rotations and 3 timestamps"):
        OurSlerp([0, 1, 2], Ours.from_quat(q))
    with pytest.raises(TypeError):
        OurSlerp(times, q)  # type: ignore[arg-type]


WRONG: list[Callable[[Any], Any]] = [
    lambda R: R.from_quat([0, 0, 0, 0]),
    lambda R: R.from_quat([[0, 0, 0, 1], [0, 0, 0, 0]]),
    lambda R: R.from_quat([0, 0, 1]),
    lambda R: R.from_matrix(np.diag([1, 1, -1])),
    lambda R: R.from_matrix(np.zeros((3, 3))),
    lambda R: R.from_matrix(np.eye(4)),
    lambda R: R.from_rotvec([1, 2]),
    lambda R: R.from_mrp([1, 2, 3, 4]),
    lambda R: R.from_euler("xxy", [1, 2, 3]),
    lambda R: R.from_euler("xYz", [1, 2, 3]),
    lambda R: R.from_euler("abc", [1, 2, 3]),
    lambda R: R.from_euler("", []),
    lambda R: R.from_euler("xyzx", [1, 2, 3, 4]),
    lambda R: R.from_euler("xyz", [1, 2]),
    lambda R: R.from_euler("xy", [1, 2, 3]),
    lambda R: R.identity().as_euler("xy"),
    lambda R: R.identity().as_euler("xxz"),
    lambda R: R.from_davenport([[0, 0, 1], [0, 1, 1]], "e", [1, 2]),
    lambda R: R.from_davenport([0, 0, 1], "x", 1),
    lambda R: R.identity(3) * R.identity(4),
    lambda R: R.identity(3).apply(np.zeros((4, 3))),
    lambda R: R.identity().apply([1, 2]),
    lambda R: R.identity(3).mean([1, 1]),
    lambda R: R.identity(3).mean([1, 1, -1]),
    lambda R: R.identity(0).mean(),
    lambda R: R.identity(3) ** np.array([1.0, 2.0]),
    lambda R: len(R.identity()),
    lambda R: iter(R.identity()).__next__(),
    lambda R: R.identity()[0],
    lambda R: R.identity(3)[7],
    lambda R: R.identity() * 3,
    lambda R: R.concatenate([R.identity(), 1]),
    lambda R: pow(R.identity(), 2, 3),
]


@pytest.mark.parametrize("wrong", WRONG)
def test_errors_have_the_type_of_scipys(wrong: Callable[[Any], Any]) -> None:
    with pytest.raises(Exception) as theirs:
        wrong(Theirs)
    with pytest.raises(theirs.type):
        wrong(Ours)


def test_numbers_that_are_not_finite_are_errors_with_their_row() -> None:
    for make in (lambda q: Ours.from_quat(q), lambda q: Ours.from_rotvec(q[:, :3]), lambda q: Ours.from_mrp(q[:, :3]),
                 lambda q: Ours.from_euler("zyx", q[:, :3])):  # fmt: skip
        q = quaternions()
        q[170, 1] = np.nan
        with pytest.raises(ValueError, match="row 170"):
            make(q)
    with pytest.raises(ValueError, match="row 2.*determinant"):
        Ours.from_matrix([np.eye(3), np.eye(3), -np.eye(3)])


def test_what_is_left_out_says_so() -> None:
    r = Ours.identity(2)
    for call in (
        lambda: r.reduce(), lambda: r.as_davenport(np.eye(3), "e"), lambda: Ours.create_group("T"),
        lambda: Ours.align_vectors(np.eye(3), np.eye(3)), lambda: Ours.identity(shape=(2, 3)),
        lambda: Ours.from_quat(np.ones((2, 2, 4))), lambda: r.mean(axis=1), lambda: r[None],
        lambda: Ours([0, 0, 0, 1], normalize=False),
    ):  # fmt: skip
        with pytest.raises(NotImplementedError):
            call()
