"""The two steps into the sandbox."""

from __future__ import annotations

import os
import sys

from regrade.sandbox.settings import Held, Offer, Report, SandboxRefused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from regrade.sandbox.settings import Settings

#: Steps that ``enter`` prepared for forks. A fork inherits them from its parent; there is no other way to pass them on.
_for_forks: list[Callable[[], None]] = []
_narrow: list[Callable[[str], None]] = []


def enter(settings: Settings, offer: Offer | None = None) -> Report:
    """Confine this process and all that it will start. Call it before user code is imported, on the only thread.

    ``offer``: use no more than this of what the machine supports. It closes inherited descriptors, so the process's own
    must not be inheritable, and sets HOME to the private folder. Mode ``required`` raises SandboxRefused if files and
    network can't both be protected; ``auto`` enforces what it can, and the report says what that is. ``off`` does
    nothing.
    """
    if settings.mode == "off":
        return Report("off", {"asked": "off"})
    from regrade.sandbox.report import describe, refusal

    found = probe() if offer is None else offer
    required = settings.mode == "required"
    if required and not (found.landlock_abi and found.machine):
        raise SandboxRefused(refusal(found, ()))
    held = _hold(settings, found)
    if required and not (held.files and held.calls):
        raise SandboxRefused(refusal(found, held.failed))
    return describe(settings, found, held)


def tighten() -> None:
    """Confine a fork further: no new processes, signals to itself only, killed with its parent.

    Does nothing if ``enter`` found nothing to enforce. Raises OSError if the kernel refuses, which it does not after
    ``enter`` succeeded; user code must not run then.
    """
    for step in _for_forks:
        step()


def narrow(folder: str) -> None:
    """Let a fork write only in ``folder``; call it before ``tighten``. Its temporary files, its home and, if it was in
    the host's folder, its working directory are moved there. Without Landlock only these are set."""
    if os.getcwd() == os.path.dirname(folder):
        os.chdir(folder)
    for name in ("HOME", "TMPDIR", "TEMP", "TMP"):
        os.environ[name] = folder
    tempfile = sys.modules.get("tempfile")
    if tempfile is not None:
        vars(tempfile)["tempdir"] = None
    for step in _narrow:
        step(folder)


def explain(error: BaseException) -> str | None:
    """Return a sentence on what the sandbox may have to do with an exception of user code; None if it has nothing."""
    if not _for_forks:
        return None
    from regrade.sandbox.hint import hint

    return hint(error)


def probe() -> Offer:
    """Find out what this machine supports. Changes nothing."""
    if not sys.platform.startswith("linux"):
        return Offer(f"{sys.platform} has neither Landlock nor seccomp", 0, None)
    try:
        from regrade.sandbox import landlock
        from regrade.sandbox.kernel import Kernel
        from regrade.sandbox.machine import this_machine

        kernel = Kernel()
    except ImportError:
        return Offer("this Python has no ctypes, which asks the kernel", 0, None)
    machine = this_machine()
    filters = machine is not None and kernel.has_filters(machine)
    return Offer(f"Linux {os.uname().release}", landlock.abi_of(kernel), machine if filters else None)


def _hold(settings: Settings, offer: Offer) -> Held:
    from regrade.sandbox import limits

    limits.close_inherited()
    failed = [f"the limit {name} was not taken" for name in limits.limit_resources()]
    os.environ["HOME"] = settings.write
    if not offer.landlock_abi and offer.machine is None:
        return Held(False, False, [], failed)
    limits.be_killed_first()
    from regrade.sandbox.hold import Hold

    hold = Hold(settings, offer)
    held = hold.all()
    _for_forks[:] = hold.for_forks
    _narrow[:] = [] if hold.narrow is None else [hold.narrow]
    return Held(held.files, held.calls, held.left_out, failed + held.failed)
