"""Watches files of the answers while candidates run, and tells which of them were opened.

``python3 -I -S watch.py`` reads a JSON list of paths from the first line of stdin, writes ``"ready"``, and then a line
with the position of each file at its first opening: whoever opens it, by whatever name or link. When stdin ends it
writes ``"end"`` and exits. A blob of git with the same content is watched, too, if it lies in a file of its own.

Not seen: openings before ``"ready"``, packs of git, copies of the files, and openings on another machine.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import select
import signal
import struct
import sys

_OPENED = 0x20
_ONCE = 0x80000000
_LARGEST_BLOB = 4 * 1024 * 1024
_NOT_BLOCKING = 0o4000
_EVENT = struct.Struct("iIII")


def main() -> int:
    """Watch until stdin ends. Exit code 1: files can't be watched here."""
    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, signal.SIG_IGN)
    paths: list[str] = json.loads(sys.stdin.buffer.readline())
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        watcher: int = libc.inotify_init1(_NOT_BLOCKING)
    except (AttributeError, OSError):
        return 1
    if watcher < 0:
        return 1
    positions: dict[int, int] = {}
    for position, path in enumerate(paths):
        for watched in [*_blobs_of(path), path]:
            found: int = libc.inotify_add_watch(watcher, os.fsencode(watched), _OPENED | _ONCE)
            if found >= 0:
                positions[found] = position
    _tell("ready")
    while True:
        readable, _, _ = select.select([watcher, sys.stdin], [], [])
        if watcher in readable:
            _tell_opened(watcher, positions)
        if sys.stdin in readable and not os.read(sys.stdin.fileno(), 4096):
            _tell_opened(watcher, positions)
            _tell("end")
            return 0


def _tell_opened(watcher: int, positions: dict[int, int]) -> None:
    try:
        events = os.read(watcher, 65536)
    except BlockingIOError:
        return
    at = 0
    while at < len(events):
        found, mask, _, length = _EVENT.unpack_from(events, at)
        at += _EVENT.size + length
        if mask & _OPENED and found in positions:
            _tell(positions[found])


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
