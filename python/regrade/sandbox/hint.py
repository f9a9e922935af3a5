"""Explains the sandbox's refusals to the author of a grader."""

from __future__ import annotations

from errno import EACCES, EPERM, EXDEV

_FILES = (
    "in the sandbox code reads Python, its own folder and what allow_read names, and writes in its temporary folder "
    "(tempfile) only, which is the sample's own with isolation: sample: make files there in grade, not at import"
)
_CALLS = (
    "in the sandbox there is no network, no starting of programs or processes, no signals, and no change of a file's "
    "mode, owner or times; ask models through ctx (contract: model_backed)"
)
_MEMORY = "in the sandbox code has 2 GiB of memory"


def hint(error: BaseException) -> str | None:
    """Return a sentence if the sandbox may have caused ``error``. Call it only if the sandbox is in force."""
    seen: BaseException | None = error
    for _ in range(_CHAIN_LIMIT):
        if seen is None:
            return None
        sentence = _hint_of(seen)
        if sentence is not None:
            return sentence
        # Libraries put an error of their own around the system's: URLError, ConnectError, APIConnectionError.
        seen = seen.__cause__ or seen.__context__
    return None


_CHAIN_LIMIT = 10


def _hint_of(error: BaseException) -> str | None:
    if isinstance(error, MemoryError):
        return _MEMORY
    if not isinstance(error, OSError):
        return None
    if type(error).__name__ == "gaierror":  # a host name, for whose lookup there is no network
        return _CALLS
    try:
        number = error.errno
    except Exception:  # a subclass's own
        return None
    if number in (EACCES, EXDEV):
        return _FILES
    return _CALLS if number == EPERM else None
