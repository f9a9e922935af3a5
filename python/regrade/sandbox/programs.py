"""The sandbox of programs that grade: what ``enter`` does for a host, for a child that becomes another program.

It protects the same as for graders in Python: files, network, modes and times, signals, limits. In addition a program
may start programs and processes. It can't leave its process group, by which all of them are ended.
"""

from __future__ import annotations

import os

from regrade.fencing.grants import interpreter_of
from regrade.sandbox import landlock, limits
from regrade.sandbox.enter import probe
from regrade.sandbox.filters import program_filter
from regrade.sandbox.installed import held_by, installed
from regrade.sandbox.kernel import EncodedFilter, Kernel
from regrade.sandbox.paths import DATA, SINKS, SOURCES
from regrade.sandbox.report import describe, refusal
from regrade.sandbox.settings import Held, Report, SandboxRefused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from regrade.sandbox.landlock import Grant
    from regrade.sandbox.settings import Settings

_READ = landlock.READ | landlock.EXECUTE
_CHANGE = landlock.CHANGE | landlock.EXECUTE
#: Programs, their libraries, and what they look up. Of /etc only files that are secret for nobody.
_SYSTEM = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store", "/gnu/store"),
    # Workflows install Python, Node and others here: on GitHub's machines, and in their containers.
    *("/opt/hostedtoolcache", "/__t"),
    *("/etc/ld.so.cache", "/etc/alternatives", "/etc/passwd", "/etc/group", "/etc/nsswitch.conf", "/etc/profile"),
)
#: The first ABI in which Landlock restricts signals.
_HOLDS_SIGNALS = 6


class ProgramFence:
    """The restrictions of each program; made once. ``hidden``: folders of which nothing is granted, such as the
    checkout."""

    def __init__(self, settings: Settings, hidden: list[str]) -> None:
        self._on = settings.mode != "off"
        self._required = settings.mode == "required"
        self._hidden = [os.path.realpath(path) for path in hidden]
        if not self._on:
            self.report = Report("off", {"asked": "off"})
            return
        self._offer = probe()
        if self._required and not (self._offer.landlock_abi and self._offer.machine):
            raise SandboxRefused(refusal(self._offer, ()))
        held = Held(self._offer.landlock_abi > 0, self._offer.machine is not None, [], [])
        self.report = describe(settings, self._offer, held)
        self._abi = min(self._offer.landlock_abi, landlock.NEWEST_ABI)
        self._system = [
            (path, _READ) for each in dict.fromkeys([*_SYSTEM, *DATA, *SOURCES]) for path in self._without_hidden(each)
        ]
        self._system += [(path, landlock.READ_FILE | landlock.WRITE_FILE | landlock.TRUNCATE) for path in SINKS]
        if self._offer.machine is not None:
            signals_held = self._abi >= _HOLDS_SIGNALS
            self._filter = EncodedFilter(program_filter(self._offer.machine, signals_held))

    def reads_of(self, program: str) -> list[Grant]:
        """Return what a program needs: the folder in which it, or the interpreter that it names, is installed. That
        folder may be a part of the checkout: an environment of Python, node_modules."""
        if not self._on:
            return []
        found = dict.fromkeys(installed(program, self._hidden))
        interpreter = interpreter_of(program)
        if interpreter is not None:
            found.update(dict.fromkeys(installed(os.path.abspath(interpreter), self._hidden)))
        return [(path, _READ) for path in found if held_by(os.path.realpath(path), self._hidden) is None]

    def hold(self, reads: list[Grant], own: str, scratch: str) -> None:
        """Confine this process, and what it becomes: it reads ``reads`` and ``own``, and writes in ``scratch``.

        Raises OSError if a step that this machine supports is refused; then nothing may be started.
        """
        limits.limit_resources(limits.LIMITS_OF_PROGRAMS)
        if not self._on:
            return
        offer = self._offer
        if not offer.landlock_abi and offer.machine is None:
            return
        limits.be_killed_first()
        kernel = Kernel()
        kernel.never_gain_rights()
        if offer.landlock_abi:
            # Of /proc only the process's own part; the processes that it starts have no access to theirs.
            proc = (f"/proc/{os.getpid()}", landlock.READ)
            landlock.restrict(kernel, self._abi, [*self._system, *reads, (own, _READ), (scratch, _CHANGE), proc])
        if offer.machine is not None:
            kernel.drop_capabilities(offer.machine)
        kernel.die_with_parent()
        if offer.machine is not None:
            kernel.install(offer.machine, self._filter)

    def _without_hidden(self, path: str) -> list[str]:
        """A path, or if it contains hidden folders, everything beneath it that does not: a checkout may be in
        /usr/src."""
        real = os.path.realpath(path)
        if any((real + "/").startswith(hidden + "/") for hidden in self._hidden):
            return []
        if held_by(real, self._hidden) is None:
            return [path]
        try:
            names = sorted(os.listdir(real))
        except OSError:
            return []
        return [found for name in names for found in self._without_hidden(os.path.join(real, name))]
