"""Jobs as they came from Node, and how many of them share a fork."""

from __future__ import annotations

from collections import deque

#: Jobs of a chunk at most: half of what Node sends in a frame, so that two cores share it.
CHUNK = 256


class Batch:
    """Jobs as they came from Node: a head, then a job a line. Only forks look into it."""

    def __init__(self, frame: bytes | bytearray) -> None:
        self._frame = frame
        self._ends: list[int] = []

    def line(self, place: int) -> str:
        """Return the text of a job, counted from 0."""
        if not self._ends:
            self._find_ends()
        with memoryview(self._frame) as view:
            return str(view[self._ends[place] + 1 : self._ends[place + 1]], "utf-8")

    def _find_ends(self) -> None:
        at = self._frame.find(b"\n")
        while at >= 0:
            self._ends.append(at)
            at = self._frame.find(b"\n", at + 1)
        self._ends.append(len(self._frame))


class Job:
    """One line of a batch; of none where the job comes in parts. ``alone``: it is to have a fork of its own."""

    __slots__ = ("_batch", "_place", "alone", "number")

    def __init__(self, number: int, batch: Batch | None, place: int, alone: bool) -> None:
        self.number = number
        self.alone = alone
        self._batch = batch
        self._place = place

    def text(self) -> str:
        """Return its JSON. For forks: a text that the host itself made would be one more copy."""
        return "" if self._batch is None else self._batch.line(self._place)


class Queue:
    """Jobs that wait for a fork. Where chunks fail they become smaller, and larger again where they don't."""

    def __init__(self) -> None:
        self._jobs: deque[Job] = deque()
        self._most = CHUNK

    def __bool__(self) -> bool:
        return bool(self._jobs)

    def add(self, job: Job) -> None:
        """Put a job at the end."""
        self._jobs.append(job)

    def put_back(self, jobs: list[Job], alone: bool) -> None:
        """Put jobs at the front again, in order; ``alone``: each for a fork of its own."""
        for job in reversed(jobs):
            job.alone = job.alone or alone
            self._jobs.appendleft(job)

    def take(self) -> list[Job]:
        """Take the next job, with those behind it that can share its fork."""
        jobs = [self._jobs.popleft()]
        while not jobs[0].alone and self._jobs and len(jobs) < self._most and not self._jobs[0].alone:
            jobs.append(self._jobs.popleft())
        return jobs

    def failed(self) -> None:
        """A chunk did not come to a clean end."""
        self._most = max(1, self._most // 2)

    def succeeded(self) -> None:
        """A chunk did."""
        self._most = min(CHUNK, self._most * 2)
