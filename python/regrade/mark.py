"""The current job of a chunk, and its start time, in memory that a fork shares with its host.

The host needs it when a fork stops answering. A message for each job would take longer than most jobs.
"""

from __future__ import annotations

import mmap
import struct

_FIELDS = struct.Struct("<qd")


class Mark:
    """Make one before the fork. All code in the fork can write to it, so it is believed only if the answers confirm
    it."""

    def __init__(self) -> None:
        self._shared = mmap.mmap(-1, mmap.PAGESIZE)

    def keep_from_forks(self) -> None:
        """Keep it out of later forks, which could otherwise blame jobs of another fork."""
        if hasattr(mmap, "MADV_DONTFORK"):
            self._shared.madvise(mmap.MADV_DONTFORK)

    def set(self, job: int, now: float) -> None:
        """Record that a job's work begins. ``now`` is on the clock that all processes share (``time.monotonic``)."""
        _FIELDS.pack_into(self._shared, 0, job, now)

    def read(self) -> tuple[int, float]:
        """Return the job's index in its chunk, and its start time; 0 and 0.0 if none has begun."""
        job, since = _FIELDS.unpack_from(self._shared, 0)
        return int(job), float(since)

    def close(self) -> None:
        """Release the memory."""
        self._shared.close()
