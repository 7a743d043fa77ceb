"""Runs: the same numbers and the same bytes as the command line, and what may go wrong on the way."""

from __future__ import annotations

import _thread
import ctypes
import pathlib
import pickle
import signal
import threading
import time

import numpy as np
import pytest
from helpers import ROOT, handle, run_program

import polhode



def satellite(law: str) -> polhode.Scenario:
    return polhode.Scenario(
        title="a satellite that is held",
        body={"principal_moments": [10.0, 12.0, 8.0]},
        initial={"euler": {"sequence": "3-2-1", "angles_deg": [60, -20, 120]}, "w_body_deg": [2, -1, 0.5]},
        load=[{"kind": "code", "law": law}],
        run={"duration": 30.0},
    )


def test_a_run_is_a_mapping_of_columns() -> None:
    run = polhode.simulate(handle(), certify=True)
    assert run.rows == 1001 and len(run["t_s"]) == 1001
    assert list(run)[0] == "t_s"
    assert run.column("wx_body_rad_s") == ("wx_body_rad_s", "rad/s", run.column("wx_body_rad_s").meaning)
    assert run.column("wx_body_rad_s").frame == "body"
    assert [event.name for event in run.events] == ["flip"] * 4
    assert run.certificate is not None and run.certificate.verdict == "yes"
    assert run.done and run.ending == "done" and run.statistics["steps"] > 0
    with pytest.raises(KeyError, match="did you mean 'wx_body_rad_s'"):
        run["wx_body_rads"]
    with pytest.raises(ValueError):
        run["t_s"][0] = 1.0
    # by the exact motion
    exact = polhode.FreeMotion(J_B=[2, 1, 3], w_B=[15, 0.001, 0]).at(run["t_s"])
    e = np.column_stack([run[f"e{i}"] for i in range(4)])
    e /= np.linalg.norm(e, axis=1)[:, None]
    assert np.max(2 * np.arccos(np.minimum(1, np.abs(np.sum(e * exact.e_NB, axis=1))))) < 2e-6  # asked for: 1e-6 rad
    assert np.max(np.abs(run["wx_body_rad_s"] - exact.w_B[:, 0])) < 1e-4


@pytest.mark.parametrize("name", ["t-handle", "four-bar", "spinning-top"])
def test_the_same_bytes_as_the_command_line(name: str, tmp_path: pathlib.Path) -> None:
    file = tmp_path / f"{name}.toml"
    file.write_bytes((ROOT / "examples" / file.name).read_bytes())
    done = run_program("run", file.name, "-o", "by-program", "--quiet", "--certify", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    run = polhode.simulate(polhode.Scenario.read(file), certify=True)
    run.save(tmp_path / "by-python")
    for result in ("results.csv", "certificate.json", "report.html"):
        ours = (tmp_path / "by-python" / result).read_bytes()
        theirs = (tmp_path / "by-program" / result).read_bytes()
        assert ours == theirs, result
    back = polhode.read_result(tmp_path / "by-python")
    assert back.table.tobytes() == run.table.tobytes()
    assert back.columns == run.columns and back.events == run.events


def test_parameters_take_the_place_of_those_of_the_scenario() -> None:
    top = polhode.Scenario(
        title="spin", parameters={"spin": 1.0}, body={"principal_moments": [1, 1, 2]}, initial={"w_body": [0, 0, "spin"]},
        run={"duration": 1.0},
    )  # fmt: skip
    assert polhode.simulate(top, parameters={"spin": 3.0})["wz_body_rad_s"][-1] == 3.0
    assert polhode.simulate(top)["wz_body_rad_s"][-1] == 1.0
    with pytest.raises(polhode.Error, match="spon"):
        polhode.simulate(top, parameters={"spon": 3.0})


def test_derivatives_by_parameters_are_columns() -> None:
    top = polhode.Scenario(
        title="spin", parameters={"spin": 2.0}, body={"principal_moments": [1, 1, 2]}, initial={"w_body": [0.1, 0, "spin"]},
        event=[{"name": "half", "rate_body": "x"}], run={"duration": 1.0},
    )  # fmt: skip
    run = polhode.simulate(top, sensitivities=["spin"])
    t = run["t_s"]  # wx = 0.1 cos(spin t)
    assert np.max(np.abs(run["wx_body_rad_s_by_spin"] + 0.1 * t * np.sin(2 * t))) < 1e-9
    assert run.events[0].t_by[0] == pytest.approx(-np.pi / 8, rel=1e-8)  # t = pi / (2 spin)


def pd(state: polhode.State) -> polhode.Wrench:
    sign = -1.0 if state.e_NB[0] < 0 else 1.0
    return polhode.Wrench(moment_body=[-sign * e - 4.0 * w for e, w in zip(state.e_NB[1:], state.w_B, strict=True)])


def test_a_law_in_python_formulas_and_c_agree() -> None:
    by_python = polhode.simulate(satellite("pd"), laws={"pd": pd})
    by_formula = satellite("pd")
    signs = "(e0 < 0 ? -1 : 1)"
    moments = [f"-{signs}*e{i + 1} - 4*w{axis}_body" for i, axis in enumerate("xyz")]
    by_formula.load = [{"kind": "moment", "moment_body": moments}]
    told = polhode.simulate(by_formula)
    for name in ("e0", "e3", "wx_body_rad_s"):
        assert np.max(np.abs(by_python[name] - told[name])) < 1e-9

    @ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_double))
    def in_c(state, wrench):  # type: ignore[no-untyped-def]
        sign = -1.0 if state[7] < 0 else 1.0
        for i in range(3):
            wrench[3 + i] = -sign * state[8 + i] - 4.0 * state[11 + i]

    by_c = polhode.simulate(satellite("pd"), laws={"pd": in_c})
    assert by_c.table.tobytes() == by_python.table.tobytes()
    # what is code cannot be looked into
    certified = polhode.simulate(satellite("pd"), laws={"pd": pd}, certify=True)
    assert certified.certificate is not None and certified.certificate.verdict == "not established"
    vouched = satellite("pd")
    vouched.run.max_step = 0.5
    again = polhode.simulate(vouched, laws={"pd": pd}, certify=True)
    assert again.certificate is not None and again.certificate.verdict == "yes"


def test_an_exception_in_a_law_ends_the_run_and_keeps_the_rows() -> None:
    def fails(state: polhode.State) -> None:
        if state.t > 2.0:
            raise ZeroDivisionError("by design")

    with pytest.raises(ZeroDivisionError, match="by design") as caught:
        polhode.simulate(satellite("fails"), laws={"fails": fails})
    run = caught.value.trajectory  # type: ignore[attr-defined]
    assert 0.5 < run["t_s"][-1] <= 2.0
    assert not run.done
    assert any(entry.name == "fails" for entry in caught.traceback)
    with pytest.raises(TypeError, match="polhode.Wrench"):
        polhode.simulate(satellite("odd"), laws={"odd": lambda state: 3})
    with pytest.raises(polhode.Error, match="law"):
        polhode.simulate(satellite("unbound"))


def test_an_interrupt_ends_a_long_run_and_keeps_the_rows() -> None:
    long = satellite("slow")
    long.run.duration = 1e8

    def slow(state: polhode.State) -> None:
        return None

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job may ignore it
    try:
        threading.Timer(0.5, _thread.interrupt_main).start()
        with pytest.raises(KeyboardInterrupt) as caught:
            polhode.simulate(long, laws={"slow": slow})
    finally:
        signal.signal(signal.SIGINT, before)
    run = caught.value.trajectory  # type: ignore[attr-defined]
    assert run.ending in ("interrupted", "not-finite")
    assert run.rows >= 1


def test_threads_run_at_the_same_time_with_the_same_numbers() -> None:
    scenario = handle()
    alone = polhode.simulate(scenario)
    results: list[polhode.Trajectory] = []
    threads = [threading.Thread(target=lambda: results.append(polhode.simulate(scenario))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 4
    assert all(one == alone for one in results)


def test_a_trajectory_can_be_pickled_and_saved_again(tmp_path: pathlib.Path) -> None:
    run = polhode.simulate(handle(), certify=True)
    again = pickle.loads(pickle.dumps(run))
    assert again == run
    assert again.certificate is not None and again.certificate.verdict == "yes"
    run.save(tmp_path / "one")
    again.save(tmp_path / "two")
    assert (tmp_path / "one" / "results.csv").read_bytes() == (tmp_path / "two" / "results.csv").read_bytes()


def test_what_is_shown_in_a_notebook() -> None:
    run = polhode.simulate(handle())
    assert run._repr_html_().startswith("<iframe srcdoc=")
    assert polhode.draw("3-2-1")._repr_svg_().startswith("<svg")


def test_a_control_loop() -> None:
    disc = polhode.Scenario(
        title="disc", parameters={"torque": 0.0}, body={"principal_moments": [0.5, 0.5, 0.9]}, initial={"w_body": [0, 0, 1]},
        load=[{"kind": "moment", "moment_body": [0, 0, "torque"]}], run={"duration": 1.0},
    )  # fmt: skip
    plant = polhode.Simulator(disc)
    assert plant.inputs == ["torque"]
    while abs(plant["wz_body_rad_s"]) > 1e-3:
        assert plant.step(0.1, torque=max(-0.05, -2.0 * plant["wz_body_rad_s"]))
    assert plant.t == pytest.approx(18.9)
    kept = pickle.loads(pickle.dumps(plant.state()))
    plant.step(1.0)
    row = plant.row
    plant.restore(kept)
    plant.step(1.0)
    assert plant.row.tobytes() == row.tobytes()
    plant.reset(seed=3)
    assert plant.t == 0 and plant["wz_body_rad_s"] == 1.0
    with pytest.raises(polhode.Error, match="torqeu"):
        plant.set(torqeu=1.0)
    with pytest.raises(polhode.Error, match="above 0"):
        plant.step(0.0)
    begin = time.perf_counter()
    plant.step(0.1)
    assert time.perf_counter() - begin < 10  # a hang, not a clock
