"""The prepared process in which user code was imported. It forks for every chunk of jobs, and never runs them itself.

Forks have pipes to this process and no other connection. Their answers are passed on if they ended cleanly with exactly
the requested answers. Otherwise their jobs run again, and the job that was running gets a separate fork, in which it
can report what happened; after a time-out that job does not run again. A job can't change another one's result.
"""

from __future__ import annotations

import gc
import os
import time
from select import POLLIN, POLLOUT, poll

from regrade.child import Child, Forged
from regrade.codec import decode, encode
from regrade.fork import run_chunk, run_one, run_whole
from regrade.frames import Malformed
from regrade.jobs import Batch, Job, Memory, Queue
from regrade.mark import Mark
from regrade.sandbox import narrow
from regrade.surroundings import Surroundings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from regrade.frames import Channel
    from regrade.pipe import Pipe
    from regrade.program import Program


#: Limit of forks that wait for models, or for their samples.
_AT_ONCE = 25
#: Number of chunks at once: the next fork starts while one works.
_CHUNKS_AT_ONCE = 2
#: Interval in seconds of telling Node that a chunk goes on.
_BEAT = 0.25
#: Limit of the answers that are passed on together, in characters; and the overhead of a message in bytes, in addition
#: to its body.
_TOGETHER = 256 * 1024
_MESSAGE = 64
#: Limit of bytes that wait for forks; beyond it nothing more is read from Node.
_BACKLOG = 4 * 1024 * 1024
#: Limit of the answers of one fork, in bytes. Its own side sends less of a chunk, and of a task only what its memory
#: holds.
_MOST_ANSWERS = 256 * 1024 * 1024
#: Limit of a fork's unanswered questions. Its own side asks one at a time; a time-out may leave one behind.
_MOST_WAITING = 8


class Settings:
    """The part of the load frame for this side. ``alone``: each job has a separate fork. ``home``: the folder in which
    each fork gets a private folder for writing; None if forks share one."""

    def __init__(self, key: str, grace_seconds: float, alone: bool, home: str | None = None) -> None:
        self.home = home
        self.key = key
        self.grace_seconds = grace_seconds
        self.alone = alone


class Template:
    """Serves one program. ``hold`` is called in every fork before user code runs."""

    def __init__(self, channel: Channel, program: Program, settings: Settings, hold: Callable[[], None]) -> None:
        self._channel = channel
        self._program = program
        self._settings = settings
        self._hold = hold
        self._head = f'{{"key":{encode(settings.key)},'
        self._queue = Queue()
        self._memory = Memory()
        channel.inbox.allot = self._memory.allot
        self._children: dict[int, Child] = {}
        self._by_descriptor: dict[int, Child] = {}
        self._ending: list[int] = []
        self._poll = poll()
        self._at: object = None
        self._beat_at = 0.0
        self._folders = 0

    def serve(self) -> None:
        """Serve until Node closes the channel."""
        # Freeze existing objects: a fork's garbage collection would copy their pages.
        gc.collect()
        gc.freeze()
        self._before = Surroundings()
        os.set_blocking(self._channel.descriptors[0], False)
        self._listen(True)
        try:
            going = True
            while going:
                self._start_children()
                self._channel.flush()
                going = self._attend()
                self._watch_clocks()
                self._reap()
        finally:
            for child in self._children.values():
                child.kill()

    # Messages from and to Node

    def _attend(self) -> bool:
        """Wait for something to happen, and handle it. Return False if Node is gone."""
        backlog = sum(child.unsent for child in self._children.values()) > _BACKLOG
        self._listen(not backlog)
        if self._channel.has_frames and not backlog:
            self._read_channel()
            return True
        for descriptor, _ in self._poll.poll(self._patience()):
            if descriptor == self._channel.descriptors[0]:
                self._read_channel()
                if self._channel.inbox.ended:
                    return False
            elif descriptor in self._by_descriptor:
                self._attend_to(self._by_descriptor[descriptor], descriptor)
        return True

    def _listen(self, to_node: bool) -> None:
        descriptor = self._channel.descriptors[0]
        self._poll.register(descriptor, POLLIN if to_node else 0)

    def _read_channel(self) -> None:
        for message in self._channel.read_ready():
            end = message.find(b"\n")
            frame = decode(message[: end if end >= 0 else None].decode("utf-8"))
            if frame["type"] == "batch":
                batch, first = Batch(message, self._memory), int(frame["first"])
                alone = self._settings.alone or self._program.asks
                for place in range(batch.size):
                    self._queue.add(Job(first + place, batch, place, alone))
                continue
            if frame["type"] == "open":
                self._queue.add(Job(int(frame["n"]), None, 0, True))
                self._start_children()
            else:
                self._pass_on(frame, bytes(message[end + 1 :]))
            self._memory.free(message)

    def _pass_on(self, frame: dict[str, object], body: bytes) -> None:
        """Pass a frame on to the job's fork, if it still exists."""
        child = next((each for each in self._children.values() if each.jobs[0].number == frame["n"]), None)
        if child is None or child.input is None:
            return
        if frame["type"] == "stop":
            self._drop(child)
            return
        if frame["type"] == "answer":
            child.waiting -= 1
            child.send(str(frame["ask"]).encode(), b"\n", body)
        elif frame["type"] == "part":
            child.send(b"P", body)
        else:
            child.since = time.monotonic()
            child.send(b"G")
        self._watch_input(child)

    # Forks

    def _start_children(self) -> None:
        many = self._program.asks or self._program.whole
        while self._queue and len(self._children) < (_AT_ONCE if many else _CHUNKS_AT_ONCE):
            self._start(self._queue.take())

    def _start(self, jobs: list[Job]) -> None:
        program, before = self._program, self._before
        chunk = len(jobs) > 1
        child = Child(jobs, Mark() if chunk else None, listens=program.asks or program.whole)
        others = [*self._channel.descriptors, *(each for one in self._children.values() for each in one.descriptors)]

        def work(pipe: Pipe) -> None:
            texts = [job.text() for job in jobs]
            self._forget()
            if program.whole:
                run_whole(program, pipe)
            elif chunk:
                run_chunk(program, texts, pipe, before)
            else:
                run_one(program, texts[0], pipe)

        child.folder = self._folder()

        def prepare() -> None:
            for descriptor in others:
                os.close(descriptor)
            if child.folder is not None:
                narrow(child.folder)
            self._hold()

        if program.whole:
            child.since = None
        child.start(work, prepare)
        if child.mark is not None:
            child.mark.keep_from_forks()
        self._children[child.pid] = child
        for descriptor in child.watched:
            self._by_descriptor[descriptor] = child
            self._poll.register(descriptor, POLLIN)

    def _folder(self) -> str | None:
        """A new folder for a fork, in which nothing was written before."""
        if self._settings.home is None:
            return None
        self._folders += 1
        path = os.path.join(self._settings.home, f"sample-{self._folders}-{os.urandom(4).hex()}")
        os.mkdir(path, 0o700)
        return path

    def _forget(self) -> None:
        """Drop the texts and answers of other jobs, in a fork, before user code runs."""
        for child in self._children.values():
            child.forget()
        self._children.clear()
        self._queue = Queue()
        self._memory.free_all()

    def _watch_input(self, child: Child) -> None:
        if child.input is None:
            return
        if child.unsent and child.input not in self._by_descriptor:
            self._by_descriptor[child.input] = child
            self._poll.register(child.input, POLLOUT)
        elif not child.unsent and child.input in self._by_descriptor:
            del self._by_descriptor[child.input]
            self._poll.unregister(child.input)

    def _attend_to(self, child: Child, descriptor: int) -> None:
        if descriptor == child.input:
            child.push()
            self._watch_input(child)
        elif descriptor == child.words:
            if not child.read_words():
                del self._by_descriptor[descriptor]
                self._poll.unregister(descriptor)
        elif descriptor == child.bell:
            if not child.hear(descriptor):
                self._watch_out(child, descriptor)
            self._read_all(child)
        else:
            self._read(child)

    def _watch_out(self, child: Child, bell: int) -> None:
        """Stop watching a bell that the fork has closed."""
        del self._by_descriptor[bell]
        self._poll.unregister(bell)
        self._by_descriptor[child.out.descriptor] = child
        self._poll.register(child.out.descriptor, POLLIN)

    def _read_all(self, child: Child) -> None:
        """Read the answers of a chunk. If there are more answers than jobs, they are forged."""
        while child.pid in self._children and self._read(child):
            pass

    def _read(self, child: Child) -> bool:
        """Read what is there. Return False if there is nothing."""
        try:
            messages = child.read()
            for letter, body in messages or ():
                if child.pid not in self._children:
                    return False
                self._take(child, letter, body)
        except Malformed:
            self._give_up(child, "forged", str(Forged()))
        except Forged as forged:
            self._give_up(child, "forged", str(forged))
        else:
            if child.out.ended and child.pid in self._children:
                self._give_up(child, "died", child.last_words())
            return messages is not None
        return False

    def _take(self, child: Child, letter: bytes, body: bytes) -> None:
        if letter == b"L" and child.size + len(body) <= _MOST_ANSWERS and self._may_answer(child):
            child.answers.append(body)
            child.size += len(body) + _MESSAGE
        elif letter == b"A" and child.input is not None and child.waiting < _MOST_WAITING:
            self._tell(f'"n":{child.jobs[0].number},"ask":{child.asked}', body)
            child.asked += 1
            child.waiting += 1
        elif letter == b"E":
            self._finish(child, _read_end(body))
        else:
            raise Forged(body)

    def _may_answer(self, child: Child) -> bool:
        return self._program.whole or len(child.answers) < len(child.jobs)

    def _finish(self, child: Child, end: dict[str, object]) -> None:
        """Handle a clean end. If a chunk changed state that its jobs share, its answers are discarded."""
        jobs, answered = child.jobs, end["answered"]
        right = isinstance(answered, int) and 1 <= answered <= len(jobs)
        if not self._program.whole:
            right = right and answered == len(child.answers) and not any(b"\n" in body for body in child.answers)
        if not right or not isinstance(answered, int):
            self._give_up(child, "forged", "another number of answers than were asked for")
            return
        self._drop(child)
        if end["changed"] is not None and len(jobs) > 1:
            self._queue.failed()
            self._queue.put_back(jobs, alone=True)
            return
        self._queue.succeeded()
        self._deliver(child)
        self._queue.put_back(jobs[answered:], alone=False)

    def _deliver(self, child: Child) -> None:
        if self._program.whole:
            last = len(child.answers) - 1
            for place, body in enumerate(child.answers):
                word = "end" if place == last else "part"
                self._tell(f'"n":{child.jobs[0].number},"{word}":true', body)
            return
        start = size = 0
        for place, body in enumerate(child.answers, 1):
            size += len(body)
            if size < _TOGETHER and place < len(child.answers):
                continue
            told = ",".join([str(job.number) for job in child.jobs[start:place]])
            self._tell(f'"ns":[{told}]', b"\n".join(child.answers[start:place]))
            start, size = place, 0

    def _give_up(self, child: Child, kind: str, reason: str) -> None:
        """Handle a fork that did not end cleanly."""
        self._drop(child)
        jobs = child.jobs
        if child.mark is None:
            self._blame(jobs[0], kind, reason)
            return
        self._queue.failed()
        # The mark does not decide this, because code in the fork could set it.
        at = len(child.answers)
        if at == len(jobs):
            self._queue.put_back(jobs, alone=True)
            return
        self._queue.put_back(jobs[at + 1 :], alone=False)
        if kind == "timeout":  # a second run would take as long again
            self._blame(jobs[at], kind, reason)
        else:
            self._queue.put_back([jobs[at]], alone=True)
        self._queue.put_back(jobs[:at], alone=False)

    def _blame(self, job: Job, kind: str, reason: str) -> None:
        fault = encode({"kind": kind, "reason": reason})
        self._tell(f'"n":{job.number},"fault":{fault}')

    def _drop(self, child: Child) -> None:
        del self._children[child.pid]
        if not child.gone:
            child.kill()
            self._ending.append(child.pid)
        for descriptor in child.descriptors:
            if self._by_descriptor.pop(descriptor, None) is not None:
                self._poll.unregister(descriptor)
        child.close()
        if child.folder is not None:
            try:
                os.rmdir(child.folder)
            except OSError:  # it left something there: the run removes it
                return

    def _reap(self) -> None:
        self._ending = [pid for pid in self._ending if os.waitpid(pid, os.WNOHANG)[0] == 0]

    # Time limits

    def _watch_clocks(self) -> None:
        now = time.monotonic()
        for child in list(self._children.values()):
            self._look(child, now)
            if self._is_late(child, now):
                self._look(child, now)  # its answer may have come meanwhile
            if self._is_late(child, now) and child.pid in self._children:
                self._give_up(child, "timeout", "")
        if now - self._beat_at >= _BEAT:
            self._beat_at = now
            self._beat()

    def _beat(self) -> None:
        """Tell Node that a chunk goes on, which it can't see before the chunk's end."""
        at = [(child.pid, child.seen) for child in self._children.values() if child.mark is not None]
        if at and at != self._at:
            self._tell('"goes_on":true')
        self._at = at

    def _look(self, child: Child, now: float) -> None:
        if child.has_moved:
            self._read_all(child)
        child.look(now)

    def _is_late(self, child: Child, now: float) -> bool:
        until = self._deadline(child)
        return until is not None and now >= until

    def _deadline(self, child: Child) -> float | None:
        since = child.since
        return None if since is None else since + self._program.timeout_seconds + self._settings.grace_seconds

    def _patience(self) -> int | None:
        """Milliseconds until the next clock must be checked; None if there is none."""
        now = time.monotonic()
        until = [each for child in self._children.values() if (each := self._deadline(child)) is not None]
        if self._ending or any(child.mark is not None for child in self._children.values()):
            until.append(now + _BEAT)
        return None if not until else max(0, int((min(until) - now) * 1000) + 1)

    def _tell(self, head: str, body: bytes | None = None) -> None:
        start = f"{self._head}{head}}}".encode("ascii")
        self._channel.write_bytes(*((start,) if body is None else (start, b"\n", body)))


def _read_end(body: bytes) -> dict[str, object]:
    """Read a fork's last message. Raises Forged for anything else, which must not end the host."""
    try:
        end = decode(body.decode("ascii"))
    except (ValueError, RecursionError):
        raise Forged(body) from None
    if not isinstance(end, dict) or not {"answered", "changed"} <= end.keys():
        raise Forged(body)
    return end
