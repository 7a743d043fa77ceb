"""Scenarios: read, written, changed and asked."""

from __future__ import annotations

import copy
import os
from collections.abc import Mapping
from typing import Any

from . import _polhode, _tables
from ._errors import Error
from ._tables import plain

_Base: Any = _tables._classes["Scenario"]


class Scenario(_Base):  # type: ignore[misc]
    """A scenario: one body, or a mechanism. Its fields are the keys of scenario files (docs/scenario.md).

    >>> handle = Scenario(title="a handle that flips", body=dict(principal_moments=[2, 1, 3]))
    >>> handle.initial.w_body = [15, 0.001, 0]
    >>> handle.run.duration = 10
    >>> Scenario.from_toml(handle.to_toml()) == handle
    True
    """

    _keys = _Base._keys

    def __init__(self, **values: Any) -> None:
        object.__setattr__(self, "_source", None)
        object.__setattr__(self, "folder", "")
        super().__init__(**values)

    def __setattr__(self, key: str, value: Any) -> None:
        if key in ("folder", "_source"):
            object.__setattr__(self, key, value)
        else:
            super().__setattr__(key, value)

    @classmethod
    def read(cls, file: str | os.PathLike[str]) -> Scenario:
        """Of a TOML file; fails with every mistake of form in it, each with its line and column."""
        path = os.fspath(file)
        try:
            with open(path, encoding="utf-8", newline="") as stream:
                text = stream.read()
        except UnicodeDecodeError as error:
            raise Error(f"'{path}' is no text in UTF-8: {error}") from None
        return cls.from_toml(text, file=path)

    @classmethod
    def from_toml(cls, text: str, *, file: str = "scenario.toml") -> Scenario:
        """Of the text of a file; ``file`` is its name in messages, and says where meshes are looked for."""
        values: Any = _polhode.read_toml(text, file)
        made = cls(**values)
        made.folder = os.path.dirname(file)
        made._source = (text, file, copy.deepcopy(made.to_dict()))
        return made

    def to_toml(self) -> str:
        """As a file that reads back equal."""
        return _polhode.to_toml(self.to_dict())

    def write(self, file: str | os.PathLike[str]) -> None:
        """Writes the file, whole or not at all."""
        path = os.fspath(file)
        part = path + ".part"
        with open(part, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(self.to_toml())
        os.replace(part, path)

    @property
    def is_mechanism(self) -> bool:
        return bool(self.bodies)

    def hash(self) -> str:
        """SHA-256 of what it means, whatever the order of keys and the defaults that are written out."""
        return _polhode.hash_of(self.to_dict())

    def with_parameters(self, values: Mapping[str, float | str] | None = None, **more: float | str) -> Scenario:
        """The same with other values of parameters."""
        other = copy.deepcopy(self)
        for name, value in {**(values or {}), **more}.items():
            if name not in other.parameters:
                raise Error(_tables._unknown("parameter", name, other.parameters))
            other.parameters[name] = value
        return other

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Scenario):
            return NotImplemented
        mine, theirs = self.to_dict(), other.to_dict()
        return mine == theirs or _polhode.equal(mine, theirs)

    __hash__ = None  # type: ignore[assignment]

    def __deepcopy__(self, memo: dict[int, Any]) -> Scenario:
        made = Scenario(**copy.deepcopy(self.to_dict(), memo))
        made.folder, made._source = self.folder, self._source
        return made

    def __reduce__(self) -> Any:
        return _remade, (self.to_dict(), self.folder, self._source)

    def _text_and_file(self) -> tuple[str, str]:
        """The file that it was read from where nothing has changed since, else one like it."""
        if self._source is not None and self._source[2] == self.to_dict():
            return self._source[0], self._source[1]
        return self.to_toml(), os.path.join(self.folder, "scenario.toml")


def _remade(values: dict[str, Any], folder: str, source: Any) -> Scenario:
    made = Scenario(**values)
    made.folder, made._source = folder, source
    return made


def scenario_of(given: Scenario | str | os.PathLike[str] | Mapping[str, Any]) -> Scenario:
    """A scenario, the path of one, or its dictionary."""
    if isinstance(given, Scenario):
        return given
    if isinstance(given, (str, os.PathLike)):
        return Scenario.read(given)
    if isinstance(given, Mapping):
        return Scenario(**plain(given))
    raise TypeError(f"wanted is a Scenario, the path of one or a dictionary, not {type(given).__name__}")


_tables._classes["Scenario"] = Scenario
