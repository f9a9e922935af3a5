"""Runs a program behind a fence: neither the program nor anything that it starts can open files that it is not granted.

``python3 -I -S fence.py COUNT SETTINGS… WORD…`` runs the words. Without words it tests whether they could be run this
way, and writes the result to stdout as JSON. SETTINGS is JSON (``fencing.grants.Settings``), split into COUNT pieces
because Linux limits one argument to 128 KiB.

Not blocked: the network; names, sizes and times of files; changing the rights of the user's own files; and the command
lines of other processes, if /proc can be listed by other means.
"""

from __future__ import annotations

import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from regrade.fencing.grants import Refused, Settings, find_grants
from regrade.sandbox import landlock, limits, probe
from regrade.sandbox.filters import fence_filter
from regrade.sandbox.kernel import EncodedFilter, Kernel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from regrade.sandbox.landlock import Grant
    from regrade.sandbox.machine import Machine
    from regrade.sandbox.settings import Offer

#: The shell's exit codes for a command that can't be run.
_REFUSED = 126
_MISSING = 127

#: The oldest sufficient ABI. Before it, files without access could be truncated (Linux 6.2).
_LEAST_ABI = 3
#: From this ABI on, signals reach no process outside the fence (Linux 6.12).
_SIGNALS_ABI = 6
_SIGNALS = "a program could end or stop other processes of this user (Landlock holds that from ABI 6 on, Linux 6.12)"


def main(arguments: list[str]) -> int:
    """Run the program, and return its exit code, or 126 with the reason on stderr."""
    count, *rest = arguments
    settings, words = Settings("".join(rest[: int(count)])), rest[int(count) :]
    try:
        # This is checked even if no fence is available, so that a mistake in a manifest is reported on every system.
        grants = find_grants(settings)
    except Refused as refused:
        if words:
            return _refuse(str(refused))
        return _tell({"kind": "refused", "path": refused.path, "holds": refused.holds})
    offer = probe()
    why = _lack_of(offer)
    if why is not None or offer.machine is None:
        return _tell({"kind": "absent", "why": why}) if not words else _refuse(why)
    # Other systems lack the modules that these import.
    from regrade.fencing.children import run_held

    machine = offer.machine
    kernel = Kernel()
    if words:
        return run_held(kernel, lambda: _become(words, kernel, (offer.landlock_abi, machine, grants)))
    tried = run_held(kernel, lambda: _become([], kernel, (offer.landlock_abi, machine, grants)))
    return tried or _tell(
        {
            "kind": "held",
            "level": "landlock+seccomp",
            "landlock_abi": offer.landlock_abi,
            "missing": [] if offer.landlock_abi >= _SIGNALS_ABI else [_SIGNALS],
        }
    )


def _lack_of(offer: Offer) -> str | None:
    if not offer.landlock_abi:
        return f"{offer.system} has no Landlock, or it is turned off"
    if offer.landlock_abi < _LEAST_ABI:
        return f"Landlock of {offer.system} can't keep files from being cut short; Linux 6.2 can"
    if offer.machine is None:
        return f"{offer.system} has no seccomp filters that serve here, which hold sockets"
    from regrade.fencing.children import can_end_all

    if not can_end_all():
        return f"{offer.system} does not list the children of a process, so that they could be ended"
    return None


def _tell(found: dict[str, object]) -> int:
    print(json.dumps(found), flush=True)
    return 0


def _refuse(why: str | None) -> int:
    print(f"the fence can't be put up: {why}", file=sys.stderr, flush=True)
    return _REFUSED


def _become(words: list[str], kernel: Kernel, fence: tuple[int, Machine, list[Grant]]) -> None:
    """Give up access to files, sockets and rights, in the order that their dependencies require; then become the
    program."""
    abi, machine, grants = fence
    try:
        limits.close_inherited()
        kernel.never_gain_rights()
        own = (f"/proc/{os.getpid()}", landlock.READ)
        landlock.restrict_files(kernel, min(abi, landlock.NEWEST_ABI), [*grants, own])
        kernel.drop_capabilities(machine)
        kernel.install(machine, EncodedFilter(fence_filter(machine)))
    except OSError as error:
        os._exit(_refuse(str(error)))
    if not words:
        os._exit(0)
    try:
        os.execvp(words[0], words)
    except OSError as error:
        print(f"can't start {words[0]}: {error.strerror}", file=sys.stderr, flush=True)
        os._exit(_MISSING if isinstance(error, FileNotFoundError) else _REFUSED)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
