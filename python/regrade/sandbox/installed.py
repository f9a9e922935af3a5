"""Finds a program's file, and the folder in which it is installed."""

from __future__ import annotations

import os


def installed(program: str, hidden: list[str]) -> list[str]:
    """Return the program, the targets of its links, and the folder in which it is installed: node_modules, or the
    folder that contains its ``bin``. A folder that contains a home or hidden files is not used; then only the program's
    file is returned."""
    found = [program, os.path.realpath(program)]
    for path in tuple(found):
        above, _, inside = path.partition("/node_modules/")
        folder = os.path.dirname(path)
        if inside:
            found.append(f"{above}/node_modules")
        elif os.path.basename(folder) == "bin":
            prefix = os.path.dirname(folder)
            homes = [os.environ.get("HOME") or "/root", os.path.expanduser("~"), "/root", *hidden]
            if prefix != "/" and not prefix.endswith("/.local") and held_by(os.path.realpath(prefix), homes) is None:
                found.append(prefix)
    return found


def held_by(folder: str, paths: list[str]) -> str | None:
    """Return the first of ``paths`` that is ``folder`` or lies inside it; None if there is none."""
    start = folder.rstrip("/") + "/"
    return next((path for path in paths if (os.path.realpath(path) + "/").startswith(start)), None)
