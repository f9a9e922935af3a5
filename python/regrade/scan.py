"""Searches a grader, and what it imports from the repository, for code that executes text."""

from __future__ import annotations

import os
import sys

from regrade.imports import imported_by, module_files, parsed
from regrade.runs_text import Found, find_text_run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_OWN = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_INSTALLED = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")


class Scan:
    """``folder``: the grader's own; None for inline source. Modules come from it, and from other folders of
    ``sys.path`` in which nothing was installed."""

    def __init__(self, folder: str | None, loaded: Iterable[str] = ()) -> None:
        self._loaded = loaded
        strangers = [path for path in sys.path if path and os.path.isdir(path) and not _is_installed(path)]
        self._roots = list(dict.fromkeys([*([folder] if folder else []), *strangers]))
        self._base = folder or os.getcwd()
        self._seen: set[str] = set()

    def first(self, shown: str, source: bytes) -> str | None:
        """Return the first place where text is executed, in words: ``exec in helper.py, line 3``. The grader itself
        comes first."""
        found = self._found(source, shown)
        if found is not None:
            return _words(found, shown)
        waiting = [*self._loaded, *self._imported(source, shown)]
        while waiting:
            path = waiting.pop(0)
            if path in self._seen:
                continue
            self._seen.add(path)
            shown = os.path.relpath(path, self._base).replace(os.sep, "/")
            if not path.endswith(".py"):
                return f"{shown}, which is compiled"
            try:
                with open(path, "rb") as file:
                    source = file.read()
            except OSError:
                continue
            found = self._found(source, path)
            if found is not None:
                return _words(found, shown)
            waiting += self._imported(source, path)
        return None

    def _found(self, source: bytes, path: str) -> Found | None:
        try:
            return find_text_run(source, lambda: parsed(source, path), self._is_own)
        except (SyntaxError, ValueError):  # then it can't be imported
            return None
        except (RecursionError, MemoryError):
            return Found("code too deep to be read", 1)

    def _imported(self, source: bytes, path: str) -> Iterator[str]:
        for root in self._roots:
            yield from imported_by(source, path, root)

    def _is_own(self, module: str) -> bool:
        return any(True for root in self._roots for _ in module_files(root, module))


def _words(found: Found, shown: str) -> str:
    return f"{found.what} in {shown}, line {found.line}"


def loaded_sources() -> Iterator[str]:
    """Yield the files of modules that are imported already and were not installed."""
    for name, module in sorted(sys.modules.items()):
        path = getattr(module, "__file__", None)
        if isinstance(path, str) and name != "__main__" and os.path.isfile(path) and not _is_installed(path):
            yield path


def _is_installed(path: str) -> bool:
    """True for files of Python, of packages installed for it, or of Regrade."""
    inside = path + os.sep
    if path.startswith("<") or any(part in inside for part in _INSTALLED):
        return True
    return inside.startswith((*_HOMES, _OWN)) or path.endswith(".zip")


def _homes() -> tuple[str, ...]:
    homes = [os.path.dirname(os.__file__), *(os.path.join(prefix, "lib") for prefix in (sys.base_prefix, sys.prefix))]
    return tuple(os.path.realpath(home) + os.sep for home in homes) + tuple(home + os.sep for home in homes)


#: Computed once, before user code runs, because about a hundred modules are checked.
_HOMES = _homes()
