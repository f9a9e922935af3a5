"""The channel to Node: frames of 4 bytes of length (big endian) and that many bytes of UTF-8."""

from __future__ import annotations

import os
import struct

#: What Node takes as one frame at most; the sides must agree (``src/process/python-frames.ts``).
FRAME_LIMIT = 4 * 1024 * 1024

_LENGTH = struct.Struct(">I")


class Channel:
    """Two descriptors, moved away from 3 and 4 and closed in every program that user code starts.

    Not blocked: user code that searches for the descriptors in its own process and writes to them. Node notices,
    ends the host, and the sample under way pays.
    """

    def __init__(self, reads_from: int, writes_to: int) -> None:
        self._in = _move(reads_from)
        self._out = _move(writes_to)
        self._waiting = bytearray()

    def read(self) -> str | None:
        """Return the next frame, or None when Node closed the channel."""
        head = self._read_exactly(_LENGTH.size)
        body = head and self._read_exactly(_LENGTH.unpack(head)[0])
        return None if body is None else body.decode("utf-8")

    def write(self, text: str) -> None:
        """Add one frame to those that ``flush`` sends. ``text`` is ASCII, as the encoder makes it."""
        body = text.encode("ascii")
        self._waiting += _LENGTH.pack(len(body))
        self._waiting += body

    def flush(self) -> None:
        """Send what waits."""
        frames = memoryview(self._waiting)
        self._waiting = bytearray()
        while frames:
            frames = frames[os.write(self._out, frames) :]

    def _read_exactly(self, count: int) -> bytes | None:
        parts: list[bytes] = []
        while count > 0:
            part = os.read(self._in, min(count, 1 << 20))
            if not part:
                return None
            parts.append(part)
            count -= len(part)
        return b"".join(parts)


def _move(descriptor: int) -> int:
    """Duplicate to a high number that programs started later do not inherit, and close the old one."""
    try:
        import fcntl

        moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 200)
    except (ImportError, OSError):  # no fcntl on Windows; few descriptors allowed
        moved = os.dup(descriptor)
    os.close(descriptor)
    os.set_blocking(moved, True)
    return moved
