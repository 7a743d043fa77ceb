"""Tables of a scenario: plain data with the keys of scenario files.

The classes are made from the list of keys that the library reads and writes scenario files by, so that a key that is
new there is known here. ``_tables.pyi``, made by python/tables_stub.py, says the same to type checkers.
"""

from __future__ import annotations

import copy
import difflib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from . import _polhode

_classes: dict[str, type[Table]] = {}


def plain(value: Any) -> Any:
    """Dictionaries, lists, texts and numbers, and nothing else."""
    if isinstance(value, Table):
        return value.to_dict()
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return value


def _class_of(type_text: str) -> type[Table] | None:
    return _classes.get(type_text)


def _taken(type_text: str, value: Any) -> Any:
    """A value as a field of this type holds it: dictionaries become tables."""
    if type_text.startswith("Tables["):
        return Tables(_classes[type_text[len("Tables[") : -1]], value)
    of = _class_of(type_text)
    if of is not None and isinstance(value, Mapping):
        return of(**value)
    return value


class Tables(list[Any]):
    """A list of tables of one kind; a dictionary that is put in becomes such a table."""

    def __init__(self, of: type[Table], tables: Iterable[Any] = ()) -> None:
        self._of = of
        super().__init__(self._one(table) for table in tables)

    def _one(self, table: Any) -> Any:
        return self._of(**table) if isinstance(table, Mapping) else table

    def append(self, table: Any) -> None:
        super().append(self._one(table))

    def insert(self, index: Any, table: Any) -> None:
        super().insert(index, self._one(table))

    def extend(self, tables: Iterable[Any]) -> None:
        super().extend(self._one(table) for table in tables)

    def __iadd__(self, tables: Iterable[Any]) -> Tables:  # type: ignore[override, misc]
        self.extend(tables)
        return self

    def __setitem__(self, index: Any, table: Any) -> None:
        if isinstance(index, slice):
            super().__setitem__(index, [self._one(one) for one in table])
        else:
            super().__setitem__(index, self._one(table))

    def __deepcopy__(self, memo: dict[int, Any]) -> Tables:
        return Tables(self._of, [copy.deepcopy(one, memo) for one in self])

    def __reduce__(self) -> Any:
        return _tables_from, (self._of.__name__, [plain(one) for one in self])

    def named(self, name: str) -> Any:
        """The table of that name."""
        for one in self:
            if one.name == name:
                return one
        raise KeyError(_unknown("name", name, [str(one.name) for one in self]))


def _unknown(what: str, name: str, known: Iterable[str]) -> str:
    name, known = str(name), list(known)
    near = difflib.get_close_matches(name, known, 1)
    guess = f"; did you mean '{near[0]}'?" if near else ""
    return f"unknown {what} '{name}'{guess}; known: {' '.join(known)}"


class Table:
    """A table: its fields are the keys of a scenario file, and None where they are not given."""

    _keys: dict[str, str] = {}

    def __init__(self, **values: Any) -> None:
        object.__setattr__(self, "_values", {})
        for key, value in values.items():
            setattr(self, key, value)

    def __setattr__(self, key: str, value: Any) -> None:
        type_text = self._keys.get(key)
        if type_text is None:
            raise AttributeError(f"{type(self).__name__}: {_unknown('key', key, self._keys)}")
        if value is None:
            self._values.pop(key, None)
        else:
            self._values[key] = _taken(type_text, value)

    def __getattr__(self, key: str) -> Any:
        if key.startswith("__") or key == "_values":
            raise AttributeError(key)
        type_text = self._keys.get(key)
        if type_text is None:
            raise AttributeError(f"{type(self).__name__}: {_unknown('key', key, self._keys)}")
        if key not in self._values:
            of = _class_of(type_text)
            if type_text.startswith("Tables["):
                self._values[key] = Tables(_classes[type_text[len("Tables[") : -1]])
            elif of is not None:
                self._values[key] = of()
            elif type_text.startswith("dict["):
                self._values[key] = {}
            else:
                return None
        return self._values[key]

    def __delattr__(self, key: str) -> None:
        setattr(self, key, None)

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), *self._keys]

    def to_dict(self) -> dict[str, Any]:
        """What is given, as dictionaries, lists, texts and numbers."""
        given = {}
        for key, value in self._values.items():
            one = plain(value)
            if isinstance(value, (Table, Tables, dict)) and not one:
                continue  # an empty table says nothing
            given[key] = one
        return given

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        inside = ", ".join(f"{key}={value!r}" for key, value in self._values.items() if plain(value) not in ({}, []))
        return f"{type(self).__name__}({inside})"

    def __iter__(self) -> Iterator[str]:
        """The keys that are given."""
        return iter(self.to_dict())

    def __copy__(self) -> Any:
        return copy.deepcopy(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return _table_from(type(self).__name__, copy.deepcopy(self.to_dict(), memo))

    def __reduce__(self) -> Any:
        return _table_from, (type(self).__name__, self.to_dict())


def _table_from(name: str, values: dict[str, Any]) -> Table:
    return _classes[name](**values)


def _tables_from(name: str, values: list[dict[str, Any]]) -> Tables:
    return Tables(_classes[name], values)


def _make() -> None:
    for name, keys in _polhode.schema():
        doc = ", ".join(f"{key}: {type_text}" for key, type_text, _ in keys)
        base = type(name, (Table,), {"_keys": {key: type_text for key, type_text, _ in keys}, "__doc__": doc})
        base.__module__ = __name__
        _classes[name] = base


_make()


def __getattr__(name: str) -> type[Table]:
    try:
        return _classes[name]
    except KeyError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
