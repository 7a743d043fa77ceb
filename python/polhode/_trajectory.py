"""What a run has computed."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _polhode, _tables
from ._errors import Error
from ._scenario import Scenario

Floats = npt.NDArray[np.float64]


class Column(NamedTuple):
    """A column of a result: what it is, in which unit, of which frame."""

    name: str
    unit: str
    meaning: str

    @property
    def frame(self) -> str:
        """"body" or "space" where the column is a component in one of them, else ""."""
        words = self.name.split("_")
        return next((frame for frame in ("body", "space") if frame in words), "")


class Event(NamedTuple):
    """An event that a run has met: the state of the (first) body before what the event changes."""

    name: str
    t: float
    e_NB: tuple[float, float, float, float]
    w_B: tuple[float, float, float]
    #: derivatives of t by the parameters that were asked for
    t_by: tuple[float, ...] = ()


class Peak(NamedTuple):
    """A value and when it was so."""

    t: float
    value: float


class Certificate:
    """How far a run can be trusted, and by which evidence."""

    def __init__(self, facts: dict[str, Any], text: str) -> None:
        #: as certificate.json has it
        self.facts = facts
        self._text = text

    @property
    def verdict(self) -> str:
        """"yes", "no" or "not established"."""
        return str(self.facts["verdict"])

    @property
    def reason(self) -> str:
        return str(self.facts.get("reason", ""))

    @property
    def attitude_error(self) -> float | None:
        """rad, the largest found; None where nothing measured it."""
        return self.facts.get("attitude_error_rad")

    @property
    def position_error(self) -> float | None:
        """m, likewise."""
        return self.facts.get("position_error_m")

    @property
    def notes(self) -> list[str]:
        return list(self.facts.get("notes", []))

    @property
    def evidence(self) -> list[dict[str, Any]]:
        return list(self.facts.get("evidence", []))

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"Certificate({self.verdict!r}: {self.reason})"


class Trajectory(Mapping[str, Floats]):
    """Rows of numbers by the names of their columns (docs/formats.md): ``run["t_s"]`` is an array.

    Arrays are views on one table, and read-only.
    """

    def __init__(
        self,
        columns: Sequence[tuple[str, str, str]],
        table: Floats,
        events: Sequence[tuple[str, float, tuple[Any, Any], Sequence[float]]],
        end: dict[str, Any],
        head: dict[str, Any],
        certificate: Certificate | None,
        scenario: Scenario | None = None,
        parameters: Mapping[str, float] | None = None,
        run: Any = None,
        laws: Sequence[str] = (),
    ) -> None:
        self.columns = [Column(*one) for one in columns]
        #: all rows, shape (rows, columns)
        self.table = table
        self.table.flags.writeable = False
        self.events = [Event(name, t, e_NB, w_B, tuple(by)) for name, t, (e_NB, w_B), by in events]
        self._end = dict(end)
        #: where it comes from
        self.head = dict(head)
        self.certificate = certificate
        self.scenario = scenario
        self.parameters = dict(parameters or {})
        self._laws = list(laws)
        self._run = run
        self._index = {one.name: i for i, one in enumerate(self.columns)}

    # ---- a mapping of columns to arrays ------------------------------------------------------------------------------

    def __getitem__(self, name: str) -> Floats:
        index = self._index.get(name)
        if index is None:
            raise KeyError(_tables._unknown("column", name, self._index))
        return self.table[:, index]

    def __iter__(self) -> Iterator[str]:
        return iter(self._index)

    def __len__(self) -> int:
        return len(self.columns)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Trajectory)
            and self.columns == other.columns
            and self.table.tobytes() == other.table.tobytes()
            and self.events == other.events
        )

    __hash__ = None  # type: ignore[assignment]

    @property
    def rows(self) -> int:
        return int(self.table.shape[0])

    def column(self, name: str) -> Column:
        """What a column is."""
        self[name]
        return self.columns[self._index[name]]

    def largest(self, name: str) -> Peak:
        values = self[name]
        i = int(np.argmax(values))
        return Peak(float(self["t_s"][i]), float(values[i]))

    def smallest(self, name: str) -> Peak:
        values = self[name]
        i = int(np.argmin(values))
        return Peak(float(self["t_s"][i]), float(values[i]))

    # ---- how it ended ------------------------------------------------------------------------------------------------

    @property
    def ending(self) -> str:
        """"done", "stopped-by-event", "interrupted", ... as files have it."""
        return str(self._end.get("ending", ""))

    @property
    def message(self) -> str:
        """What went wrong, one line; "" where nothing did."""
        return str(self._end.get("message", ""))

    @property
    def done(self) -> bool:
        """It reached its duration, or an event stopped it."""
        return self.ending in ("done", "stopped-by-event")

    @property
    def statistics(self) -> dict[str, Any]:
        """Steps, rejected steps, evaluations."""
        return {key: self._end[key] for key in ("steps", "rejected", "evaluations") if key in self._end}

    def __repr__(self) -> str:
        title = self.head.get("title", "")
        verdict = f", certificate: {self.certificate.verdict}" if self.certificate is not None else ""
        return f"<Trajectory {title!r}: {self.rows} rows of {len(self)} columns, {self.ending}{verdict}>"

    # ---- elsewhere ---------------------------------------------------------------------------------------------------

    def save(
        self,
        folder: str | os.PathLike[str],
        *,
        formats: Sequence[str] = ("csv",),
        report: bool = True,
        svg: bool = False,
        overwrite: bool = False,
    ) -> list[str]:
        """Writes what `polhode run` writes: log, tables, certificate, report. Returns the paths of the files."""
        if self._run is None:
            if self.scenario is None or self._laws:
                raise Error("this trajectory was read or unpickled without its run, and cannot be saved; run it again")
            from ._calls import simulate

            again = simulate(self.scenario, parameters=self.parameters, certify=self.certificate is not None)
            self._run = again._run
        return list(self._run.save(os.fspath(folder), list(formats), report, svg, overwrite))

    def to_pandas(self) -> Any:
        """A pandas.DataFrame with time as its index."""
        import pandas

        frame = pandas.DataFrame(np.array(self.table), columns=list(self))
        return frame.set_index("t_s") if "t_s" in self else frame

    def to_xarray(self) -> Any:
        """An xarray.Dataset over time, units and meanings as attributes."""
        import xarray

        variables = {
            one.name: ("t_s", np.array(self[one.name]), {"units": one.unit, "long_name": one.meaning})
            for one in self.columns
            if one.name != "t_s"
        }
        return xarray.Dataset(variables, coords={"t_s": np.array(self["t_s"])}, attrs={"title": self.head.get("title", "")})

    def plot(self, *names: str, ax: Any = None) -> Any:
        """Columns over time with matplotlib; without names, the angular velocity. Returns the axes."""
        import matplotlib.pyplot as plt

        chosen = list(names) or [name for name in self if name.startswith("w") and name.endswith("_body_rad_s")][:3]
        if not chosen:
            raise Error("which columns? name some: run.plot('t_s', ...)")
        if ax is None:
            _, ax = plt.subplots()
        for name in chosen:
            ax.plot(self["t_s"], self[name], label=name)
        units = {self.column(name).unit for name in chosen}
        ax.set_xlabel("t_s")
        ax.set_ylabel(units.pop() if len(units) == 1 else "")
        ax.set_title(self.head.get("title", ""))
        ax.legend()
        return ax

    def page(self) -> str:
        """The report as a page, HTML."""
        import pathlib
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            place = os.path.join(folder, "run")
            self.save(place)
            return pathlib.Path(place, "report.html").read_text(encoding="utf-8")

    def view(self) -> str:
        """Opens the report in a browser; returns its path."""
        import pathlib
        import tempfile
        import webbrowser

        place = tempfile.mkdtemp(prefix="polhode-")
        path = pathlib.Path(place, "report.html")
        path.write_text(self.page(), encoding="utf-8")
        webbrowser.open(path.as_uri())
        return str(path)

    def _repr_html_(self) -> str:
        import html

        return f'<iframe srcdoc="{html.escape(self.page(), quote=True)}" width="100%" height="640" style="border:0"></iframe>'

    def __reduce__(self) -> Any:
        certificate = None if self.certificate is None else (self.certificate.facts, str(self.certificate))
        events = [(one.name, one.t, (one.e_NB, one.w_B), one.t_by) for one in self.events]
        return _remade, (
            [tuple(one) for one in self.columns],
            np.array(self.table),
            events,
            self._end,
            self.head,
            certificate,
            self.scenario,
            self.parameters,
            self._laws,
        )


def _remade(columns: Any, table: Any, events: Any, end: Any, head: Any, certificate: Any, *more: Any) -> Trajectory:
    scenario, parameters, laws = more
    trusted = None if certificate is None else Certificate(*certificate)
    return Trajectory(columns, table, events, end, head, trusted, scenario, parameters, None, laws)


def of_run(run: Any, scenario: Scenario, parameters: Mapping[str, float], laws: Sequence[str]) -> Trajectory:
    certificate = Certificate(json.loads(run.certificate_json), run.certificate_text)
    return Trajectory(
        run.columns, run.table, run.events, run.end, run.head, certificate, scenario, parameters, run, laws
    )


def read_result(path: str | os.PathLike[str]) -> Trajectory:
    """A result file of any format, the log of a run, or the folder of one."""
    head, columns, table, events, notes, certificate = _polhode.read_result(os.fspath(path))
    trusted = None
    if certificate:
        trusted = Certificate(json.loads(certificate), certificate)
    made = Trajectory(columns, table, events, {"ending": "", "message": ""}, head, trusted)
    made.head["notes"] = list(notes)
    return made
