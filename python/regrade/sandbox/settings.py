"""The settings of a host's sandbox, and its report.

The classes are plain, and types are imported for type checkers only: a host starts in milliseconds, and the modules
``typing`` and ``dataclasses`` would take most of that time.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from regrade.sandbox.machine import Machine

    Mode = Literal["auto", "required", "off"]


class Settings:
    """The ``sandbox`` part of a load frame.

    ``read``: absolute paths that user code may read in addition to what Python itself needs: the grader's own folder
    and ``allow_read``. ``write``: the only folder in which it may write; absolute, private to this host, and existing.
    """

    __slots__ = ("mode", "read", "write")

    def __init__(self, mode: Mode, read: tuple[str, ...], write: str) -> None:
        self.mode = mode
        self.read = read
        self.write = write


class Report:
    """The protections in force. ``level`` is one of ``landlock+seccomp``, ``seccomp``, ``landlock``, ``none``, ``off``.

    ``details``: JSON. ``missing`` has a sentence for each protection that this machine lacks.
    """

    __slots__ = ("details", "level")

    def __init__(self, level: str, details: dict[str, object]) -> None:
        self.level = level
        self.details = details


class Offer:
    """The abilities of a machine. ``landlock_abi``: 0 for none. ``machine``: the architecture of the filters; None
    without seccomp, or without a table of its system calls."""

    __slots__ = ("landlock_abi", "machine", "system")

    def __init__(self, system: str, landlock_abi: int, machine: Machine | None) -> None:
        self.system = system
        self.landlock_abi = landlock_abi
        self.machine = machine


class Held:
    """The protections in force: files by Landlock, system calls by seccomp. ``left_out``: requested paths, or paths of
    ``sys.path``, that can't be read. ``failed``: steps that the kernel refused, with a reason each."""

    __slots__ = ("calls", "failed", "files", "left_out")

    def __init__(self, files: bool, calls: bool, left_out: list[str], failed: list[str]) -> None:
        self.files = files
        self.calls = calls
        self.left_out = left_out
        self.failed = failed


class SandboxRefused(Exception):
    """Mode ``required`` can't be met here. The text says what is missing and what to do."""


def read_settings(value: object) -> Settings:
    """Read the part of the load frame. Raises ValueError if it is invalid, which is a mistake of ours, not of a
    user."""
    if isinstance(value, dict):
        mode, read, write = value.get("mode"), value.get("read"), value.get("write")
        if mode in ("auto", "required", "off") and isinstance(read, list) and isinstance(write, str):
            return Settings(mode, tuple(str(path) for path in read), write)
    raise ValueError(f"no sandbox settings: {value!r}")
