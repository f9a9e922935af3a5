"""The fork's side: what a child of the host does from its first moment to its end."""

from __future__ import annotations

import os
import sys
import time

from regrade.pipe import Pipe
from regrade.runner import Runner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from regrade.program import Program
    from regrade.surroundings import Surroundings

#: A chunk ends early after this many seconds, and with this many characters of answers. Its answers are then not lost
#: if a later job ends the fork, and the host's memory stays bounded.
_LONG_ENOUGH = 1.0
_MUCH_ENOUGH = 8 * 1024 * 1024
_PR_SET_PDEATHSIG = 1
_PR_SET_DUMPABLE = 4
_SIGKILL = 9


def load_unheld() -> Callable[[], None]:
    """Return what a fork does that is not restricted by a sandbox: it gets its own group, so that the processes that it
    starts can be found, and it ends with its host if the system supports that (Linux). Call it before the fork, because
    the import takes time."""
    if sys.platform != "linux":
        return lambda: os.setpgid(0, 0)
    import ctypes

    prctl = ctypes.CDLL(None).prctl

    def step() -> None:
        os.setpgid(0, 0)
        prctl(_PR_SET_PDEATHSIG, _SIGKILL, 0, 0, 0)

    # Forks inherit this: none of them can read or change this process, or another fork, through /proc or as a debugger.
    # Root still can.
    prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    return step


def run_chunk(program: Program, jobs: list[str], pipe: Pipe, before: Surroundings) -> None:
    """Answer the jobs in order, or only the first ones; another fork does the rest. Each answer is out of reach before
    the text of the next job is read."""
    from regrade.surroundings import threads

    runner = Runner(program)
    started = now = time.monotonic()
    running = threads()
    answered = 0
    for job in jobs:
        if pipe.mark is not None:
            pipe.mark.set(answered, now)
        pipe.send(runner.run([job], None)[0])
        answered += 1
        now = time.monotonic()
        enough = now - started > _LONG_ENOUGH or pipe.written > _MUCH_ENOUGH
        if enough or runner.shaken or threads() != running:
            break
    pipe.end(answered, before.changed())


def run_one(program: Program, job: str, pipe: Pipe) -> None:
    """Answer one job, which may call models."""
    pipe.add(Runner(program).run([job], pipe.ask))
    pipe.end(1)


def run_whole(program: Program, pipe: Pipe) -> None:
    """Answer one job that comes in parts; user code is called when all parts are there."""
    lines = pipe.read_jobs()
    pipe.add(Runner(program).run(list(lines) if program.stream is None else lines, pipe.ask))
    pipe.end(1)


def live(work: Callable[[], None]) -> None:
    """Do the work, and end this process. Never returns, because nothing of the host's own may run in a fork."""
    code = 70
    try:
        work()
        code = 0
    except BaseException as error:
        # This is no error of user code, which was caught. The host keeps the last words.
        words = f"a fork ended: {type(error).__name__}: {error}\n".encode("utf-8", "replace")
        try:
            os.write(2, words)
        except OSError:
            code = 71
    finally:
        os._exit(code)
