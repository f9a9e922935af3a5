"""Explains the sandbox's refusals to the author of a grader."""

from __future__ import annotations

from errno import EACCES, EPERM, EXDEV

_FILES = (
    "in the sandbox code reads Python, its own folder and what allow_read names, and writes in its temporary folder "
    "(tempfile) only, which is the sample's own with isolation: sample: make files there in grade, not at import"
)
_CALLS = (
    "in the sandbox there is no network, no starting of programs or processes, no signals, and no change of a file's "
    "mode, owner or times"
)
_MEMORY = "in the sandbox code has 2 GiB of memory"


def hint(error: BaseException) -> str | None:
    """Return a sentence if the sandbox may have caused ``error``. Call it only if the sandbox is in force."""
    if isinstance(error, MemoryError):
        return _MEMORY
    if not isinstance(error, OSError):
        return None
    try:
        number = error.errno
    except Exception:  # a subclass's own
        return None
    if number in (EACCES, EXDEV):
        return _FILES
    return _CALLS if number == EPERM else None
