"""The current job of a chunk, and its start time, in memory that a fork shares with its host.

The host needs it when a fork stops answering. A message for each job would take longer than most jobs.
"""

from __future__ import annotations

import mmap
import struct

_FIELDS = struct.Struct("<qd")


class Mark:
    """Make one before the fork. Anyone in the fork can write to it: it is believed where the answers bear it out."""

    def __init__(self) -> None:
        self._shared = mmap.mmap(-1, mmap.PAGESIZE)

    def keep_from_forks(self) -> None:
        """Leave it out of the forks that come after its own: they could blame jobs that are not theirs."""
        if hasattr(mmap, "MADV_DONTFORK"):
            self._shared.madvise(mmap.MADV_DONTFORK)

    def set(self, job: int, now: float) -> None:
        """Say that the job's work begins; ``now`` on the clock that all processes share (``time.monotonic``)."""
        _FIELDS.pack_into(self._shared, 0, job, now)

    def read(self) -> tuple[int, float]:
        """Return the job's place in its chunk, and when it began; 0 and 0.0 where none did."""
        job, since = _FIELDS.unpack_from(self._shared, 0)
        return int(job), float(since)

    def close(self) -> None:
        """Give the memory back."""
        self._shared.close()
