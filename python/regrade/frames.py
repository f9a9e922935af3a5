"""Frames: 4 bytes of length (big endian) and that many bytes. The channel to Node, and the pipes to and from forks."""

from __future__ import annotations

import os
import struct

#: What Node takes as one frame at most; the sides must agree (``src/process/python-frames.ts``).
FRAME_LIMIT = 4 * 1024 * 1024

_LENGTH = struct.Struct(">I")


class Malformed(Exception):
    """A length that can be none: what follows it can't be read."""


class Inbox:
    """Cuts into frames what comes out of a descriptor. A frame's bytes are read to where they stay: in a process that
    forks, each page that is written to costs a fault, and copying a frame twice costs more than grading what is in it.
    """

    def __init__(self, descriptor: int, limit: int | None = None) -> None:
        self.descriptor = descriptor
        #: Nothing more will come.
        self.ended = False
        self._limit = limit
        self._head = b""
        self._body: bytearray | None = None
        self._have = 0

    def take(self) -> list[bytearray]:
        """Return the next frame if all of it is there. Reads what there is, without waiting where the descriptor does
        not block. Raises Malformed."""
        try:
            if self._body is None and not self._read_head():
                return []
            return self._read_body()
        except BlockingIOError:
            return []

    def wait(self) -> list[bytearray]:
        """Return the next frame; none where nothing more will come."""
        while not self.ended:
            frames = self.take()
            if frames:
                return frames
        return []

    def _read_head(self) -> bool:
        part = os.read(self.descriptor, _LENGTH.size - len(self._head))
        self.ended = not part
        self._head += part
        if len(self._head) < _LENGTH.size:
            return False
        (length,) = _LENGTH.unpack(self._head)
        if self._limit is not None and length > self._limit:
            raise Malformed
        self._head = b""
        self._body = bytearray(length)
        self._have = 0
        return True

    def _read_body(self) -> list[bytearray]:
        body = self._body
        if body is None:
            return []
        while self._have < len(body):
            count = _read_into(self.descriptor, body, self._have)
            if count == 0:
                self.ended = True
                return []
            self._have += count
        self._body = None
        return [body]


def _read_into(descriptor: int, body: bytearray, start: int) -> int:
    if hasattr(os, "readv"):
        with memoryview(body) as view:
            return os.readv(descriptor, [view[start:]])
    part = os.read(descriptor, min(len(body) - start, 1 << 16))  # Windows
    body[start : start + len(part)] = part
    return len(part)


class Channel:
    """Two descriptors, moved away from 3 and 4 and closed in every program that user code starts."""

    def __init__(self, reads_from: int, writes_to: int) -> None:
        self.inbox = Inbox(_move(reads_from))
        self._out = _move(writes_to)
        self._frames: list[bytearray] = []
        self._waiting = bytearray()

    @property
    def descriptors(self) -> tuple[int, int]:
        """Both ends, for forks to close."""
        return self.inbox.descriptor, self._out

    def read(self) -> str | None:
        """Return the next frame, or None when Node closed the channel."""
        if not self._frames:
            self._frames = self.inbox.wait()
        return self._frames.pop(0).decode("utf-8") if self._frames else None

    def read_ready(self) -> list[bytearray]:
        """Return the frame that is there, or none. To be called where there is something to read, or the end."""
        frames = [*self._frames, *self.inbox.take()]
        self._frames = []
        return frames

    @property
    def has_frames(self) -> bool:
        """Whether frames were read that nobody took yet."""
        return bool(self._frames)

    def write(self, text: str) -> None:
        """Add one frame to those that ``flush`` sends."""
        self.write_bytes(text.encode("utf-8"))

    def write_bytes(self, *parts: bytes | bytearray) -> None:
        """The same, of parts that are bytes already."""
        self._waiting += _LENGTH.pack(sum(len(part) for part in parts))
        for part in parts:
            self._waiting += part

    def flush(self) -> None:
        """Send what waits."""
        frames = memoryview(self._waiting)
        self._waiting = bytearray()
        write_all(self._out, frames)


def pack(*parts: bytes | bytearray) -> bytes:
    """Return one frame."""
    return b"".join((_LENGTH.pack(sum(len(part) for part in parts)), *parts))


def write_all(descriptor: int, data: bytes | memoryview) -> None:
    """Write all of it, waiting where the other side is slow."""
    left = memoryview(data)
    while left:
        left = left[os.write(descriptor, left) :]


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
