"""Which files of its own folder a grader is made of, so that a change of any of them is seen."""

from __future__ import annotations

import ast
import hashlib
import os
import sys
from collections.abc import Iterator


def own_files(main: str, folder: str) -> list[dict[str, str]]:
    """Return ``[{path, sha256}]``, ``path`` relative to ``folder``: what was imported, and what is imported later.

    Imports inside functions are found by reading the source. Not found: modules by computed names, and data files.
    """
    found = {main, *_loaded(folder)}
    waiting = list(found)
    while waiting:
        for path in _imported_by(waiting.pop(), folder):
            if path not in found:
                found.add(path)
                waiting.append(path)
    found.discard(main)
    return [_entry(path, folder) for path in [main, *sorted(found)] if os.path.isfile(path)]


def _entry(path: str, folder: str) -> dict[str, str]:
    with open(path, "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    return {"path": os.path.relpath(path, folder).replace(os.sep, "/"), "sha256": f"sha256:{digest}"}


def _loaded(folder: str) -> Iterator[str]:
    for module in list(sys.modules.values()):
        path = getattr(module, "__file__", None)
        if isinstance(path, str) and path.startswith(folder + os.sep) and _is_own(path, folder):
            yield path


def _is_own(path: str, folder: str) -> bool:
    """A virtual environment inside the folder is no part of the grader."""
    return "site-packages" not in path[len(folder) :] and not path.startswith(sys.prefix + os.sep)


def _imported_by(path: str, folder: str) -> Iterator[str]:
    if not path.endswith(".py"):
        return
    try:
        with open(path, "rb") as file:
            tree = ast.parse(file.read())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _module_files(folder, alias.name)
        elif isinstance(node, ast.ImportFrom):
            base = _base(path, folder, node.level)
            names = [node.module] if node.module else []
            for alias in node.names:
                yield from _module_files(base, ".".join([*names, alias.name]))


def _base(path: str, folder: str, level: int) -> str:
    if level == 0:
        return folder
    base = os.path.dirname(path)
    for _ in range(level - 1):
        base = os.path.dirname(base)
    return base


def _module_files(base: str, name: str) -> Iterator[str]:
    """The files that importing ``a.b.c`` from ``base`` reads, where they exist."""
    parts = name.split(".")
    for count in range(1, len(parts) + 1):
        stem = os.path.join(base, *parts[:count])
        for path in (f"{stem}.py", os.path.join(stem, "__init__.py")):
            if os.path.isfile(path):
                yield path
