"""Imports a grader's own modules from their source."""

from __future__ import annotations

import os
from importlib.machinery import EXTENSION_SUFFIXES, SOURCE_SUFFIXES, ExtensionFileLoader, FileFinder, SourceFileLoader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType


class _SourceOnly(SourceFileLoader):
    """Loads source only: bytecode beside it may do something other than what was reviewed."""

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)


def source_finder(folder: str) -> Callable[[str], FileFinder]:
    """Return a hook for ``sys.path_hooks`` by which modules of ``folder``, except installed ones, are loaded from
    source."""

    def find(path: str) -> FileFinder:
        inside = path == folder or path.startswith(folder + os.sep)
        if not inside or "site-packages" in path[len(folder) :]:
            raise ImportError(path)
        return FileFinder(path, (ExtensionFileLoader, EXTENSION_SUFFIXES), (_SourceOnly, SOURCE_SUFFIXES))

    return find
