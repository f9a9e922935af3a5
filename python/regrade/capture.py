"""Collects the output of user code up to a limit, and counts the rest."""

from __future__ import annotations

import io
import sys

#: Number of characters that are kept of one sample's output.
KEPT = 64 * 1024


class Capture(io.TextIOBase):
    """Replaces ``sys.stdout`` and ``sys.stderr``. User code can't close it."""

    def __init__(self) -> None:
        super().__init__()
        self._parts: list[str] = []
        self._kept = 0
        self._more = 0
        self.buffer = _Bytes(self)

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return "utf-8"

    def begin(self) -> None:
        """Start again for the next sample, and restore the streams if user code replaced them."""
        if self._kept or self._more:
            self._parts = []
            self._kept = 0
            self._more = 0
        sys.stdout = self
        sys.stderr = self

    def text(self) -> str | None:
        """Return what was printed since ``begin``, or None if nothing was."""
        if not self._kept:
            return None
        text = "".join(self._parts)
        return f"{text}\n… {size(self._more)} more" if self._more else text

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        taken = text[: KEPT - self._kept]
        if taken:
            self._parts.append(taken)
            self._kept += len(taken)
        self._more += len(text) - len(taken)
        return len(text)

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return False

    def fileno(self) -> int:
        """Return descriptor 1, for programs that a grader starts: a pipe that Node empties."""
        return 1

    def close(self) -> None:
        """Do nothing, because the stream outlives the sample that closes it."""


class _Bytes(io.RawIOBase):
    """``sys.stdout.buffer``."""

    def __init__(self, capture: Capture) -> None:
        super().__init__()
        self._capture = capture

    def write(self, data: object) -> int:
        raw = bytes(memoryview(data))  # type: ignore[arg-type]
        self._capture.write(raw.decode("utf-8", "replace"))
        return len(raw)

    def writable(self) -> bool:
        return True

    def close(self) -> None:
        """Do nothing, like the text stream above."""


def size(characters: int) -> str:
    """Format a number of characters for readers: ``1.2 GB``."""
    amount = float(characters)
    for unit in ("B", "kB", "MB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} GB"
