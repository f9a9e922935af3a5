"""Ends everything that a program started. Two launchers, one inside the other, wait for processes that lose their
parent.

Linux gives such processes to the nearest launcher above them. The inner one ends them together with the program. If the
inner one is killed, the outer one gets them; if the outer one is killed, the inner one receives a signal. The inner one
has its own session, which signals to a group do not reach.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from regrade.sandbox.kernel import Kernel

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
#: Seconds between the first signal and the last, less than what Regrade gives a program.
_GRACE_SECONDS = 0.3
_PAUSE_SECONDS = 0.01
_ENDING = frozenset((signal.SIGTERM, signal.SIGINT, signal.SIGHUP))
#: Signals that Python ignores, although programs expect them to be fatal.
_PYTHONS_OWN = (signal.SIGPIPE, signal.SIGXFSZ)


def can_end_all() -> bool:
    """Return whether this system lists the children of a process."""
    own = os.getpid()
    return os.path.exists(_children_file(own, own))


def run_held(kernel: Kernel, become: Callable[[], None]) -> int:
    """Run ``become``, which must not return, in a separate process; end all that it started; return its exit code."""
    # Signals are blocked before the forks, because a signal in between must not end one launcher alone.
    signal.pthread_sigmask(signal.SIG_BLOCK, {*_ENDING, signal.SIGCHLD})
    kernel.control(_PR_SET_CHILD_SUBREAPER, 1)
    kernel.control(_PR_SET_PDEATHSIG, signal.SIGTERM)
    above = os.getpid()
    inner = os.fork()
    if inner == 0:
        os._exit(_run_inner(kernel, become, above))
    # This comes after the fork, so that the program can still use its own part of /proc.
    kernel.hide_memory()
    return _wait(inner, lambda: _pass_on(inner))


def _run_inner(kernel: Kernel, become: Callable[[], None], above: int) -> int:
    os.setsid()
    kernel.control(_PR_SET_CHILD_SUBREAPER, 1)
    kernel.control(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != above:
        return 128 + signal.SIGTERM
    own = os.getpid()
    program = os.fork()
    if program == 0:
        os.setsid()
        kernel.die_with_parent()
        if os.getppid() == own:
            for number in _PYTHONS_OWN:
                signal.signal(number, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {*_ENDING, signal.SIGCHLD})
            become()
        os._exit(128 + signal.SIGKILL)
    kernel.hide_memory()
    return _wait(program, lambda: _end_gently(program))


def _wait(child: int, end: Callable[[], int]) -> int:
    """Wait for the child, or ask it to end when a signal comes; then end all that is left, in whatever group or
    session."""
    status = None
    while status is None:
        status = _reap(child)
        if status is None and signal.sigwait({*_ENDING, signal.SIGCHLD}) in _ENDING:
            status = end()
    end_all()
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def _reap(child: int) -> int | None:
    """Reap all processes that ended; return the child's status if it is among them."""
    found = None
    while True:
        try:
            process, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return found
        if process == 0:
            return found
        if process == child:
            found = status


def _pass_on(inner: int) -> int:
    _signal(inner, signal.SIGTERM)
    while True:
        status = _reap(inner)
        if status is not None:
            return status
        signal.sigwait({signal.SIGCHLD})


def _end_gently(program: int) -> int:
    for process in _children(os.getpid()):
        _signal(process, signal.SIGTERM)
    latest = time.monotonic() + _GRACE_SECONDS
    while time.monotonic() < latest:
        status = _reap(program)
        if status is not None:
            return status
        time.sleep(_PAUSE_SECONDS)
    return int(signal.SIGKILL)


def end_all() -> None:
    """End all processes below this one. A process that loses its parent becomes this one's child, so the loop ends when
    none is left. Processes that fork faster than they are killed are stopped first, from the top down."""
    while True:
        found = _descendants()
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for process in found:
                _signal(process, number)
        try:
            while os.waitpid(-1, os.WNOHANG) != (0, 0):
                pass
        except ChildProcessError:
            return
        if not found:
            time.sleep(_PAUSE_SECONDS)


def _descendants() -> list[int]:
    """All processes below this one, each before those that it started."""
    found = _children(os.getpid())
    for process in found:
        found += _children(process)
    return found


def _children(process: int) -> list[int]:
    children: list[int] = []
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{process}/task"):
            with contextlib.suppress(OSError), open(_children_file(process, thread), encoding="ascii") as file:
                children += [int(each) for each in file.read().split()]
    return children


def _children_file(process: int, thread: int | str) -> str:
    return f"/proc/{process}/task/{thread}/children"


def _signal(process: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(process, number)
