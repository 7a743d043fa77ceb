"""polhode.Rotation: conversions both ways, frames, shapes, errors with their row."""

from __future__ import annotations

import copy
import doctest
import gc
import pickle

import numpy as np
import pytest

import polhode
from polhode import Rotation

EPS = np.finfo(float).eps
SEQUENCES = [f"{i}-{j}-{k}{kind}" for i in "123" for j in "123" for k in "123" if i != j != k
             for kind in ("", ":extrinsic")]  # fmt: skip


def cross_matrix(x: np.ndarray) -> np.ndarray:
    return np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])


def rodrigues_formula(x: np.ndarray) -> np.ndarray:
    """exp of a rotation vector, written out apart from the library."""
    angle = np.linalg.norm(x)
    n = cross_matrix(x / angle)
    return np.eye(3) + np.sin(angle) * n + (1 - np.cos(angle)) * n @ n


@pytest.fixture
def some() -> Rotation:
    return Rotation.random(300, seed=7)


def test_examples_of_the_docstrings() -> None:
    parser, runner, tried = doctest.DocTestParser(), doctest.DocTestRunner(), 0
    for name in ["__doc__", *vars(Rotation)]:
        text = Rotation.__doc__ if name == "__doc__" else getattr(getattr(Rotation, name), "__doc__", None)
        if text and ">>>" in text:
            result = runner.run(parser.get_doctest(text, {"Rotation": Rotation}, name, None, 0))
            assert result.failed == 0, name
            tried += result.attempted
    assert tried > 30


def test_a_matrix_turns_body_components_into_space_components() -> None:
    x = np.array([0.3, -0.5, 0.7])
    r = Rotation.from_rotation_vector(x)
    A = rodrigues_formula(x)
    v = np.array([1.0, 2.0, 3.0])
    assert np.allclose(r.as_matrix(), A, rtol=0, atol=4 * EPS)
    assert np.allclose(r.to_space(v), A @ v, rtol=0, atol=16 * EPS)
    assert np.allclose(r.to_body(v), A.T @ v, rtol=0, atol=16 * EPS)
    assert np.allclose(r.as_matrix(direction="space_to_body"), A.T, rtol=0, atol=4 * EPS)
    assert not np.allclose(r.to_space(v), r.to_body(v))


def test_products_compose_as_matrices_do(some: Rotation) -> None:
    other = Rotation.random(300, seed=8)
    assert np.allclose((some * other).as_matrix(), some.as_matrix() @ other.as_matrix(), rtol=0, atol=8 * EPS)
    assert np.allclose((some * other[3]).as_matrix(), some.as_matrix() @ other[3].as_matrix(), rtol=0, atol=8 * EPS)
    assert np.allclose((some[3] * other).as_matrix(), some[3].as_matrix() @ other.as_matrix(), rtol=0, atol=8 * EPS)
    assert (some * some.inv()).angle().max() < 8 * EPS


def test_many_products_stay_of_unit_norm() -> None:
    step, r = Rotation.from_rotation_vector([0.1, 0.2, 0.3]), Rotation.identity()
    for _ in range(20_000):
        r = r * step
    assert abs(np.linalg.norm(r.as_euler_parameters()) - 1) < 4 * EPS


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_euler_angles_both_ways(sequence: str, some: Rotation) -> None:
    angles = some.as_euler(sequence)
    assert some.angle_to(Rotation.from_euler(sequence, angles)).max() < 8 * EPS
    degrees = some.as_euler(sequence, degrees=True)
    assert np.allclose(degrees, np.degrees(angles), rtol=2 * EPS, atol=0)
    assert some.angle_to(Rotation.from_euler(sequence, degrees, degrees=True)).max() < 12 * EPS


def test_euler_angles_are_turns_in_their_order() -> None:
    turn = {axis: (lambda a, i=i: Rotation.from_rotation_vector(a * np.eye(3)[i])) for i, axis in enumerate("123")}
    product = turn["3"](0.4) * turn["2"](-0.3) * turn["1"](0.2)
    assert Rotation.from_euler("3-2-1", [0.4, -0.3, 0.2]).angle_to(product) < 4 * EPS
    assert Rotation.from_euler("1-2-3:extrinsic", [0.2, -0.3, 0.4]).angle_to(product) < 4 * EPS
    assert Rotation.from_euler("3-2-1:extrinsic", [0.4, -0.3, 0.2]).angle_to(product) > 0.01


def test_other_descriptions_both_ways(some: Rotation) -> None:
    axis, angle = some.as_axis_angle()
    assert some.angle_to(Rotation.from_axis_angle(axis, angle)).max() < 8 * EPS
    assert np.allclose(axis * angle[:, None], some.as_rotation_vector(), rtol=0, atol=8 * EPS)
    for name in ("matrix", "rotation_vector", "mrp", "rodrigues", "euler_parameters"):
        back = getattr(Rotation, f"from_{name}")(getattr(some, f"as_{name}")())
        # Rodrigues parameters grow to thousands near half a turn, and their rounding with them stays relative
        assert some.angle_to(back).max() < 16 * EPS, name
    tangent = np.tan(angle / 4)[:, None] * axis
    assert np.allclose(some.as_mrp(), tangent, rtol=0, atol=8 * EPS)


@pytest.mark.parametrize("size", [0.0, 1e-300, 1e-160, 1e-8, 1.0, np.pi - 1e-9, np.pi])
def test_rotation_vectors_of_all_sizes(size: float) -> None:
    n = np.array([2.0, -1.0, 2.0]) / 3
    back = Rotation.from_rotation_vector(size * n).as_rotation_vector()
    near = np.allclose(back, size * n, rtol=4 * EPS, atol=0) or np.allclose(back, -size * n, rtol=4 * EPS, atol=0)
    assert near
    assert Rotation.from_rotation_vector([size * n] * 3).as_rotation_vector().tolist() == [back.tolist()] * 3


def test_rows_of_an_array_have_the_bits_of_single_rotations() -> None:
    r = Rotation.random(200, seed=3)
    v = np.random.default_rng(4).standard_normal((200, 3))
    for i in (0, 63, 64, 199):
        assert np.array_equal(r.as_rotation_vector()[i], r[i].as_rotation_vector())
        assert np.array_equal(r.as_euler("3-1-3")[i], r[i].as_euler("3-1-3"))
        assert np.array_equal(r.to_space(v)[i], r[i].to_space(v[i]))
        assert Rotation.from_rotation_vector(v)[i] == Rotation.from_rotation_vector(v[i])
        assert Rotation.from_euler("3-2-1", v)[i] == Rotation.from_euler("3-2-1", v[i])
        assert np.array_equal((r * r[0])[i].as_euler_parameters(), (r[i] * r[0]).as_euler_parameters())


def test_two_threads_give_the_bits_of_one() -> None:
    n = 100_100  # above this many rows are divided
    r = Rotation.random(n, seed=5)
    for part in (slice(0, 1000), slice(n // 2 - 500, n // 2 + 500), slice(n - 1000, n)):
        assert np.array_equal(r.as_rotation_vector()[part], r[part].as_rotation_vector())
        assert np.array_equal((r * r)[part].as_euler_parameters(), (r[part] * r[part]).as_euler_parameters())
    q = np.array(r.as_euler_parameters())
    q[70_000] = 0
    q[90_000] = np.nan
    with pytest.raises(polhode.Error, match="row 70000"):
        Rotation.from_euler_parameters(q)


def test_euler_parameters_are_a_view_that_keeps_the_rotation() -> None:
    e = Rotation.random(5, seed=1).as_euler_parameters()
    gc.collect()
    assert np.array_equal(e, Rotation.random(5, seed=1).as_euler_parameters())
    r = Rotation.random(5, seed=1)
    assert np.shares_memory(r.as_euler_parameters(), r[1:].as_euler_parameters())
    assert not e.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        e[0] = 0
    assert np.array_equal(np.asarray(r), e)


def test_orders_and_directions_of_quaternions() -> None:
    r = Rotation.from_rotation_vector([0.1, 0.2, 0.3])
    w, x, y, z = r.as_euler_parameters()
    assert r.as_quaternion(order="xyzw").tolist() == [x, y, z, w]
    assert r.as_quaternion(order="wxyz", direction="space_to_body").tolist() == [w, -x, -y, -z]
    assert Rotation.from_quaternion([x, y, z, w], order="xyzw") == r
    assert Rotation.from_quaternion([w, -x, -y, -z], order="wxyz", direction="space_to_body") == r
    assert r.as_ros().tolist() == [x, y, z, w]
    assert r.as_mujoco().tolist() == [w, x, y, z]
    assert r.as_convention("spice").tolist() == [w, -x, -y, -z]
    for name in ("ros", "mujoco", "spice", "scipy", "drake", "bullet", "ccsds"):
        assert Rotation.from_convention(name, r.as_convention(name)) == r
    assert Rotation.from_ros([x, y, z, w]) == Rotation.from_mujoco([w, x, y, z]) == r
    assert Rotation.from_euler_parameters([-w, -x, -y, -z]).as_quaternion(order="wxyz", canonical=True)[0] == w
    with pytest.raises(polhode.Error, match="eigen"):
        Rotation.from_convention("eigen", [x, y, z, w])
    with pytest.raises(TypeError):
        Rotation.from_quaternion([x, y, z, w])  # type: ignore[call-arg]
    with pytest.raises(polhode.Error, match="order 'zyxw'"):
        Rotation.from_quaternion([x, y, z, w], order="zyxw")  # type: ignore[arg-type]


def test_rates_are_derivatives() -> None:
    r, w, h = Rotation.random(seed=2), np.array([0.3, -0.2, 0.5]), 1e-6
    after, before = (r * Rotation.from_rotation_vector(s * h * w) for s in (1, -1))
    edot = r.euler_parameter_rates(w_body=w)
    difference = (after.as_euler_parameters() - before.as_euler_parameters()) / (2 * h)
    assert np.allclose(edot, difference, rtol=0, atol=1e-9)  # rounding EPS/h, truncation h²
    assert np.allclose(r.angular_velocity(edot, frame="body"), w, rtol=0, atol=8 * EPS)
    assert np.allclose(r.angular_velocity(edot, frame="space"), r.to_space(w), rtol=0, atol=8 * EPS)
    assert np.allclose(r.euler_parameter_rates(w_space=r.to_space(w)), edot, rtol=0, atol=8 * EPS)
    for sequence in ("3-2-1", "3-1-3", "1-2-3:extrinsic"):
        rates = r.euler_rates(sequence, w_body=w)
        difference = (after.as_euler(sequence) - before.as_euler(sequence)) / (2 * h)
        assert np.allclose(rates, difference, rtol=0, atol=1e-8)
        assert np.allclose(r.euler_rates(sequence, w_space=r.to_space(w)), rates, rtol=1e-13, atol=0)
        back = r.angular_velocity_of_euler_rates(sequence, rates, frame="body")
        assert np.allclose(back, w, rtol=0, atol=1e-14)
    with pytest.raises(polhode.Error, match="w_body= or w_space="):
        r.euler_parameter_rates()
    with pytest.raises(polhode.Error, match="w_body= or w_space="):
        r.euler_parameter_rates(w_body=w, w_space=w)


def test_distance_to_lock() -> None:
    r = Rotation.from_euler("3-2-1", [[0.1, 0.2, 0.3], [0.1, np.pi / 2, 0.3], [0.1, -1.5, 0.3]])
    assert np.allclose(r.distance_to_lock("3-2-1"), [np.pi / 2 - 0.2, 0, np.pi / 2 - 1.5], rtol=0, atol=1e-15)


def test_slerp_and_mean() -> None:
    a, b = Rotation.random(50, seed=1), Rotation.random(50, seed=2)
    s = np.linspace(0, 1, 50)
    assert np.allclose(a.angle_to(a.slerp(b, s)), s * a.angle_to(b), rtol=0, atol=16 * EPS)
    assert a.slerp(b, 0).angle_to(a).max() < 8 * EPS and a.slerp(b, 1.0).angle_to(b).max() < 8 * EPS
    x = Rotation.from_rotation_vector(0.1 * np.random.default_rng(1).standard_normal((9, 3)))
    weights = np.arange(9.0)
    u, _, vt = np.linalg.svd(np.einsum("i,ijk->jk", weights, x.as_matrix()))
    assert np.allclose(x.mean(weights).as_matrix(), u @ vt, rtol=0, atol=16 * EPS)
    with pytest.raises(polhode.Error, match="row 2: weight -1"):
        x.mean([1, 1, -1, 1, 1, 1, 1, 1, 1])
    with pytest.raises(polhode.Error, match="no rotations"):
        Rotation.identity(0).mean()


def test_as_a_sequence() -> None:
    r = Rotation.random(10, seed=3)
    e = r.as_euler_parameters()
    assert len(r) == 10 and [one == r[i] for i, one in enumerate(r)] == [True] * 10
    assert np.array_equal(r[-1].as_euler_parameters(), e[-1])
    assert np.array_equal(r[2:7].as_euler_parameters(), e[2:7])
    assert np.array_equal(r[::-3].as_euler_parameters(), e[::-3])
    assert np.array_equal(r[[5, 1]].as_euler_parameters(), e[[5, 1]])
    assert np.array_equal(r[e[:, 0] > 0].as_euler_parameters(), e[e[:, 0] > 0])
    assert len(r[3:3]) == 0
    with pytest.raises(IndexError, match="index 10 of 10"):
        r[10]
    with pytest.raises(TypeError, match="single"):
        len(r[0])
    with pytest.raises(TypeError, match="single"):
        r[0][0]
    with pytest.raises(TypeError, match="single"):
        iter(r[0])
    assert Rotation.concatenate([r[0], r[1:]]) == r


def test_equality_copies_and_pickles() -> None:
    r = Rotation.random(4, seed=3)
    assert r == Rotation.from_euler_parameters(-r.as_euler_parameters())
    assert r != r.inv() and r != r[0] and r[:1] != r[0] and r != "r"
    for one in (r, r[2], r[1:3], Rotation.identity(0)):
        for other in (copy.copy(one), copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
            assert np.array_equal(other.as_euler_parameters(), one.as_euler_parameters())
            assert other.single == one.single
    assert eval(repr(r)) == r and eval(repr(r[0])) == r[0]
    assert "1000 rotations" in repr(Rotation.identity(1000))
    with pytest.raises(TypeError):
        hash(r)


def test_empty_arrays() -> None:
    r = Rotation.from_euler_parameters(np.zeros((0, 4)))
    assert len(r) == len(r * r) == len(r.inv()) == len(r * Rotation.identity()) == 0
    assert r.as_matrix().shape == (0, 3, 3) and r.as_euler("3-2-1").shape == (0, 3) and r.angle().shape == (0,)
    assert r.to_space(np.zeros((0, 3))).shape == (0, 3)
    assert r.as_euler_parameters().shape == (0, 4)


def test_arrays_of_any_layout_and_kind_of_number() -> None:
    v = np.random.default_rng(1).standard_normal((6, 3))
    r = Rotation.random(seed=1)
    wanted = r.to_space(v)
    for given in (v.tolist(), tuple(map(tuple, v)), np.asfortranarray(v), np.repeat(v, 2, axis=0)[::2],
                  v.astype(">f8"), np.flip(np.flip(v, 0).copy(), 0)):  # fmt: skip
        assert np.array_equal(r.to_space(given), wanted)
    assert np.array_equal(r.to_space(np.array([1, 2, 3])), r.to_space([1.0, 2.0, 3.0]))
    assert np.allclose(r.to_space(v.astype(np.float32)), wanted, rtol=0, atol=1e-6)


def test_nans_of_vectors_stay_in_their_row(some: Rotation) -> None:
    v = np.ones((300, 3))
    v[5, 1] = np.nan
    assert np.isnan(some.to_space(v)).any(axis=1).nonzero()[0].tolist() == [5]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: Rotation.from_euler_parameters([[1, 0, 0, 0], [0, 0, 0, 0]]), "row 1.*zero"),
        (lambda: Rotation.from_euler_parameters([[1, 0, 0, 0], [0, np.nan, 0, 1]]), "row 1.*not finite"),
        (lambda: Rotation.from_euler_parameters([1, 1, 0, 0]), "norm 1.414"),
        (lambda: Rotation.from_euler_parameters([0, 0, 0, 0], normalize=True), "zero"),
        (lambda: Rotation.from_euler_parameters([np.inf, 0, 0, 0], normalize=True), "not finite"),
        (lambda: Rotation.from_euler_parameters([1, 0, 0]), r"shape \(3,\).*\(4,\) or \(n, 4\)"),
        (lambda: Rotation.from_euler_parameters(np.zeros((2, 2, 4))), "shape"),
        (lambda: Rotation.from_matrix(np.diag([1, 1, -1])), "left-handed"),
        (lambda: Rotation.from_matrix([np.eye(3), 1.1 * np.eye(3)]), "row 1.*not orthogonal"),
        (lambda: Rotation.from_matrix([np.eye(3), np.nan * np.eye(3)]), "row 1.*not finite"),
        (lambda: Rotation.from_matrix(np.zeros((3, 3)), nearest=True), "equally near"),
        (lambda: Rotation.from_matrix(np.eye(4)), "shape"),
        (lambda: Rotation.from_rotation_vector([[0, 0, 1], [0, np.inf, 0]]), "row 1.*not finite"),
        (lambda: Rotation.from_euler("3-2-1", [[0, 0, 1], [0, np.nan, 0]]), "row 1.*not finite"),
        (lambda: Rotation.from_euler("3-3-1", [0, 0, 0]), "3-3-1"),
        (lambda: Rotation.from_euler("zyx", [0, 0, 0]), "extrinsic"),
        (lambda: Rotation.from_axis_angle([0, 0, 2], 1), "length 2"),
        (lambda: Rotation.from_axis_angle([0, 0, 1], [1, np.nan]), "row 1.*angle"),
        (lambda: Rotation.from_mrp([[0, 0, 0], [0, 0, np.nan]]), "row 1"),
        (lambda: Rotation.from_rodrigues([np.nan, 0, 0]), "not finite"),
        (lambda: Rotation.from_euler_parameters([[0, 1, 0, 0]]).as_rodrigues(), "row 0: half a turn"),
        (lambda: Rotation.identity(2) * Rotation.identity(3), "2 rotations on the left and 3"),
        (lambda: Rotation.identity(2).to_space(np.zeros((3, 3))), "2 rotations and 3 vectors"),
        (lambda: Rotation.identity().to_space("abc"), "vector"),
        (lambda: Rotation.identity().to_space([1j, 0, 0]), "complex"),
    ],
)
def test_errors_name_the_row(call: object, words: str) -> None:
    with pytest.raises(polhode.Error, match=words):
        call()  # type: ignore[operator]


def test_a_noisy_matrix_gives_the_nearest_rotation() -> None:
    A = Rotation.random(20, seed=1).as_matrix() + 0.05 * np.random.default_rng(2).standard_normal((20, 3, 3))
    u, _, vt = np.linalg.svd(A)
    assert np.allclose(Rotation.from_matrix(A, nearest=True).as_matrix(), u @ vt, rtol=0, atol=16 * EPS)


def test_what_is_not_a_rotation_is_not_multiplied() -> None:
    with pytest.raises(TypeError):
        Rotation.identity() * 2  # type: ignore[operator]
    with pytest.raises(TypeError):
        np.ones(3) * Rotation.identity()


def test_scipy_both_ways() -> None:
    pytest.importorskip("scipy")
    r = Rotation.random(7, seed=1)
    assert np.allclose(r.as_scipy().as_matrix(), r.as_matrix(), rtol=0, atol=4 * EPS)
    assert Rotation.from_scipy(r.as_scipy()).angle_to(r).max() < 4 * EPS
    assert Rotation.from_scipy(r[0].as_scipy()).single
