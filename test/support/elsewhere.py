"""Starts a program as if on another machine: ``elsewhere.py [--user N] [--without landlock] [--without seccomp] PROGRAM…``

What is left out is refused by a filter of this process's own, with the error of a kernel that does not know it.
"""

from __future__ import annotations

import argparse
import errno
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python"))

from regrade.sandbox import bpf
from regrade.sandbox.kernel import EncodedFilter, Kernel
from regrade.sandbox.machine import this_machine


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--user", type=int)
    parser.add_argument("--without", action="append", default=[], choices=["landlock", "seccomp"])
    parser.add_argument("program", nargs=argparse.REMAINDER)
    asked = parser.parse_args()
    leave_out(asked.without)
    if asked.user is not None:
        os.setgroups([])
        os.setgid(asked.user)
        os.setuid(asked.user)
    os.execvp(asked.program[0], asked.program)


def leave_out(names: list[str]) -> None:
    machine = this_machine()
    if machine is None or not names:
        return
    kernel = Kernel()
    numbers = [444] if "landlock" in names else []
    if "seccomp" in names:
        numbers.append(machine.number("seccomp") or 0)
    kernel.never_gain_rights()
    kernel.install(
        machine,
        EncodedFilter(
            [
                *bpf.load(bpf.NUMBER),
                *bpf.end_if_any(numbers, bpf.fails(errno.ENOSYS)),
                *bpf.end(bpf.ALLOW),
            ]
        ),
    )


if __name__ == "__main__":
    main()
