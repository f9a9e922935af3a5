"""Filters in the kernel's classic BPF, as lists of instructions for a few kinds of checks of a system call.

Format and semantics: ``linux/filter.h``, ``linux/seccomp.h``, https://docs.kernel.org/userspace-api/seccomp_filter.html
Every block ends with a return on each of its paths, so that blocks can be concatenated.
"""

from __future__ import annotations

import struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

LOAD = 0x20  # BPF_LD | BPF_W | BPF_ABS: a word of seccomp_data
AND = 0x54  # BPF_ALU | BPF_AND | BPF_K
EQUAL = 0x15  # BPF_JMP | BPF_JEQ | BPF_K
GREATER = 0x25  # BPF_JMP | BPF_JGT | BPF_K
AT_LEAST = 0x35  # BPF_JMP | BPF_JGE | BPF_K
ANY_BIT = 0x45  # BPF_JMP | BPF_JSET | BPF_K
RETURN = 0x06  # BPF_RET | BPF_K

ALLOW = 0x7FFF0000
KILL = 0x80000000  # SECCOMP_RET_KILL_PROCESS
_ERRNO = 0x00050000

#: Offsets in seccomp_data of the system call's number and of the machine.
NUMBER = 0
AUDIT = 4


#: ``struct sock_filter``: the operation, the jump if a test succeeds, the jump if it fails (both count instructions
#: from the next one on), the value. It is a tuple because a host makes three hundred of them at its start.
Instruction = tuple[int, int, int, int]
Block = list[Instruction]


def encode(block: Sequence[Instruction]) -> bytes:
    """Return the instructions in the kernel's format; both machines are little-endian."""
    pack = struct.Struct("<HBBI").pack
    return b"".join([pack(*each) for each in block])


def fails(errno: int) -> int:
    """Return the action that makes the call fail with ``errno``."""
    return _ERRNO | errno


def load(offset: int) -> Block:
    """Load a word of seccomp_data."""
    return [(LOAD, 0, 0, offset)]


def load_argument(index: int) -> Block:
    """Load the lower half of an argument, which is all that the kernel uses of an ``int`` and of clone's flags."""
    return load(16 + 8 * index)


def mask(bits: int) -> Block:
    """Keep some bits of the loaded value."""
    return [(AND, 0, 0, bits)]


def end(action: int) -> Block:
    """End here with ``action``."""
    return [(RETURN, 0, 0, action)]


def end_if(test: int, value: int, action: int) -> Block:
    """End with ``action`` if the test succeeds for the loaded value."""
    return [(test, 0, 1, value), *end(action)]


def end_unless(value: int, action: int) -> Block:
    """End with ``action`` if the loaded value is not ``value``."""
    return [(EQUAL, 1, 0, value), *end(action)]


def end_if_any(values: Iterable[int], action: int) -> Block:
    """End with ``action`` if the loaded value is one of ``values``. Adjacent values share a test."""
    block: Block = []
    for first, last in _runs(sorted(set(values))):
        if first == last:
            block += end_if(EQUAL, first, action)
        else:
            block += [(AT_LEAST, 0, 2, first), (GREATER, 1, 0, last), *end(action)]
    return block


def when(value: int, block: Block) -> Block:
    """Run ``block``, which returns, if ``value`` is loaded; otherwise skip it."""
    if len(block) > 255:
        raise ValueError("a jump reaches 255 instructions")
    return [(EQUAL, 0, len(block), value), *block]


def _runs(values: Sequence[int]) -> Iterable[tuple[int, int]]:
    first = last = None
    for value in values:
        if first is not None and last is not None and value == last + 1:
            last = value
            continue
        if first is not None and last is not None:
            yield first, last
        first = last = value
    if first is not None and last is not None:
        yield first, last
