"""Watches files of the answers while candidates run, and tells which of them were opened.

``python3 -I -S watch.py`` reads two JSON lists of paths from the first line of stdin, writes ``"ready"``, and then a
line with the position of each file at its first opening: whoever opens it, by whatever name or link. A blob of git with
the same content as a file of the first list is watched, too, if it lies in a file of its own. After the line ``null``
only the files of the first list are watched, without blobs. After a line with a further list, blobs and the files of
that list are watched again. Each is answered with ``"done"``. When stdin ends it writes ``"end"`` and exits.

Not seen: openings before ``"ready"``, packs of git, copies of the files, and openings on another machine.
"""

from __future__ import annotations

import ctypes
import errno
import hashlib
import json
import os
import select
import signal
import struct
import sys

_OPENED = 0x20
_ONCE = 0x80000000
_LOST = 0x4000
_LARGEST_BLOB = 4 * 1024 * 1024
_NOT_BLOCKING = 0o4000
_EVENT = struct.Struct("iIII")


def main() -> int:
    """Watch until stdin ends. Exit code 1: files can't be watched here, or openings were lost."""
    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, signal.SIG_IGN)
    paths, more = json.loads(sys.stdin.buffer.readline())
    blobs = {blob: position for position, path in enumerate(paths) for blob in _blobs_of(path)}
    try:
        _watch(paths, more, blobs)
    except (AttributeError, OSError):
        return 1
    return 0


def _watch(paths: list[str], more: list[str] | None, blobs: dict[str, int]) -> None:
    watches = _Watches()
    lasting = watches.add({path: position for position, path in enumerate(paths)})
    known = len(paths)
    others: set[int] = set()
    said = "ready"
    while True:
        if more is None:
            watches.remove(others)
        else:
            files = {path: known + i for i, path in enumerate(more)}
            others = watches.add(blobs | files) - lasting
            known += len(more)
        _tell(said)
        line = watches.tell_until_line()
        if not line:
            _tell("end")
            return
        more = json.loads(line)
        said = "done"


class _Watches:
    """Files that are watched, by the numbers of inotify."""

    def __init__(self) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._watcher: int = self._libc.inotify_init1(_NOT_BLOCKING)
        if self._watcher < 0:
            raise OSError(ctypes.get_errno(), "inotify")
        self._positions: dict[int, int] = {}

    def add(self, files: dict[str, int]) -> set[int]:
        """Watch files until they are opened. A file with several names has the position of the first."""
        added: set[int] = set()
        for path, position in files.items():
            wanted = os.fsencode(path)
            found: int = self._libc.inotify_add_watch(self._watcher, wanted, _OPENED | _ONCE)
            if found >= 0:
                self._positions.setdefault(found, position)
                added.add(found)
            elif ctypes.get_errno() in (errno.ENOSPC, errno.ENOMEM):
                # Files that are missing are left out; a full system must not look like a watch.
                raise OSError(ctypes.get_errno(), "inotify")
        return added

    def remove(self, watched: set[int]) -> None:
        for each in watched:
            self._libc.inotify_rm_watch(self._watcher, each)

    def tell_until_line(self) -> bytes:
        """Tell of openings until stdin has a line, or ends."""
        while True:
            readable, _, _ = select.select([self._watcher, sys.stdin], [], [])
            line = sys.stdin.buffer.readline() if sys.stdin in readable else None
            self._tell_opened()
            if line is not None:
                return line

    def _tell_opened(self) -> None:
        """Tell of all openings until now; one reading holds about two thousand."""
        while True:
            try:
                events = os.read(self._watcher, 65536)
            except BlockingIOError:
                return
            at = 0
            while at < len(events):
                found, mask, _, length = _EVENT.unpack_from(events, at)
                at += _EVENT.size + length
                if mask & _LOST:
                    raise OSError(errno.EOVERFLOW, "inotify")
                if mask & _OPENED and found in self._positions:
                    _tell(self._positions[found])


def _tell(said: str | int) -> None:
    print(json.dumps(said), flush=True)


def _blobs_of(path: str) -> list[str]:
    """Find the file in which git keeps the same content, unless that is large."""
    folder = os.path.dirname(os.path.realpath(path))
    while not os.path.isdir(os.path.join(folder, ".git")):
        parent = os.path.dirname(folder)
        if parent == folder:
            return []
        folder = parent
    with open(path, "rb") as file:
        content = file.read(_LARGEST_BLOB + 1)
    if len(content) > _LARGEST_BLOB:
        return []
    name = hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
    blob = os.path.join(folder, ".git", "objects", name[:2], name[2:])
    return [blob] if os.path.isfile(blob) else []


if __name__ == "__main__":
    sys.exit(main())
