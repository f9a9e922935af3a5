"""Describes the sandbox's protections, and the missing ones, in words."""

from __future__ import annotations

from regrade.sandbox.settings import Report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from regrade.sandbox.settings import Held, Offer, Settings

#: These sentences tell readers of "missing" what it means for them.
_NO_FILES = (
    "files are not held: a grader can read and write what this user can, and read secrets of other processes in /proc"
)
_NO_CALLS = (
    "system calls are not filtered: a grader can use the network, start programs, signal other processes of this user "
    "and change the times and modes of files"
)
_TCP_ONLY = (
    "system calls are not filtered: a grader can use the network other than TCP, start programs and processes, signal "
    "other processes of this user and change the times and modes of files"
)
_CUTS = "a grader can cut files to nothing where this user may write them (Landlock holds that from ABI 3 on)"
_SIGNALS = (
    "while it is imported a grader could signal processes of this user other than Regrade's own (Landlock holds that "
    "from ABI 6 on, Linux 6.12)"
)
_MOVES = "a grader can't move files between folders of its temporary folder (Landlock knows that from ABI 2 on)"


def describe(settings: Settings, offer: Offer, held: Held) -> Report:
    """Report what is in force after ``enter``."""
    parts = [name for name, on in (("landlock", held.files), ("seccomp", held.calls)) if on]
    details: dict[str, object] = {
        "asked": settings.mode,
        "landlock_abi": offer.landlock_abi,
        "files": held.files,
        "network": _network(offer, held),
        "system_calls": held.calls,
        "missing": _missing(offer, held),
    }
    if held.left_out:
        details["not_readable"] = list(held.left_out)
    if held.failed:
        details["failed"] = list(held.failed)
    return Report("+".join(parts) or "none", details)


def refusal(offer: Offer, failed: Iterable[str]) -> str:
    """Explain why ``required`` can't be met: what is missing, and what to do."""
    missing = [
        *([] if offer.landlock_abi else ["Landlock, which holds files (Linux 5.13 with landlock in its list of lsm)"]),
        *([] if offer.machine else ["a seccomp filter, which holds the network (Linux 4.14 on x86-64 or arm64)"]),
        *failed,
    ]
    return (
        f"the sandbox is required, and this machine ({offer.system}) can't hold both files and network; missing: "
        f"{'; '.join(missing)}. Use a machine that has them (GitHub's Ubuntu runners do), "
        "or sandbox: auto, which holds what it can and says so"
    )


def _network(offer: Offer, held: Held) -> str:
    if held.calls:
        return "none"
    return "no TCP" if held.files and offer.landlock_abi >= 4 else "open"


def _missing(offer: Offer, held: Held) -> list[str]:
    sentences = []
    if not held.files:
        sentences.append(_NO_FILES)
    if not held.calls:
        sentences.append(_TCP_ONLY if _network(offer, held) == "no TCP" else _NO_CALLS)
    if held.files and not held.calls and offer.landlock_abi < 3:
        sentences.append(_CUTS)
    if held.calls and not (held.files and offer.landlock_abi >= 6):
        sentences.append(_SIGNALS)
    if held.files and offer.landlock_abi < 2:
        sentences.append(_MOVES)
    return sentences
