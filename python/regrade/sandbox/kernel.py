"""System calls for which the standard library has no function."""

from __future__ import annotations

import ctypes
import os
import struct

from regrade.sandbox.bpf import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from regrade.sandbox.bpf import Block
    from regrade.sandbox.machine import Machine

_PR_SET_PDEATHSIG = 1
_PR_SET_DUMPABLE = 4
_PR_SET_NO_NEW_PRIVS = 38
_PR_CAPBSET_READ = 23
_PR_CAPBSET_DROP = 24
#: Number of bits in the mask of capabilities; kernels use fewer.
_CAPABILITIES = 64
_SECCOMP_SET_MODE_FILTER = 1
_SECCOMP_GET_ACTION_AVAIL = 2
#: Applies a filter to all threads of the process, not only the calling one.
_SECCOMP_FILTER_FLAG_TSYNC = 1
_CAPABILITY_VERSION_3 = 0x20080522
_SIGKILL = 9


class Kernel:
    """System calls by number. Each raises OSError if the kernel refuses."""

    def __init__(self) -> None:
        self._library = ctypes.CDLL(None, use_errno=True)
        # Pass numbers as whole registers; ctypes would pass them as 32 bits.
        self._library.syscall.argtypes = (ctypes.c_long,) * 7
        self._library.syscall.restype = ctypes.c_long
        self._library.prctl.argtypes = (ctypes.c_int, *(ctypes.c_ulong,) * 4)

    def call(self, number: int, *arguments: int) -> int:
        """Call ``number`` with up to six numbers or addresses."""
        padded = (*arguments, 0, 0, 0, 0, 0, 0)[:6]
        result: int = self._library.syscall(number, *padded)
        if result < 0:
            raise _last_error()
        return result

    def control(self, option: int, value: int = 0) -> None:
        """``prctl``."""
        if self._library.prctl(option, value, 0, 0, 0) < 0:
            raise _last_error()

    def never_gain_rights(self) -> None:
        """Keep programs that are started from gaining more rights than this process: set-uid bits then have no
        effect."""
        self.control(_PR_SET_NO_NEW_PRIVS, 1)

    def die_with_parent(self) -> None:
        """Have this process killed when the thread that made it ends. Forks do not inherit this."""
        self.control(_PR_SET_PDEATHSIG, _SIGKILL)

    def hide_memory(self) -> None:
        """Close this process's part of /proc to the user's other processes, also to its own forks."""
        self.control(_PR_SET_DUMPABLE, 0)

    def has_filters(self, machine: Machine) -> bool:
        """Return whether seccomp filters can end a process, which is all that ours need (Linux 4.14)."""
        kill = struct.pack("=I", 0x80000000)
        try:
            self.call(_seccomp(machine), _SECCOMP_GET_ACTION_AVAIL, 0, address(kill))
        except OSError:
            return False
        return True

    def install(self, machine: Machine, program: EncodedFilter) -> None:
        """Apply ``program`` to each system call from here on, in all threads of the process. It needs no rights after
        ``never_gain_rights``."""
        flags = _SECCOMP_FILTER_FLAG_TSYNC
        if self.call(_seccomp(machine), _SECCOMP_SET_MODE_FILTER, flags, program.address) > 0:
            raise OSError("a thread has a filter of its own")

    def keep_capabilities(self, machine: Machine, kept: int) -> None:
        """Give up all capabilities except those in the mask; they are what distinguishes root from other users."""
        header = struct.pack("=Ii", _CAPABILITY_VERSION_3, 0)
        low, high = kept & 0xFFFFFFFF, kept >> 32
        sets = struct.pack("=6I", low, low, 0, high, high, 0)
        number = machine.number("capset")
        if number is not None:
            self.call(number, address(header), address(sets))

    def drop_capabilities(self, machine: Machine) -> None:
        """Give up all capabilities for good; otherwise programs that root starts would get them back by root's user id
        alone."""
        for each in range(_CAPABILITIES):
            try:
                self.control(_PR_CAPBSET_READ, each)
                self.control(_PR_CAPBSET_DROP, each)
            except OSError:  # this kernel lacks it, or the user may not drop it and can't gain it either
                continue
        # The ambient capabilities go together with the permitted ones.
        self.keep_capabilities(machine, 0)


class EncodedFilter:
    """``struct sock_fprog``, made once, because a fork has no time for it. ``hole``: a value that is filled in
    later."""

    def __init__(self, block: Block, hole: int | None = None) -> None:
        self._code = ctypes.create_string_buffer(encode(block))
        head = struct.pack("=HxxxxxxQ", len(block), ctypes.addressof(self._code))
        self._head = ctypes.create_string_buffer(head)
        self._holes = [8 * i + 4 for i, each in enumerate(block) if each[3] == hole]
        self.address = ctypes.addressof(self._head)

    def filled(self, value: int) -> EncodedFilter:
        """Put ``value`` into the holes, in place."""
        for offset in self._holes:
            struct.pack_into("<I", self._code, offset, value)
        return self


def address(data: bytes) -> int:
    """Return the address of ``data``, for a call that reads it at once. Keep a reference to it until then."""
    found = ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p).value
    return found or 0


def _seccomp(machine: Machine) -> int:
    return machine.number("seccomp") or 0


def _last_error() -> OSError:
    number = ctypes.get_errno()
    return OSError(number, os.strerror(number))
