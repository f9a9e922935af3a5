"""Frames: 4 bytes with the length (big endian), followed by that many bytes. They are used in the channel to Node and
in the pipes of forks."""

from __future__ import annotations

import os
import struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from mmap import mmap

    Body = bytearray | mmap

#: Largest frame that Node accepts. Both sides must agree (``src/python-host/frames.ts``).
FRAME_LIMIT = 4 * 1024 * 1024

_LENGTH = struct.Struct(">I")
#: Limit of bytes that are read from a fork at once; other forks then have their turn.
_AT_ONCE = 256 * 1024


class Malformed(Exception):
    """A length that is impossible: what follows it can't be read."""


class Inbox:
    """Cuts the bytes from a descriptor into frames. They are read directly to their final place: in a process that
    forks, each page that is written to costs a fault, and copying a frame twice costs more than grading its content."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        #: True if nothing more will come.
        self.ended = False
        #: Allocates the memory of a frame.
        self.allot: Callable[[int], Body] = bytearray
        self._head = b""
        self._body: Body | None = None
        self._have = 0

    def take(self) -> list[Body]:
        """Return the next frame if it is complete. Reads what is there; does not wait if the descriptor does not
        block."""
        try:
            if self._body is None and not self._read_head():
                return []
            return self._read_body()
        except BlockingIOError:
            return []

    def wait(self) -> list[Body]:
        """Wait for the next frame and return it; [] if nothing more will come."""
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
        self._head = b""
        self._body = self.allot(length)
        self._have = 0
        return True

    def _read_body(self) -> list[Body]:
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


class Stream:
    """Cuts what a fork sends into messages, each of which has the fork's token, a letter and a body. Many small
    messages are read at once."""

    def __init__(self, descriptor: int, token: bytes) -> None:
        self.descriptor = descriptor
        #: True if nothing more will come.
        self.ended = False
        self._token = token
        self._rest = bytearray()

    def read(self) -> list[tuple[bytes, bytes]] | None:
        """Return the letters and bodies that arrived since the last call; None if there was nothing to read. Raises
        Malformed, and Foreign for a frame without the token."""
        try:
            data = os.read(self.descriptor, _AT_ONCE)
        except BlockingIOError:
            return None
        except OSError:  # the other side was reset
            data = b""
        self.ended = not data
        self._rest += data
        return self._cut()

    def _cut(self) -> list[tuple[bytes, bytes]]:
        messages: list[tuple[bytes, bytes]] = []
        rest, token = self._rest, self._token
        at, size, skip = 0, len(self._rest), _LENGTH.size + len(self._token)
        while size - at >= _LENGTH.size:
            (length,) = _LENGTH.unpack_from(rest, at)
            if length > FRAME_LIMIT + len(token):
                raise Malformed
            end = at + _LENGTH.size + length
            if end > size:
                break
            if rest[at + _LENGTH.size : at + skip] != token or at + skip >= end:
                raise Foreign(bytes(rest[at + _LENGTH.size : end]))
            messages.append((bytes(rest[at + skip : at + skip + 1]), bytes(rest[at + skip + 1 : end])))
            at = end
        del rest[:at]
        return messages


class Foreign(Exception):
    """A frame without the token of the fork that it came from."""

    def __init__(self, frame: bytes) -> None:
        super().__init__("a frame without its token")
        self.frame = frame


def _read_into(descriptor: int, body: Body, start: int) -> int:
    if hasattr(os, "readv"):
        with memoryview(body) as view:
            return os.readv(descriptor, [view[start:]])
    part = os.read(descriptor, min(len(body) - start, 1 << 16))  # Windows
    body[start : start + len(part)] = part
    return len(part)


class Channel:
    """Two descriptors, moved away from 3 and 4, and closed in every program that user code starts."""

    def __init__(self, reads_from: int, writes_to: int) -> None:
        self.inbox = Inbox(_move(reads_from))
        self._out = _move(writes_to)
        self._frames: list[Body] = []
        self._waiting = bytearray()

    @property
    def descriptors(self) -> tuple[int, int]:
        """Both descriptors, which forks close."""
        return self.inbox.descriptor, self._out

    def read(self) -> str | None:
        """Return the next frame, or None if Node closed the channel."""
        if not self._frames:
            self._frames = self.inbox.wait()
        return str(self._frames.pop(0), "utf-8") if self._frames else None

    def read_ready(self) -> list[Body]:
        """Return the frame that is there, or none. Call it when there is something to read, or the end of the
        channel."""
        frames = [*self._frames, *self.inbox.take()]
        self._frames = []
        return frames

    @property
    def has_frames(self) -> bool:
        """Return whether frames were read that nobody has taken yet."""
        return bool(self._frames)

    def write(self, text: str) -> None:
        """Add one frame to those that ``flush`` sends."""
        self.write_bytes(text.encode("utf-8"))

    def write_bytes(self, *parts: bytes | bytearray) -> None:
        """Add one frame made of parts that are bytes already."""
        self._waiting += _LENGTH.pack(sum(len(part) for part in parts))
        for part in parts:
            self._waiting += part

    def flush(self) -> None:
        """Send the waiting frames."""
        frames = memoryview(self._waiting)
        self._waiting = bytearray()
        write_all(self._out, frames)


def pack(*parts: bytes | bytearray) -> bytes:
    """Return one frame."""
    return b"".join((_LENGTH.pack(sum(len(part) for part in parts)), *parts))


def write_all(descriptor: int, data: bytes | memoryview) -> None:
    """Write all of the data; waits if the other side is slow."""
    left = memoryview(data)
    while left:
        left = left[os.write(descriptor, left) :]


def _move(descriptor: int) -> int:
    """Duplicate a descriptor to a high number that programs started later do not inherit, and close the old one."""
    try:
        import fcntl

        moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 200)
    except (ImportError, OSError):  # no fcntl on Windows; few descriptors allowed
        moved = os.dup(descriptor)
    os.close(descriptor)
    os.set_blocking(moved, True)
    return moved
