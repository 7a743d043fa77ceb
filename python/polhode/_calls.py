"""What is done with scenarios."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _polhode
from ._errors import Error
from ._scenario import Scenario, scenario_of
from ._trajectory import Floats, Trajectory, of_run

ScenarioLike = Scenario | str | os.PathLike[str] | Mapping[str, Any]
Law = Callable[[Any], Any]


def _laws(laws: Mapping[str, Any] | None) -> dict[str, Any]:
    """Functions as they are; C functions of ctypes, cffi and numba as their addresses."""
    bound: dict[str, Any] = {}
    for name, law in (laws or {}).items():
        if hasattr(law, "address") and isinstance(law.address, int):  # numba.cfunc
            bound[name] = law.address
        elif type(law).__module__ == "_ctypes" or type(type(law)).__module__ == "_ctypes":
            import ctypes

            bound[name] = ctypes.cast(law, ctypes.c_void_p).value or 0
        elif type(law).__name__ in ("_CDataBase", "CData") or "cffi" in type(law).__module__:
            import cffi

            bound[name] = int(cffi.FFI().cast("uintptr_t", law))
        else:
            bound[name] = law
    return bound


def simulate(
    scenario: ScenarioLike,
    *,
    parameters: Mapping[str, float] | None = None,
    laws: Mapping[str, Law] | None = None,
    sensitivities: Sequence[str] = (),
    certify: bool = False,
    outside: bool = False,
) -> Trajectory:
    """Runs a scenario.

    ``parameters`` take the place of the scenario's. ``laws`` are functions for what acts as code (``kind = "code"``):
    a function of a `State` that returns a `Wrench`, or the address of a C function. ``sensitivities`` are parameters with
    respect to which every column has a derivative, ``COLUMN_by_NAME``, and every event its time. ``certify`` measures the error.
    ``outside``: meshes may lie outside the scenario's folder.

    Ctrl-C, or an exception in a law, ends the run: the exception comes out of here, with the rows before it as its
    ``trajectory``.
    """
    given = scenario_of(scenario)
    values = dict(parameters or {})
    bound = _laws(laws)
    # of a scenario that is a file, unchanged: what is saved is, byte for byte, what the command line writes
    text, file = given._text_and_file() if given._source is not None else ("", "")
    run, thrown = _polhode.simulate(given.to_dict(), text, file, given.folder, outside, values, bound, certify, list(sensitivities))
    trajectory = of_run(run, given, values, list(bound))
    if thrown is not None:
        thrown.trajectory = trajectory
        thrown.add_note(f"the run ended at t = {trajectory._end['t']:.6g} s; its rows are in the exception's .trajectory")
        raise thrown
    return trajectory


class Answer(dict[str, Any]):
    """What `polhode ... --json` says, as a dictionary; ``print`` shows the text for people."""

    def __init__(self, facts: Mapping[str, Any], text: str, **more: Any) -> None:
        super().__init__(facts)
        self.text = text
        self.__dict__.update(more)

    def __str__(self) -> str:
        return self.text


def check(scenario: ScenarioLike, *, parameters: Mapping[str, float] | None = None, outside: bool = False) -> Answer:
    """Is this model physical and well posed? What a reader of the file refuses is a finding too."""
    text, file = scenario_of(scenario)._text_and_file()
    words, facts = _polhode.check(text, file, outside, dict(parameters or {}))
    return Answer(json.loads(facts), words)


def compare(
    scenario: ScenarioLike,
    *,
    parameters: Mapping[str, float] | None = None,
    formulations: Sequence[str] = (),
    integrators: Sequence[str] = (),
    step: float | None = None,
    outside: bool = False,
) -> Answer:
    """The scenario under every form of the equations of motion. ``.csv`` has the table."""
    text, file = scenario_of(scenario)._text_and_file()
    words, facts, csv = _polhode.compare(
        text, file, outside, dict(parameters or {}), list(formulations), list(integrators), step
    )
    return Answer(json.loads(facts), words, csv=csv)


def solve(
    scenario: ScenarioLike,
    what: str,
    *,
    parameters: Mapping[str, float] | None = None,
    nearest: bool = False,
    over: str = "",
    along: Sequence[str] | Mapping[str, str] = (),
    table: str | os.PathLike[str] = "",
    times: str = "",
    write: str | os.PathLike[str] = "",
    csv: str | os.PathLike[str] = "",
    svg: str | os.PathLike[str] = "",
    outside: bool = False,
) -> Answer:
    """Statics, kinematics or inverse dynamics of a mechanism (docs/solve.md); ``what`` is one of these words."""
    text, file = scenario_of(scenario)._text_and_file()
    wanted = [f"{name}={formula}" for name, formula in along.items()] if isinstance(along, Mapping) else list(along)
    words, facts = _polhode.solve(
        text, file, outside, dict(parameters or {}), what, nearest, over, wanted,
        os.fspath(table), times, os.fspath(write), os.fspath(csv), os.fspath(svg),
    )  # fmt: skip
    return Answer(json.loads(facts), words)


# ---- linear equations ------------------------------------------------------------------------------------------------


class Name(NamedTuple):
    """A state, an input or an output of linear equations."""

    name: str
    unit: str


class Mode(NamedTuple):
    """An eigenvalue, its damping, and its shape over the states: the largest entry is 1."""

    eigenvalue: complex
    damping: float
    shape: npt.NDArray[np.complex128]


class Linearization:
    """A scenario near a state or a steady motion: x' = A x + B u, y = C x + D u.

    ``scipy.signal.StateSpace(*linear.matrices)`` and ``control.ss(*linear.matrices)`` take it as it is.
    """

    def __init__(self, facts: dict[str, Any]) -> None:
        self.A: Floats = facts["A"]
        self.B: Floats = facts["B"]
        self.C: Floats = facts["C"]
        self.D: Floats = facts["D"]
        self.title: str = facts["title"]
        self.about: str = facts["about"]
        self.steady: bool = facts["steady"]
        self.residual: float = facts["residual"]
        self.t: float = facts["t"]
        self.states = [Name(*one) for one in facts["states"]]
        self.inputs = [Name(*one) for one in facts["inputs"]]
        self.outputs = [Name(*one) for one in facts["outputs"]]
        self.ignorable = [one.name for one, alone in zip(self.states, facts["ignorable"], strict=True) if alone]
        self.left_out: list[str] = facts["left_out"]
        self.modes = [Mode(value, damping, np.array(shape)) for value, damping, shape in facts["modes"]]
        self.differences: list[str] = facts["differences"]
        self.notes: list[str] = facts["notes"]
        self._text: str = facts["text"]
        self.matlab: str = facts["matlab"]

    @property
    def matrices(self) -> tuple[Floats, Floats, Floats, Floats]:
        """A, B, C, D."""
        return self.A, self.B, self.C, self.D

    @property
    def eigenvalues(self) -> npt.NDArray[np.complex128]:
        """Those of the modes: by real part, the largest first."""
        return np.array([mode.eigenvalue for mode in self.modes], dtype=complex)

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<Linearization of {self.title!r} about {self.about}: {len(self.states)} states>"


class StabilityChange(NamedTuple):
    """Where an eigenvalue passes from decay to growth, or back."""

    parameter: float
    eigenvalue: complex
    becomes_unstable: bool


class RootLocus:
    """Eigenvalues of a scenario against a parameter."""

    def __init__(self, facts: dict[str, Any]) -> None:
        self.parameter: str = facts["parameter"]
        points = facts["points"]
        width = max((len(values) for _, values, _ in points), default=0)
        self.values: Floats = np.array([value for value, _, _ in points], dtype=float)
        #: a row a point; NaN where a point has none
        self.eigenvalues = np.full((len(points), width), complex(np.nan, np.nan))
        for row, (_, values, _) in zip(self.eigenvalues, points, strict=True):
            row[: len(values)] = values
        self.refused = {float(value): why for value, _, why in points if why}
        self.changes = [StabilityChange(*one) for one in facts["changes"]]
        self.zeros: int = facts["zeros"]
        self.svg: str = facts["svg"]
        self._text: str = facts["text"]

    def __str__(self) -> str:
        return self._text

    def _repr_svg_(self) -> str:
        return self.svg


def _linear_options(given: Scenario, options: dict[str, Any]) -> dict[str, Any]:
    options = {key: value for key, value in options.items() if value is not None}
    options["folder"] = given.folder
    for key in ("inputs", "outputs", "states"):
        options[key] = list(options.get(key, ()))
    options["parameters"] = dict(options.get("parameters", {}))
    return options


def linearize(
    scenario: ScenarioLike,
    *,
    inputs: Sequence[str] = (),
    outputs: Sequence[str] = (),
    states: Sequence[str] = (),
    about: str = "steady",
    at: float = 0.0,
    without_ignorable: bool = False,
    parameters: Mapping[str, float] | None = None,
    outside: bool = False,
) -> Linearization:
    """State matrices about an equilibrium or a steady motion (docs/linearize.md); ``about="state"``: about any state."""
    given = scenario_of(scenario)
    options = _linear_options(given, {
        "inputs": inputs, "outputs": outputs, "states": states, "about": about, "at": float(at),
        "without_ignorable": without_ignorable, "parameters": parameters or {}, "outside": outside,
    })  # fmt: skip
    return Linearization(_polhode.linearize(given.to_dict(), options))


def root_locus(
    scenario: ScenarioLike,
    over: str,
    *,
    states: Sequence[str] = (),
    without_ignorable: bool = False,
    parameters: Mapping[str, float] | None = None,
    outside: bool = False,
) -> RootLocus:
    """Eigenvalues against a parameter, ``over="v=0:10:201"``, and where stability changes."""
    given = scenario_of(scenario)
    options = _linear_options(given, {
        "states": states, "without_ignorable": without_ignorable, "parameters": parameters or {}, "outside": outside,
    })  # fmt: skip
    return RootLocus(_polhode.root_locus(given.to_dict(), options, over))


# ---- sweeps ----------------------------------------------------------------------------------------------------------


class SweepResult(Mapping[str, Any]):
    """A row a run: ``table["wx_body_rad_s.final"]`` is an array; words are lists."""

    def __init__(self, names: Sequence[tuple[str, str]], rows: list[list[Any]]) -> None:
        self.meanings = dict(names)
        self._columns: dict[str, Any] = {}
        for i, (name, _) in enumerate(names):
            cells = [row[i] for row in rows]
            words = any(isinstance(cell, str) for cell in cells)
            self._columns[name] = cells if words else np.array([np.nan if cell is None else cell for cell in cells])
        self.rows = len(rows)

    def __getitem__(self, name: str) -> Any:
        return self._columns[name]

    def __iter__(self) -> Any:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def to_pandas(self) -> Any:
        import pandas

        return pandas.DataFrame(self._columns)

    def __repr__(self) -> str:
        return f"<SweepResult: {self.rows} rows of {len(self)} columns>"


def sweep(
    scenario: ScenarioLike,
    over: str | Sequence[str],
    *,
    columns: Sequence[str] = (),
    parameters: Mapping[str, float] | None = None,
    laws: Mapping[str, Law] | None = None,
    certify: bool = False,
    threads: int = 0,
    outside: bool = False,
) -> SweepResult:
    """The scenario at every point of a grid: ``over="spin=1:10:4"``, or several of these."""
    given = scenario_of(scenario)
    axes = [over] if isinstance(over, str) else list(over)
    names, rows = _polhode.sweep(
        given.to_dict(), given.folder, outside, axes, list(columns), dict(parameters or {}), _laws(laws), certify, threads
    )
    return SweepResult(names, rows)


# ---- the rest --------------------------------------------------------------------------------------------------------


def schemes(
    moments: Sequence[float] | Floats,
    *,
    spin: float = 6.0,
    step: float | None = None,
    hz: float | None = None,
    turns: float = 100.0,
    precision: str = "both",
) -> Answer:
    """Every fixed-step scheme on one free body, judged by numbers. Steps by ``step`` in s or ``hz`` a second."""
    if step is not None and hz is not None:
        raise Error("step and hz say the same thing; give one of them")
    for name, value in (("spin", spin), ("step", step), ("hz", hz), ("turns", turns)):
        if value is not None and not value > 0:
            raise Error(f"{name} is {value!r}; wanted: more than 0")
    length = step if step is not None else 1 / (hz if hz is not None else 60.0)
    if not 1e-4 <= spin * length <= 20 or turns > 1e5:
        raise Error(f"{spin * length:g} rad a step and {turns:g} turns; allowed: 1e-4 to 20 rad, and up to 1e5 turns")
    three = np.ascontiguousarray(moments, dtype=float)
    if three.shape != (3,):
        raise Error(f"moments have the shape {three.shape}; wanted: 3 principal moments")
    words, facts = _polhode.schemes(three, float(spin), float(length), float(turns), precision)
    return Answer(json.loads(facts), words)


class Robot(NamedTuple):
    """A robot that was read: its scenario, and what was left out, changed or chosen."""

    scenario: Scenario
    notes: list[tuple[str, str, int]]


def import_urdf(file: str | os.PathLike[str], *, packages: Sequence[str] = (), floating: bool = False) -> Robot:
    """A robot in URDF as a scenario (docs/urdf.md)."""
    values, notes, folder = _polhode.import_urdf(os.fspath(file), list(packages), floating)
    made = Scenario(**values)
    made.folder = folder
    return Robot(made, notes)


class Drawing(str):
    """A picture as SVG; in a notebook it is shown."""

    def _repr_svg_(self) -> str:
        return str(self)

    def save(self, file: str | os.PathLike[str]) -> None:
        with open(file, "w", encoding="utf-8") as stream:
            stream.write(self)


def draw(
    what: ScenarioLike,
    *,
    angles: Sequence[float] | None = None,
    rates: Sequence[float] | None = None,
    parameters: Mapping[str, float] | None = None,
    outside: bool = False,
) -> Drawing:
    """Euler angles as cans in series, ``draw("3-2-1", angles=[0.3, 0.2, 0.1])``, or a mechanism at its start."""
    if isinstance(what, str) and not what.endswith(".toml"):
        three = [None if v is None else [float(x) for x in v] for v in (angles, rates)]
        return Drawing(_polhode.draw_sequence(what, *three))
    text, file = scenario_of(what)._text_and_file()
    return Drawing(_polhode.draw_mechanism(text, file, outside, dict(parameters or {})))


def convert(
    values: npt.ArrayLike, *, from_: str, to: str, degrees: bool = False, nearest: bool = False
) -> Floats:
    """Rows of one representation of rotations to another (`polhode list representations`): one row, or an array of them."""
    rows = np.ascontiguousarray(values, dtype=float)
    converted: Floats = _polhode.convert(np.atleast_2d(rows), from_, to, degrees, nearest)[0]
    return converted.reshape(-1) if rows.ndim == 1 else converted


def program() -> str:
    """The command line program that came with the module."""
    name = "polhode.exe" if sys.platform == "win32" else "polhode"
    inside = os.path.join(os.path.dirname(__file__), "bin", name)
    if os.path.exists(inside):
        return inside
    named = os.environ.get("POLHODE_PROGRAM", "")
    if named:
        return named
    raise Error("the program polhode was not installed with the module; POLHODE_PROGRAM may say where it is")


def _asked(arguments: Sequence[str], *, in_words: bool = True) -> Answer:
    """What the program says: as JSON, and for people."""
    import subprocess

    def told(*more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([program(), *arguments, *more], capture_output=True, text=True, check=False)

    done = told("--json")
    try:
        facts = json.loads(done.stdout)
    except json.JSONDecodeError:
        raise Error(done.stderr.strip() or f"polhode {' '.join(arguments)}: exit code {done.returncode}") from None
    words = told().stdout if in_words else json.dumps(facts, indent=2)
    return Answer(facts, words, status=done.returncode)


def _listed(option: str, names: Sequence[str]) -> list[str]:
    return [option, ",".join(names)] if names else []


def identify(
    scenario: ScenarioLike,
    logs: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    unknown: Sequence[str] = (),
    own: Sequence[str] = (),
    inertia: Sequence[str] = (),
    unknown_start: bool = False,
    measured: Sequence[str] = (),
    noise: Mapping[str, float] | None = None,
    bias: Sequence[str] = (),
    scale: Sequence[str] = (),
    misalignment: Sequence[str] = (),
    time_offset: Mapping[str, float] | None = None,
    robust: bool = False,
    parameters: Mapping[str, float] | None = None,
) -> Answer:
    """Parameters of a scenario out of measured data (docs/identify.md): CSV files or results, each a recording or several."""
    import tempfile

    names = [os.fspath(one) for one in ([logs] if isinstance(logs, (str, os.PathLike)) else logs)]
    options = _listed("--unknown", unknown) + _listed("--inertia", inertia) + _listed("--measured", measured)
    options += _listed("--bias", bias) + _listed("--scale", scale) + _listed("--misalignment", misalignment)
    options += ["--unknown-start"] * unknown_start + ["--robust"] * robust
    for name in own:
        options += ["--own", name]
    for option, values in (("--noise", noise), ("--time-offset", time_offset), ("--set", parameters)):
        for name, value in (values or {}).items():
            options += [option, f"{name}={float(value)!r}"]
    text, file = scenario_of(scenario)._text_and_file()
    if os.path.exists(file) and scenario_of(scenario)._source is not None:
        return _asked(["identify", file, *names, *options])
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "scenario.toml")
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text)
        return _asked(["identify", path, *names, *options])


def verify(what: str = "identities") -> Answer:
    """Checks the library against the equations of its sources: identities, forms, motions, joints, integrators."""
    return _asked(["verify", what], in_words=False)


def audit(
    log: str | os.PathLike[str] | Mapping[str, npt.ArrayLike],
    *,
    inertia: Sequence[float] | None = None,
    map: str = "",
    degrees: bool = False,
) -> Answer:
    """A referee for rotation logs (docs/audit.md): a CSV file, or columns by name (t, qw, qx, qy, qz, wx, wy, wz)."""
    options = ["--map", map] if map else []
    if inertia is not None:
        options += ["--inertia", ",".join(repr(float(one)) for one in inertia)]
    if degrees:
        options.append("--deg")
    if not isinstance(log, Mapping):
        return _asked(["audit", os.fspath(log), *options])
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "log.csv")
        table = np.column_stack([np.asarray(column, dtype=float) for column in log.values()])
        np.savetxt(path, table, delimiter=",", header=",".join(log), comments="", fmt="%.17g")
        return _asked(["audit", path, *options])
