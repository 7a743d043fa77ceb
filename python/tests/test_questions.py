"""What is asked of scenarios besides runs: the same answers as the command line."""

from __future__ import annotations

import json
import pathlib

import numpy as np
import pytest
from helpers import ROOT, handle, run_program

import polhode


EXAMPLES = ROOT / "examples"


def test_check_says_what_the_command_line_says() -> None:
    found = polhode.check(EXAMPLES / "four-bar.toml")
    told = run_program("check", str(EXAMPLES / "four-bar.toml"), "--json", cwd=ROOT)
    assert dict(found) == json.loads(told.stdout)
    assert "freedom" in str(found)


def test_the_bicycle_is_linearised() -> None:
    bicycle = polhode.Scenario.read(EXAMPLES / "whipple-bicycle.toml")
    linear = polhode.linearize(bicycle, parameters={"v": 5.0})
    assert linear.A.shape == (len(linear.states),) * 2
    values = linear.eigenvalues
    assert np.allclose(np.sort_complex(np.linalg.eigvals(linear.A)), np.sort_complex(values), atol=1e-6)
    # stable between the weave speed and the capsize speed, as published
    locus = polhode.root_locus(bicycle, "v=4:7:13")
    speeds = [change.parameter for change in locus.changes]
    assert speeds[0] == pytest.approx(4.29238253634111, rel=1e-9)
    assert speeds[1] == pytest.approx(6.02426201538837, rel=1e-9)
    assert locus.svg.startswith("<svg")
    assert all(part.ndim == 2 for part in linear.matrices)


def test_statics_and_comparison() -> None:
    with pytest.raises(polhode.Error, match="statics"):
        polhode.solve(EXAMPLES / "four-bar.toml", "staticks")
    solved = polhode.solve(EXAMPLES / "double-pendulum.toml", "statics")
    assert "equilibrium" in str(solved).lower()
    compared = polhode.compare(EXAMPLES / "t-handle.toml", formulations=["euler-body", "f1"])
    assert len(compared["rows"]) >= 2
    assert compared.csv.count("\n") >= 3


def test_a_sweep_is_a_table() -> None:
    top = polhode.Scenario(
        title="spin", parameters={"spin": 1.0}, body={"principal_moments": [1, 1, 2]}, initial={"w_body": [0, 0, "spin"]},
        run={"duration": 1.0},
    )  # fmt: skip
    table = polhode.sweep(top, "spin=1:4:4", columns=["wz_body_rad_s"])
    assert table.rows == 4
    assert list(table["spin"]) == [1, 2, 3, 4]
    final = next(name for name in table if "wz_body" in name and "final" in name)
    assert list(table[final]) == [1, 2, 3, 4]


def test_conversions_and_drawings() -> None:
    wxyz = polhode.convert([30, 20, 10], from_="euler:3-2-1", to="quaternion_wxyz", degrees=True)
    back = polhode.convert(np.tile(wxyz, (3, 1)), from_="quaternion_wxyz", to="euler:3-2-1", degrees=True)
    assert back.shape == (3, 3) and np.allclose(back, [30, 20, 10], atol=1e-12)
    with pytest.raises(polhode.Error, match="row 1"):
        polhode.convert([[1, 0, 0, 0], [0, 0, 0, 0]], from_="quaternion_wxyz", to="mrp")
    assert "</svg>" in polhode.draw("3-1-3", angles=[0.1, 0.5, 0.2], rates=[1, 2, 3])
    assert "</svg>" in polhode.draw(EXAMPLES / "four-bar.toml")
    with pytest.raises(polhode.Error, match="3-3-1"):
        polhode.draw("3-3-1")


def test_schemes_audit_and_verification() -> None:
    table = polhode.schemes([1, 2, 3], spin=6, hz=60, turns=5, precision="double")
    assert len(table["schemes"] if "schemes" in table else table["rows"]) > 5
    motion = polhode.FreeMotion(J_B=[1, 2, 3], w_B=[0.5, 5, 0.1])
    t = np.linspace(0, 10, 2001)
    states = motion.at(t)
    log = {"t": t, **dict(zip(("qw", "qx", "qy", "qz"), states.e_NB.T, strict=True)),
           **dict(zip(("wx", "wy", "wz"), states.w_B.T, strict=True))}  # fmt: skip
    assert polhode.audit(log, inertia=[1, 2, 3])["faults"] == []
    log["qx"] = -log["qx"]
    log["qy"] = -log["qy"]
    log["qz"] = -log["qz"]
    assert "direction" in polhode.audit(log, inertia=[1, 2, 3])["faults"]


@pytest.mark.parametrize("wrong", [{"step": -1.0}, {"spin": 0.0}, {"turns": 1e12}, {"hz": 1e-9}, {"step": 0.1, "hz": 3.0}])
def test_what_schemes_cannot_answer_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(polhode.Error):
        polhode.schemes([1, 2, 3], **wrong)  # type: ignore[arg-type]
    with pytest.raises(polhode.Error, match="3 principal moments"):
        polhode.schemes([1, 2])


def test_exact_motions_do_not_grow_old() -> None:
    motion = polhode.FreeMotion(J_B=[1, 2, 3], w_B=[0.01, 5, 0.01])
    late = motion.at([1e6, 1e6 + motion.period])
    assert np.allclose(late.w_B[0], late.w_B[1], atol=1e-8)
    with pytest.raises(polhode.Error, match="w_B has the shape"):
        polhode.FreeMotion(J_B=[1, 2, 3], w_B=[1, 2])
    top = polhode.LagrangeTop(transverse=1, axial=0.5, k=4.905, e_NB=[np.cos(0.35), np.sin(0.35), 0, 0], w_B=[0, 0, 12])
    assert top.at(0.0).w_B.shape == (1, 3)


def test_a_robot_is_read(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "arm.urdf"
    file.write_text(
        '<robot name="arm"><link name="base"/><link name="rod"><inertial><origin xyz="0 0 0.5"/><mass value="1"/>'
        '<inertia ixx="0.09" iyy="0.09" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        '<joint name="hinge" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/></joint></robot>',
        encoding="utf-8",
    )
    robot = polhode.import_urdf(file)
    assert robot.scenario.joints[0].name == "hinge"
    robot.scenario.run.duration = 0.5
    assert polhode.simulate(robot.scenario).done
