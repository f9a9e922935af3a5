"""Landlock: restricts which files a process may read and write and, if the kernel supports it, the use of TCP and
signals to other processes.

The interface: https://docs.kernel.org/userspace-api/landlock.html and ``linux/landlock.h``. The system calls have the
same numbers on every machine. Not covered by any version: whether a file exists, its size and its times (``stat``), and
changing to a folder.
"""

from __future__ import annotations

import os
import stat
import struct

from regrade.sandbox.kernel import address

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from regrade.sandbox.kernel import Kernel

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION = 1
_PATH_BENEATH = 1
#: Since ABI 7 denials are logged by the system's audit, which a grader could flood.
_LOG_NOTHING = 1

#: The newest ABI that this file knows; a newer kernel is used as if it had this one.
NEWEST_ABI = 7

EXECUTE = 1 << 0
WRITE_FILE = 1 << 1
READ_FILE = 1 << 2
READ_DIR = 1 << 3
REMOVE_DIR = 1 << 4
REMOVE_FILE = 1 << 5
MAKE_CHAR = 1 << 6
MAKE_DIR = 1 << 7
MAKE_REG = 1 << 8
MAKE_SOCK = 1 << 9
MAKE_FIFO = 1 << 10
MAKE_BLOCK = 1 << 11
MAKE_SYM = 1 << 12
REFER = 1 << 13  # ABI 2
TRUNCATE = 1 << 14  # ABI 3
IOCTL_DEV = 1 << 15  # ABI 5

BIND_TCP = 1 << 0  # ABI 4
CONNECT_TCP = 1 << 1

SCOPE_ABSTRACT_UNIX_SOCKET = 1 << 0  # ABI 6
SCOPE_SIGNAL = 1 << 1

READ = READ_FILE | READ_DIR
#: Rights in a private folder; no devices and no sockets.
CHANGE = READ | WRITE_FILE | REMOVE_DIR | REMOVE_FILE | MAKE_DIR | MAKE_REG | MAKE_FIFO | MAKE_SYM | REFER | TRUNCATE
#: All rights that a rule may grant on a file, as opposed to a folder.
_OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV


#: A path, and the rights on it, and on everything beneath it if it is a folder.
Grant = tuple[str, int]


class Rules:
    """``struct landlock_ruleset_attr``: all rights that an ABI can refuse; they are refused unless the rule of a path
    grants them."""

    def __init__(self, abi: int) -> None:
        self.files = MAKE_SYM * 2 - 1
        if abi >= 2:
            self.files |= REFER
        if abi >= 3:
            self.files |= TRUNCATE
        if abi >= 5:
            self.files |= IOCTL_DEV
        self.network = BIND_TCP | CONNECT_TCP if abi >= 4 else 0
        self.scopes = SCOPE_ABSTRACT_UNIX_SOCKET | SCOPE_SIGNAL if abi >= 6 else 0
        self.abi = abi

    def encoded(self) -> bytes:
        """Return the structure for a kernel with this ABI; a longer one would be an error."""
        if self.abi < 4:
            return struct.pack("=Q", self.files)
        if self.abi < 6:
            return struct.pack("=QQ", self.files, self.network)
        return struct.pack("=QQQ", self.files, self.network, self.scopes)


def abi_of(kernel: Kernel) -> int:
    """Return the kernel's ABI; 0 if it has no Landlock, or if Landlock is turned off."""
    try:
        return kernel.call(_CREATE_RULESET, 0, 0, _VERSION)
    except OSError:
        return 0


def restrict(kernel: Kernel, abi: int, grants: Iterable[Grant]) -> None:
    """Refuse this thread, and what it starts, everything but ``grants``. Paths that do not exist grant nothing.

    ``no_new_privs`` must be set. Raises OSError if the kernel refuses; then nothing is restricted.
    """
    _restrict(kernel, Rules(abi), grants)


def _restrict(kernel: Kernel, rules: Rules, grants: Iterable[Grant]) -> None:
    encoded = rules.encoded()
    ruleset = kernel.call(_CREATE_RULESET, address(encoded), len(encoded), 0)
    try:
        for path, access in grants:
            _add(kernel, ruleset, (path, access & rules.files))
        kernel.call(_RESTRICT_SELF, ruleset, _LOG_NOTHING if rules.abi >= 7 else 0)
    finally:
        os.close(ruleset)


def restrict_files(kernel: Kernel, abi: int, grants: Iterable[Grant]) -> None:
    """Refuse all files but ``grants``, and signals to other processes; the network and the controls of devices stay
    open."""
    rules = Rules(abi)
    rules.files &= ~IOCTL_DEV
    rules.network = 0
    _restrict(kernel, rules, grants)


def restrict_writing(kernel: Kernel, abi: int, grants: Iterable[Grant]) -> None:
    """Refuse all writing except in ``grants``, in addition to what ``restrict`` refuses."""
    rules = Rules(abi)
    rules.files &= ~(READ | EXECUTE | IOCTL_DEV)
    rules.network = rules.scopes = 0
    _restrict(kernel, rules, grants)


def _add(kernel: Kernel, ruleset: int, grant: Grant) -> None:
    path, access = grant
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(place).st_mode):
            access &= _OF_FILES
        if access:
            rule = struct.pack("=Qi", access, place)
            kernel.call(_ADD_RULE, ruleset, _PATH_BENEATH, address(rule), 0)
    finally:
        os.close(place)
