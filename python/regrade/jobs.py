"""Holds the jobs that Node sent, and decides how many of them share a fork."""

from __future__ import annotations

from mmap import MAP_ANONYMOUS, MAP_PRIVATE, mmap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import deque

    from regrade.frames import Body
else:  # ``collections`` imports a lot more than this
    from _collections import deque

#: Limit of jobs in a chunk: half of what Node sends in one frame, so that two cores share it.
CHUNK = 256


class Memory:
    """Holds what Node sends, and nothing else. A fork takes its own jobs out and releases all of this memory before
    user code runs, so that the code of one sample can't find another's text or target."""

    def __init__(self) -> None:
        self._regions: dict[int, mmap] = {}

    def allot(self, size: int) -> mmap:
        """Return separate memory for a frame."""
        region = mmap(-1, size, MAP_PRIVATE | MAP_ANONYMOUS)
        self._regions[id(region)] = region
        return region

    def free(self, frame: Body) -> None:
        """Release the memory of a frame to the system, so that none of its content is in the memory of the next
        frame."""
        region = self._regions.pop(id(frame), None)
        if region is not None:
            region.close()

    def free_all(self) -> None:
        """Release all memory, in a fork. The parent keeps its own copy."""
        for region in list(self._regions.values()):
            region.close()


class Batch:
    """Jobs as Node sent them: a head, then one job on each line. Only forks read them."""

    def __init__(self, frame: Body, memory: Memory) -> None:
        self._frame = frame
        self._memory = memory
        self._ends: list[int] = []
        at = frame.find(b"\n")
        while at >= 0:
            self._ends.append(at)
            at = frame.find(b"\n", at + 1)
        #: Number of jobs.
        self.size = len(self._ends)
        self._ends.append(len(frame))

    def line(self, place: int) -> str:
        """Return the text of a job, counted from 0."""
        with memoryview(self._frame) as view:
            return str(view[self._ends[place] + 1 : self._ends[place + 1]], "utf-8")

    def __del__(self) -> None:
        """Release the memory after the last job that needed it."""
        self._memory.free(self._frame)


class Job:
    """One line of a batch, or no line if the job comes in parts. ``alone``: the job needs a separate fork."""

    __slots__ = ("_batch", "_place", "alone", "number")

    def __init__(self, number: int, batch: Batch | None, place: int, alone: bool) -> None:
        self.number = number
        self.alone = alone
        self._batch = batch
        self._place = place

    def text(self) -> str:
        """Return the job's JSON. Call it only in forks: a text that the host itself made would stay in the memory of
        all later forks."""
        return "" if self._batch is None else self._batch.line(self._place)


class Queue:
    """Jobs that wait for a fork. Chunks become smaller when they fail, and larger again when they do not."""

    def __init__(self) -> None:
        self._jobs: deque[Job] = deque()
        self._most = CHUNK

    def __bool__(self) -> bool:
        return bool(self._jobs)

    def add(self, job: Job) -> None:
        """Add a job at the end."""
        self._jobs.append(job)

    def put_back(self, jobs: list[Job], alone: bool) -> None:
        """Put jobs at the front again, in order. ``alone``: each gets a separate fork."""
        for job in reversed(jobs):
            job.alone = job.alone or alone
            self._jobs.appendleft(job)

    def take(self) -> list[Job]:
        """Take the next job, together with the following ones that can share its fork."""
        jobs = [self._jobs.popleft()]
        while not jobs[0].alone and self._jobs and len(jobs) < self._most and not self._jobs[0].alone:
            jobs.append(self._jobs.popleft())
        return jobs

    def failed(self) -> None:
        """Record that a chunk failed."""
        self._most = max(1, self._most // 2)

    def succeeded(self) -> None:
        """Record that a chunk succeeded."""
        self._most = min(CHUNK, self._most * 2)
