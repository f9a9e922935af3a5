"""Programs that grade, as jobs of a host that runs no user code itself. Each job names one, with its input."""

from __future__ import annotations

import contextlib
import os
import resource  # noqa: F401  # before the forks: there the import would take longer than all of the fence
import shutil

from regrade.codec import decode, encode
from regrade.held import Held, Words
from regrade.program import Program
from regrade.sandbox.programs import ProgramFence
from regrade.sandbox.settings import read_settings

#: The longest time-out that a job may name, plus the time for ending everything, in seconds.
_LONGEST = 660.0


def fence_of(frame: dict[str, object]) -> ProgramFence:
    """Return the fence that the load frame asks for. Raises SandboxRefused if it can't be set up."""
    given = frame["hidden"]
    hidden = [str(each) for each in given] if isinstance(given, list) else []
    return ProgramFence(read_settings(frame["sandbox"]), hidden)


def runner_of(fence: ProgramFence) -> Program:
    """Return the program of a host. Each job has a private folder, which is deleted when the job is done."""

    def work(lines: list[str], _ask: object) -> list[str]:
        asked = Words(decode(lines[0]))
        scratch = os.environ["HOME"]
        try:
            return [encode(Held(fence, asked, scratch).run())]
        finally:
            _empty(scratch)

    def on_fault(error: BaseException) -> str:
        return encode({"kind": "not_started", "reason": f"{type(error).__name__}: {error}"})

    return Program(work, on_fault, _LONGEST)


def _empty(folder: str) -> None:
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        # A program can nest folders deeper than that, or remove access to them: the run's end removes what is left.
        with contextlib.suppress(RecursionError):
            if os.path.isdir(path) and not os.path.islink(path):
                shutil.rmtree(path, ignore_errors=True)
            else:
                with contextlib.suppress(OSError):
                    os.remove(path)
