"""Compares state that the samples of a chunk share, before and after: a change by one sample affects the others."""

from __future__ import annotations

import gc
import os
import sys
from _thread import _count as count_threads
from types import FunctionType, ModuleType

#: Names that graders were seen to replace, or call most. Not all names: reading one in a fork copies its memory page.
_WATCHED = {
    "builtins": "abs all any bool dict enumerate float int isinstance len list map max min open print range round set "
    "sorted str sum tuple zip __import__",
    "json": "dump dumps load loads",
    "re": "compile findall finditer fullmatch match search split sub",
    "math": "isclose isfinite isnan sqrt",
    "os": "environ getcwd path",
    "time": "sleep time",
    "random": "choice random sample seed shuffle",
    "regrade.result": "finite read_result",
    "regrade.codec": "decode encode encode_text",
    "regrade.plain": "encode_any",
}
#: Modules that may be imported while a chunk is graded. All their names above are functions of their own.
_LATE = ("json", "re")


class Surroundings:
    """A snapshot of shared state. Not included: the grader's own globals, in which it may keep state, and what objects
    contain."""

    def __init__(self) -> None:
        self._plain = _plain()
        loaded = [(module, names.split()) for name, names in _WATCHED.items() if (module := sys.modules.get(name))]
        self._values = [(module, name, vars(module).get(name)) for module, names in loaded for name in names]
        self._late = [module for module in _LATE if module not in sys.modules]

    def changed(self) -> str | None:
        """Return what differs from the snapshot, in words; None if nothing does."""
        for (name, before), (_, now) in zip(self._plain.items(), _plain().items(), strict=True):
            if before != now:
                return name
        for module, name, value in self._values:
            if vars(module).get(name) is not value:
                return f"{module.__name__}.{name}"
        late = [(module, name) for module in self._late for name in _WATCHED[module].split()]
        return next((f"{module}.{name}" for module, name in late if _is_replaced(sys.modules.get(module), name)), None)


def _is_replaced(module: ModuleType | None, name: str) -> bool:
    """Return whether a function of a module that was imported late is another than the module's own."""
    value = getattr(module, name, None)
    return module is not None and not (isinstance(value, FunctionType) and value.__globals__ is vars(module))


def threads() -> int:
    """Return how many threads run in addition to the main one, however they were started."""
    return count_threads()


def _plain() -> dict[str, object]:
    try:
        directory = os.getcwd()
    except OSError:  # it was deleted
        directory = ""
    return {
        "the working directory": directory,
        "the environment": dict(os.environ),
        "sys.path": list(sys.path),
        "sys.meta_path": list(sys.meta_path),
        "the recursion limit": sys.getrecursionlimit(),
        "garbage collection": gc.isenabled(),
    }
