"""Control loops."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from . import _polhode
from ._calls import Law, ScenarioLike, _laws
from ._scenario import scenario_of
from ._trajectory import Column, Floats


class Simulator:
    """A scenario that its caller carries forward, a piece of time at a time.

    Inputs are parameters of the scenario that shape nothing but what acts, and events: they stay constant between
    steps. Events act inside a step, at their instants.

    >>> disc = dict(title="disc", parameters={"torque": 0.0}, body=dict(principal_moments=[0.5, 0.5, 0.9]),
    ...             initial=dict(w_body=[0, 0, 1]), load=[dict(kind="moment", moment_body=[0, 0, "torque"])],
    ...             run=dict(duration=1))
    >>> plant = Simulator(disc)
    >>> while abs(plant["wz_body_rad_s"]) > 1e-3:
    ...     _ = plant.step(0.1, torque=max(-0.05, -2 * plant["wz_body_rad_s"]))
    >>> round(plant.t, 1)
    18.9
    """

    def __init__(
        self,
        scenario: ScenarioLike,
        *,
        parameters: Mapping[str, float] | None = None,
        laws: Mapping[str, Law] | None = None,
    ) -> None:
        given = scenario_of(scenario)
        self._one = _polhode.Simulator(given.to_dict(), given.folder, dict(parameters or {}), _laws(laws))
        #: of a row
        self.columns = [Column(*one) for one in self._one.columns]

    @property
    def inputs(self) -> list[str]:
        """The parameters that can be set between steps."""
        return list(self._one.inputs)

    def input(self, name: str) -> float:
        return float(self._one.input(name))

    def set(self, **inputs: float) -> None:
        """Inputs from here on."""
        for name, value in inputs.items():
            self._one.set(name, value)

    def step(self, dt: float, **inputs: float) -> bool:
        """Goes on by dt > 0, in s. False where the run has ended: `ending` says why."""
        for name, value in inputs.items():
            self._one.set(name, value)
        return bool(self._one.step(dt))

    def reset(self, seed: int | None = None) -> None:
        """Back to the start, with the inputs that the scenario gives. Nothing is random here: a seed changes nothing."""
        self._one.reset()

    @property
    def t(self) -> float:
        return float(self._one.t)

    @property
    def row(self) -> Floats:
        """The row of the last step, or of the start, in the order of `columns`."""
        return self._one.row

    def __getitem__(self, column: str) -> float:
        return float(self._one[column])

    @property
    def events(self) -> list[tuple[str, float]]:
        """Events of the last step: names and times."""
        return list(self._one.events)

    @property
    def ending(self) -> tuple[str, str, float]:
        """Where it stands; where it has ended, why: ("stopped-by-event", message, t)."""
        return tuple(self._one.end)

    def state(self) -> dict[str, Any]:
        """Everything that the motion from here on depends on; it can be pickled."""
        return dict(self._one.state())

    def restore(self, state: Mapping[str, Any]) -> None:
        """Goes on from there, bit for bit."""
        self._one.restore(dict(state))
