"""Errors of the library as exceptions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from . import _polhode


class Problem(NamedTuple):
    """One thing that is wrong: where, what, what would be right, and what to do."""

    what: str
    allowed: str
    cure: str
    file: str
    line: int
    column: int


class Error(ValueError):
    """A mistake in what was given. ``problems`` has all of them, each with its place."""

    def __init__(self, message: str, problems: Sequence[tuple[str, str, str, str, int, int]] | None = None) -> None:
        super().__init__(message)
        self.problems: list[Problem] = [Problem(*one) for one in problems or []]

    def __reduce__(self) -> tuple[type[Error], tuple[str, list[Problem]]]:
        return type(self), (str(self), self.problems)


_polhode.set_error(Error)
