"""Enforces the protections on Linux, step by step."""

from __future__ import annotations

import os

from regrade.sandbox import landlock
from regrade.sandbox.filters import inner_filter, outer_filter
from regrade.sandbox.kernel import EncodedFilter, Kernel
from regrade.sandbox.paths import find_access, writable
from regrade.sandbox.settings import Held

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from regrade.sandbox.machine import Machine
    from regrade.sandbox.settings import Offer, Settings

#: CAP_DAC_READ_SEARCH: with it, root can read a checkout of another user, within what Landlock grants.
_MAY_READ = 1 << 2
#: Placeholder for a process's number in a filter; Linux has none above 2^22.
_SOME_PROCESS = 0x7FFFFFFE


class Hold:
    """The steps into the sandbox. ``for_forks``: what each fork does after ``all``. ``narrow``: what a fork does before
    that if it may write in one folder only; None without Landlock."""

    def __init__(self, settings: Settings, offer: Offer) -> None:
        self.for_forks: list[Callable[[], None]] = []
        self.narrow: Callable[[str], None] | None = None
        self._kernel = Kernel()
        self._settings = settings
        self._offer = offer
        self._failed: list[str] = []

    def all(self) -> Held:
        """Take every step that this machine supports, in the order that their dependencies require. The filter is last,
        because it refuses what the other steps do."""
        kernel = self._kernel
        grants, left_out = find_access(self._settings)
        ready = self._try("no_new_privs", kernel.never_gain_rights)
        files = ready and self._offer.landlock_abi > 0 and self._try("Landlock", lambda: self._restrict(grants))
        machine = self._offer.machine
        if machine is not None:
            self._give_up_rights(machine, files)
        self._try("PR_SET_DUMPABLE", kernel.hide_memory)
        self._try("PR_SET_PDEATHSIG", kernel.die_with_parent)
        self.for_forks.append(kernel.die_with_parent)
        calls = ready and machine is not None and self._try("seccomp", lambda: self._filter(machine))
        return Held(files, calls, left_out, self._failed)

    def _restrict(self, grants: list[landlock.Grant]) -> None:
        abi = min(self._offer.landlock_abi, landlock.NEWEST_ABI)
        landlock.restrict(self._kernel, abi, grants)
        self.narrow = lambda folder: landlock.restrict_writing(self._kernel, abi, writable(folder))

    def _give_up_rights(self, machine: Machine, files: bool) -> None:
        """Give up special rights, mainly root's: reading any file, raising its limits. Other users have none to give
        up."""
        kept = _MAY_READ if files and os.geteuid() == 0 else 0
        self._try("capset", lambda: self._kernel.keep_capabilities(machine, kept))

    def _filter(self, machine: Machine) -> None:
        kernel = self._kernel
        # The filter is made here, so that a fork only has to insert its number.
        inner = EncodedFilter(inner_filter(machine, _SOME_PROCESS), hole=_SOME_PROCESS)
        kernel.install(machine, EncodedFilter(outer_filter(machine, os.getppid())))
        self.for_forks.append(lambda: kernel.install(machine, inner.filled(os.getpid())))

    def _try(self, name: str, step: Callable[[], None]) -> bool:
        try:
            step()
        except OSError as error:
            self._failed.append(f"{name}: {error}")
            return False
        return True
