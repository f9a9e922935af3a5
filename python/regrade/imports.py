"""Finds the files of its folder that a grader consists of, so that a change of any of them is noticed."""

from __future__ import annotations

import os
import sys
from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _ast import AST
    from collections.abc import Iterator
    from typing import Any

#: Lines by which a grader imports the recipes.
_RECIPE_IMPORTS = (b"import regrade", b"from regrade import", b"from regrade.recipes import")


def _load_hash() -> Any:
    """Return Python's own SHA-256. ``hashlib`` would load OpenSSL first, which takes longer than all of our modules."""
    for name in ("_sha2", "_sha256", "hashlib"):  # since Python 3.12, before it, and where neither is there
        try:
            return import_module(name).sha256
        except ImportError:
            continue
    raise ImportError("this Python has no SHA-256")


_hash_of = _load_hash()
_ONLY_TREE = 0x400  # ast.PyCF_ONLY_AST


def own_files(main: str, folder: str, *packages: str) -> list[dict[str, str]]:
    """Return ``[{path, sha256}]``, with ``path`` relative to ``folder``: the modules that were imported, also from
    ``packages``, and those that will be imported later.

    Imports inside functions are found by reading the source. Not found: modules with computed names, and data files.
    """
    found = {main, *(path for each in (folder, *packages) for path in _loaded(each))}
    waiting = list(found)
    while waiting:
        importing = waiting.pop()
        for path in imported_by(_source_of(importing), importing, folder):
            if path not in found:
                found.add(path)
                waiting.append(path)
    paths = [path for path in [main, *sorted(found - {main})] if os.path.isfile(path)]
    sources = [_read(path) for path in paths]
    return [*(_entry(path, folder) for path in paths), *recipe_files(sources)]


def loaded_files(main: str, folder: str) -> list[dict[str, str]]:
    """Return the same for code whose imports are all at the top, like our own graders; no source is searched."""
    return [_entry(path, folder) for path in [main, *sorted({*_loaded(folder)} - {main})]]


def recipe_files(sources: list[bytes]) -> list[dict[str, str]]:
    """Return the entries of our recipes if one of the sources imports them, because scores change with them, too."""
    lines = (line.strip() for source in sources for line in source.splitlines())
    if not any(line.startswith(_RECIPE_IMPORTS) for line in lines):
        return []
    package = os.path.dirname(os.path.abspath(__file__))
    return [
        {"path": f"regrade/{name}", "sha256": sha256(_read(os.path.join(package, *name.split("/"))))}
        for name in ("recipes.py", "graders/numeric.py")
    ]


def sha256(data: bytes) -> str:
    """Return the hash in the form of a file's entry: ``sha256:…``."""
    return f"sha256:{_hash_of(data).hexdigest()}"


def _entry(path: str, folder: str) -> dict[str, str]:
    return {"path": os.path.relpath(path, folder).replace(os.sep, "/"), "sha256": sha256(_read(path))}


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _loaded(folder: str) -> Iterator[str]:
    for module in list(sys.modules.values()):
        path = getattr(module, "__file__", None)
        if isinstance(path, str) and path.startswith(folder + os.sep) and _is_own(path, folder):
            yield path


def _is_own(path: str, folder: str) -> bool:
    """True unless the file belongs to a virtual environment inside the folder, which is no part of the grader."""
    return "site-packages" not in path[len(folder) :] and not path.startswith(sys.prefix + os.sep)


def _source_of(path: str) -> bytes:
    try:
        return _read(path) if path.endswith(".py") else b""
    except OSError:
        return b""


def imported_by(source: bytes, path: str, folder: str) -> Iterator[str]:
    """Yield the modules of ``folder`` that the module at ``path`` imports anywhere in its source."""
    try:
        tree = parsed(source, path)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for kind, level, module, names in _imports(tree):
        base = folder if kind == "Import" else _base(path, folder, level)
        for name in names:
            yield from module_files(base, f"{module}.{name}" if module else name)


def parsed(source: bytes, path: str) -> AST:
    """Return the syntax tree; raises like ``compile``."""
    tree: AST = compile(source, path, "exec", _ONLY_TREE, dont_inherit=True)
    return tree


def _imports(tree: AST) -> Iterator[tuple[str, int, str, list[str]]]:
    """Yield the import statements. The module ``ast`` is not used: importing it takes 5 ms, and the user's folder may
    have a module of that name."""
    waiting: list[object] = [tree]
    while waiting:
        node = waiting.pop()
        kind = type(node).__name__
        if kind in ("Import", "ImportFrom"):
            names = [alias.name for alias in getattr(node, "names", ())]
            yield kind, getattr(node, "level", 0) or 0, getattr(node, "module", None) or "", names
        for field in getattr(node, "_fields", ()):
            value = getattr(node, field, None)
            waiting += value if isinstance(value, list) else [value]


def _base(path: str, folder: str, level: int) -> str:
    if level == 0:
        return folder
    base = os.path.dirname(path)
    for _ in range(level - 1):
        base = os.path.dirname(base)
    return base


def module_files(base: str, name: str) -> Iterator[str]:
    """Yield the existing files that are read when ``a.b.c`` is imported from ``base``."""
    parts = name.split(".")
    for count in range(1, len(parts) + 1):
        stem = os.path.join(base, *parts[:count])
        for path in (f"{stem}.py", os.path.join(stem, "__init__.py")):
            if os.path.isfile(path):
                yield path
