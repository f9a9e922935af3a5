"""Runs a program that grades, behind its fence and with a time limit, and ends it with everything that it started.

Three processes take part, all children of a host. The supervisor (this one) starts the program as the leader of a group
that it can't leave, sends its input, and keeps the end of its output. The guard sleeps until the supervisor has ended,
in whatever way, and then ends the group.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time

from regrade.fencing.children import end_all
from regrade.layout import lay_out
from regrade.sandbox.kernel import Kernel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from regrade.sandbox.landlock import Grant
    from regrade.sandbox.programs import ProgramFence

_PR_SET_CHILD_SUBREAPER = 36
#: Number of bytes that are kept of stdout and of stderr, from their end.
_KEPT = 256 * 1024
_AT_ONCE = 64 * 1024
#: Interval in seconds of checking for the end of a process, on systems without a descriptor for that.
_LOOK = 0.005
#: Seconds for reading output that was written before the end.
_LAST_READS = 0.5
_NOT_STARTED = 127


class Words:
    """A program as its job describes it: command, working folder, variables, and a folder that it may read."""

    def __init__(self, asked: dict[str, object]) -> None:
        words = asked["words"]
        variables = asked["env"]
        if not isinstance(words, list) or not isinstance(variables, dict):
            raise TypeError("words is a list, env an object")
        self.words = [str(word) for word in words]
        self.program = str(asked["program"])
        self.env = {str(name): str(value) for name, value in variables.items()}
        self.directory = str(asked["directory"])
        self.own = str(asked["own"])
        installed = asked["installed"]
        #: Installed programs that it may start in addition to its own interpreter.
        self.installed = [str(each) for each in installed] if isinstance(installed, list) else []
        self.files = asked["workspace"]
        self.stdin = str(asked["stdin"]).encode("utf-8", "surrogatepass")
        seconds = asked["timeout_seconds"]
        self.seconds = float(seconds) if isinstance(seconds, (int, float)) else 30.0


class Held:
    """One execution of a program."""

    def __init__(self, fence: ProgramFence, asked: Words, scratch: str) -> None:
        self._fence = fence
        self._asked = asked
        self._scratch = scratch
        self._kept = {"stdout": b"", "stderr": b""}
        self._status = b""
        self._left = memoryview(asked.stdin)

    def run(self) -> dict[str, object]:
        """Run the program and return how it ended; ``kind`` is ``ended`` or ``not_started``."""
        with contextlib.suppress(OSError):
            Kernel().control(_PR_SET_CHILD_SUBREAPER, 1)
        programs = dict.fromkeys([self._asked.program, *self._asked.installed])
        reads: list[Grant] = [grant for each in programs for grant in self._fence.reads_of(each)]
        ends = {name: os.pipe() for name in ("stdin", "stdout", "stderr", "status", "go")}
        began = time.monotonic()
        child = os.fork()
        if child == 0:
            self._be(ends, reads)
        os.close(ends["go"][0])
        for name in ("stdout", "stderr", "status"):
            os.close(ends[name][1])
        os.close(ends["stdin"][0])
        with contextlib.suppress(OSError):
            os.setpgid(child, child)
        guard = _guard(child)
        os.write(ends["go"][1], b"!")
        os.close(ends["go"][1])
        late = self._attend(child, ends, began + self._asked.seconds)
        _end_group(child)
        self._drain(ends)
        with contextlib.suppress(OSError):
            os.kill(guard, signal.SIGKILL)
        code = _code_of(child)
        # A process that left the group, where no filter prevents that, is now a child of this process.
        end_all()
        return self._told(code, late)

    def _told(self, code: int, late: bool) -> dict[str, object]:
        told, _, failed = self._status.partition(b"\1")
        if failed:
            return {"kind": "not_started", "reason": failed.decode("utf-8", "replace")}
        return {
            "kind": "ended",
            "exit_code": code if code >= 0 else None,
            "signal": None if code >= 0 else _name_of(-code),
            "timed_out": late,
            "stdout": self._kept["stdout"].decode("utf-8", "replace"),
            "stderr": self._kept["stderr"].decode("utf-8", "replace"),
            "not_laid_out": told.decode("utf-8", "replace").split("\0")[1:-1],
        }

    # The child's side

    def _be(self, ends: dict[str, tuple[int, int]], reads: list[Grant]) -> NoReturn:
        status = ends["status"][1]
        try:
            os.setpgid(0, 0)
            os.close(ends["go"][1])
            if os.read(ends["go"][0], 1) != b"!":
                os._exit(_NOT_STARTED)
            for descriptor, name in enumerate(("stdin", "stdout", "stderr")):
                os.dup2(ends[name][0 if descriptor == 0 else 1], descriptor)
            _close_all_but(status)
            _as_new_programs_expect()
            os.chdir(self._asked.directory)
            self._fence.hold(reads, self._asked.own, self._scratch)
            told = lay_out(self._asked.files, self._scratch)
            os.write(status, _status_of(told))
            os.execve(self._asked.program, self._asked.words, self._environment())
        except BaseException as error:
            words = error.strerror if isinstance(error, OSError) and error.strerror else repr(error)
            os.write(status, b"\1" + words.encode("utf-8", "replace")[:2000])
        os._exit(_NOT_STARTED)

    def _environment(self) -> dict[str, str]:
        scratch = self._scratch
        workspace = os.path.join(scratch, "workspace") if self._asked.files is not None else ""
        own = dict.fromkeys(("HOME", "TMPDIR", "TEMP", "TMP"), os.path.join(scratch, "tmp"))
        listing = os.path.join(scratch, "files.json") if workspace else ""
        where = {"WAZA_WORKSPACE_DIR": workspace, "REGRADE_WORKSPACE_DIR": workspace}
        return {**self._asked.env, **own, **where, "REGRADE_WORKSPACE_FILES": listing}

    # The supervisor's side

    def _attend(self, child: int, ends: dict[str, tuple[int, int]], until: float) -> bool:
        """Send input and read output until the program ends. Return True if its time was up first."""
        poll = select.poll()
        by_descriptor = {ends[name][0]: name for name in ("stdout", "stderr", "status")}
        for descriptor in by_descriptor:
            os.set_blocking(descriptor, False)
            poll.register(descriptor, select.POLLIN)
        feed = ends["stdin"][1]
        os.set_blocking(feed, False)
        if not self._feed(feed):
            poll.register(feed, select.POLLOUT)
        ended = _end_of(child)
        if ended is not None:
            poll.register(ended, select.POLLIN)
        while True:
            left = until - time.monotonic()
            if left <= 0:
                return True
            for descriptor, _ in poll.poll((left if ended is not None else min(left, _LOOK)) * 1000 + 1):
                if descriptor == feed:
                    if self._feed(feed):
                        poll.unregister(feed)
                elif descriptor in by_descriptor and not self._hear(by_descriptor[descriptor], descriptor):
                    poll.unregister(descriptor)
            if os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
                return False

    def _feed(self, descriptor: int) -> bool:
        """Write as much input as it accepts. Return True if all was written, or if it does not read any more."""
        try:
            while self._left:
                self._left = self._left[os.write(descriptor, self._left) :]
        except BlockingIOError:
            return False
        except OSError:
            self._left = memoryview(b"")
        os.close(descriptor)
        return True

    def _hear(self, name: str, descriptor: int) -> bool:
        """Keep the end of the output. Return False if nothing more will come."""
        try:
            data = os.read(descriptor, _AT_ONCE)
        except BlockingIOError:
            return True
        if name == "status":
            self._status += data[: 64 * 1024 - len(self._status)]
        else:
            self._kept[name] = (self._kept[name] + data)[-_KEPT:]
        return bool(data)

    def _drain(self, ends: dict[str, tuple[int, int]]) -> None:
        until = time.monotonic() + _LAST_READS
        for name in ("status", "stdout", "stderr"):
            descriptor = ends[name][0]
            while time.monotonic() < until and select.select([descriptor], [], [], 0)[0]:
                if not self._hear(name, descriptor):
                    break
            os.close(descriptor)


def _status_of(missing: list[str]) -> bytes:
    """The missing paths, each enclosed by zero bytes. They fit into a pipe at once, because nobody may be reading
    yet."""
    names = [name.replace("\0", "").replace("\1", "").encode("utf-8", "replace")[:500] for name in missing[:50]]
    return b"\0" + b"".join(name + b"\0" for name in names)


def _guard(leader: int) -> int:
    """Start the process that ends the group if this process no longer can. It has no other descriptors open, because
    the host sees the end of this process by its descriptors."""
    read, write = os.pipe()
    guard = os.fork()
    if guard:
        os.close(read)
        return guard
    try:
        os.setpgid(0, 0)
        os.close(write)
        _close_all_but(read, first=0)
        os.read(read, 1)
        _end_group(leader)
    finally:
        os._exit(0)


def _close_all_but(kept: int, first: int = 3) -> None:
    os.closerange(first, kept)
    os.closerange(kept + 1, os.sysconf("SC_OPEN_MAX"))


def _as_new_programs_expect() -> None:
    """Restore two signals that Python ignores, and the alarm that forks of a host use."""
    for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGALRM, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, 0)
    os.umask(0o022)


def _end_of(child: int) -> int | None:
    """Return a descriptor that becomes readable when the process ends; None if the system has none."""
    try:
        return os.pidfd_open(child)
    except (AttributeError, OSError):
        return None


def _end_group(leader: int) -> None:
    """Kill the group. Its number can't be reused as long as its leader has not been reaped."""
    with contextlib.suppress(OSError):
        os.killpg(leader, signal.SIGKILL)


def _code_of(child: int) -> int:
    """Wait for the end of the process without reaping it. A signal's number is returned as negative."""
    ended = os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
    if ended is None:
        return 0
    return ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status


def _name_of(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"SIG{number}"
