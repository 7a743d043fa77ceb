"""Writes the types of a scenario's tables, from the keys that the library reads scenario files by.

    python tables_stub.py polhode/_tables.pyi    # with the extension _polhode on the path
"""

from __future__ import annotations

import pathlib
import sys
from typing import Any

import _polhode


def _assigned(type_text: str, tables: Any) -> str:
    """What may be put into a field."""
    if type_text.startswith("Tables["):
        return f"Iterable[{type_text[len('Tables[') : -1]} | Mapping[str, Any]]"
    if type_text in tables:
        return f"{type_text} | Mapping[str, Any]"
    return type_text.replace("dict[", "Mapping[")


def types_of_tables() -> str:
    """The text of ``_tables.pyi``."""
    tables = {name: keys for name, keys in _polhode.schema()}
    lines = [
        '"""The keys of scenario files as type checkers see them."""',
        "",
        "from collections.abc import Iterable, Iterator, Mapping, Sequence",
        "from typing import Any, SupportsIndex, TypeVar",
        "",
        "Number = float | str",
        '_T = TypeVar("_T", bound="Table")',
        "",
        "def plain(value: Any) -> Any: ...",
        "def _unknown(what: str, name: str, known: Iterable[str]) -> str: ...",
        "_classes: dict[str, type[Table]]",
        "",
        "class Tables(list[_T]):",
        "    def __init__(self, of: type[_T], tables: Iterable[_T | Mapping[str, Any]] = ()) -> None: ...",
        "    def append(self, table: _T | Mapping[str, Any]) -> None: ...",
        "    def insert(self, index: SupportsIndex, table: _T | Mapping[str, Any]) -> None: ...",
        "    def extend(self, tables: Iterable[_T | Mapping[str, Any]]) -> None: ...",
        "    def named(self, name: str) -> _T: ...",
        "",
        "class Table:",
        "    _keys: dict[str, str]",
        "    def to_dict(self) -> dict[str, Any]: ...",
        "    def __iter__(self) -> Iterator[str]: ...",
    ]
    for name, keys in tables.items():
        lines += ["", f"class {name}(Table):"]
        assigned = {key: _assigned(type_text, tables) for key, type_text, _ in keys}
        for key, type_text, _ in keys:
            given = type_text if type_text in tables or type_text.startswith(("Tables[", "dict[")) else f"{type_text} | None"
            lines += ["    @property", f"    def {key}(self) -> {given}: ..."]
            lines += [f"    @{key}.setter", f"    def {key}(self, value: {assigned[key]} | None) -> None: ..."]
        lines.append("    def __init__(")
        lines.append("        self,")
        lines.append("        *,")
        lines += [f"        {key}: {assigned[key]} | None = None," for key, _, _ in keys]
        lines.append("    ) -> None: ...")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    pathlib.Path(sys.argv[1]).write_text(types_of_tables(), encoding="utf-8")
