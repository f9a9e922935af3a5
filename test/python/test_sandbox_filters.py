"""The seccomp filters' logic, for both machines, run by a small interpreter of the kernel's BPF."""

from __future__ import annotations

import errno
import os
import re
import struct
import unittest
from pathlib import Path

from regrade.sandbox import bpf
from regrade.sandbox.filters import inner_filter, outer_filter
from regrade.sandbox.machine import ARM64, FIRST_UNKNOWN, X86_64, Machine

PARENT = 4000
OWN = 4321
EPERM = bpf.fails(errno.EPERM)
ENOSYS = bpf.fails(errno.ENOSYS)
ENOTTY = bpf.fails(errno.ENOTTY)
#: The kernel's order: the stricter action of several filters counts.
STRICTNESS = (bpf.KILL, EPERM, ENOSYS, ENOTTY, bpf.ALLOW)

SIGCHLD = 17
FORK = 0x01000000 | 0x00200000 | SIGCHLD  # CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID, as C libraries fork
THREAD = 0x003D0F00  # as they make a thread


def run(program: bpf.Block, data: bytes) -> int:
    """Run a filter on ``struct seccomp_data``, as the kernel does: one register, words of the data, forward jumps."""
    register = 0
    at = 0
    while True:
        code, if_true, if_false, value = program[at]
        at += 1
        if code == bpf.LOAD:
            register = struct.unpack_from("<I", data, value)[0]
        elif code == bpf.AND:
            register &= value
        elif code == bpf.RETURN:
            return value
        else:
            at += if_true if _holds(code, register, value) else if_false


def _holds(code: int, register: int, value: int) -> bool:
    if code == bpf.EQUAL:
        return register == value
    if code == bpf.GREATER:
        return register > value
    if code == bpf.AT_LEAST:
        return register >= value
    if code == bpf.ANY_BIT:
        return bool(register & value)
    raise ValueError(f"no such instruction: {code:#x}")


def call(machine: Machine, number: int, arguments: tuple[int, ...], audit: int | None = None) -> bytes:
    padded = [argument & 0xFFFFFFFFFFFFFFFF for argument in (*arguments, 0, 0, 0, 0, 0, 0)[:6]]
    return struct.pack("<IIQ6Q", number & 0xFFFFFFFF, machine.audit if audit is None else audit, 0, *padded)


def outer(machine: Machine, name: str, *arguments: int) -> int | None:
    """What a host may; None where the machine has no such call."""
    number = machine.number(name)
    return None if number is None else run(outer_filter(machine, PARENT), call(machine, number, arguments))


def inner(machine: Machine, name: str, *arguments: int) -> int | None:
    """What a fork may: both filters judge."""
    number = machine.number(name)
    if number is None:
        return None
    data = call(machine, number, arguments)
    found = [run(outer_filter(machine, PARENT), data), run(inner_filter(machine, OWN), data)]
    return min(found, key=STRICTNESS.index)


class Filters(unittest.TestCase):
    def both(self, name: str, arguments: tuple[int, ...], host: int, fork: int) -> None:
        for machine in (X86_64, ARM64):
            with self.subTest(machine=machine.name, call=name, arguments=[hex(each) for each in arguments]):
                self.assertIn(outer(machine, name, *arguments), (host, None))
                self.assertIn(inner(machine, name, *arguments), (fork, None))

    def test_the_network_other_processes_mounts_and_the_kernel_are_out_of_reach(self) -> None:
        names = """socket connect bind listen accept accept4 ptrace process_vm_readv process_vm_writev kcmp pidfd_open
            pidfd_getfd pidfd_send_signal tkill rt_sigqueueinfo rt_tgsigqueueinfo execve execveat vfork setsid setpgid
            unshare setns mount umount2 pivot_root chroot open_tree move_mount fsopen fsconfig fsmount fspick
            mount_setattr open_by_handle_at name_to_handle_at fanotify_init inotify_init inotify_init1 init_module
            finit_module delete_module kexec_load kexec_file_load reboot bpf perf_event_open userfaultfd io_uring_setup
            io_uring_enter io_uring_register add_key request_key keyctl chmod fchmod fchmodat fchmodat2 chown fchown
            lchown fchownat utime utimes futimesat utimensat setxattr lsetxattr fsetxattr removexattr lremovexattr
            fremovexattr truncate memfd_create shmget msgget semget mq_open setuid setgid setresuid setresgid setgroups
            setfsuid capset swapon acct settimeofday syslog iopl ioperm"""
        for name in names.split():
            self.both(name, (0, 0, 0), EPERM, EPERM)

    def test_new_processes_and_threads(self) -> None:
        self.both("clone", (THREAD,), bpf.ALLOW, bpf.ALLOW)
        self.both("clone", (FORK,), bpf.ALLOW, EPERM)
        self.both("clone", (SIGCHLD,), bpf.ALLOW, EPERM)
        self.both("fork", (), bpf.ALLOW, EPERM)
        self.both("clone3", (0, 88), ENOSYS, ENOSYS)
        # vfork, by flags: posix_spawn
        self.both("clone", (0x4000 | 0x100 | SIGCHLD,), EPERM, EPERM)
        # memory shared with a process that is no thread
        self.both("clone", (0x100 | SIGCHLD,), EPERM, EPERM)
        # a signal other than SIGCHLD at its end, or none
        self.both("clone", (9,), EPERM, EPERM)
        self.both("clone", (0,), EPERM, EPERM)
        namespaces = (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000)
        for flag in (*namespaces, 0x8000, 0x2000, 0x800000):  # and CLONE_PARENT, CLONE_PTRACE, CLONE_UNTRACED
            self.both("clone", (FORK | flag,), EPERM, EPERM)
            self.both("clone", (THREAD | flag,), EPERM, EPERM)

    def test_flags_above_32_bits_and_what_lies_there_change_nothing(self) -> None:
        self.both("clone", ((1 << 32) | FORK | 0x10000000,), EPERM, EPERM)
        self.both("kill", ((7 << 32) | PARENT, 9), EPERM, EPERM)

    def test_signals(self) -> None:
        for name in ("kill", "tgkill"):
            for target in (PARENT, 0, 1, -1, -PARENT, -OWN):
                self.both(name, (target, 9), EPERM, EPERM)
            self.both(name, (OWN, 6), bpf.ALLOW, bpf.ALLOW)
            # a host ends its forks, whose numbers are not known
            self.both(name, (OWN + 1, 9), bpf.ALLOW, EPERM)

    def test_sockets_are_pairs_of_streams_for_asyncio(self) -> None:
        stream, datagram, packets, non_blocking = 1, 2, 5, 0x800 | 0x80000
        self.both("socketpair", (1, stream | non_blocking), bpf.ALLOW, bpf.ALLOW)
        for family, kind in ((1, datagram), (1, packets), (2, stream), (10, stream), (16, 3), (0, stream)):
            self.both("socketpair", (family, kind), EPERM, EPERM)

    def test_controls_of_files(self) -> None:
        for command in (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451):
            self.both("ioctl", (1, command), bpf.ALLOW, bpf.ALLOW)
        # TIOCSTI, TIOCLINUX, FS_IOC_SETFLAGS, FS_IOC_FSSETXATTR, FS_IOC_ENABLE_VERITY
        for command in (0x5412, 0x541C, 0x40086602, 0x401C5820, 0x40806685):
            self.both("ioctl", (1, command), ENOTTY, ENOTTY)
        for command in (0, 1, 2, 3, 4, 1030):
            self.both("fcntl", (1, command), bpf.ALLOW, bpf.ALLOW)
        for command in (8, 10, 15, 1024, 1026):
            self.both("fcntl", (1, command), EPERM, EPERM)

    def test_a_file_that_is_only_read_is_not_cut(self) -> None:
        truncate, create = 0x200, 0x40
        for name, before in (("open", (0,)), ("openat", (0, 0))):
            self.both(name, (*before, 0), bpf.ALLOW, bpf.ALLOW)
            self.both(name, (*before, 1 | truncate | create), bpf.ALLOW, bpf.ALLOW)
            self.both(name, (*before, 2 | truncate), bpf.ALLOW, bpf.ALLOW)
            self.both(name, (*before, truncate), EPERM, EPERM)
            self.both(name, (*before, 3 | truncate), EPERM, EPERM)
        self.both("openat2", (0, 0, 0, 24), ENOSYS, ENOSYS)

    def test_limits_and_priorities_of_itself_only(self) -> None:
        for name in ("prlimit64", "sched_setaffinity", "sched_setscheduler", "sched_setparam", "sched_setattr"):
            self.both(name, (0, 1), bpf.ALLOW, bpf.ALLOW)
            self.both(name, (PARENT, 1), EPERM, EPERM)
        self.both("setpriority", (0, 0, 19), bpf.ALLOW, bpf.ALLOW)
        self.both("setpriority", (0, PARENT, 19), EPERM, EPERM)
        self.both("setpriority", (2, 0, 19), EPERM, EPERM)
        self.both("ioprio_set", (1, 0), bpf.ALLOW, bpf.ALLOW)
        self.both("ioprio_set", (1, PARENT), EPERM, EPERM)
        self.both("personality", (0xFFFFFFFF,), bpf.ALLOW, bpf.ALLOW)
        self.both("personality", (0x0040000,), EPERM, EPERM)

    def test_controls_of_the_process(self) -> None:
        self.both("prctl", (15,), bpf.ALLOW, bpf.ALLOW)  # a thread's name
        self.both("prctl", (1, 0), bpf.ALLOW, EPERM)  # to be killed with its parent
        for option in (4, 28, 35, 36, 0x59616D61):
            self.both("prctl", (option, 1), EPERM, EPERM)

    def test_other_machines_and_unknown_calls(self) -> None:
        for machine, stranger in ((X86_64, 0x40000003), (ARM64, 0x40000028)):
            program = outer_filter(machine, PARENT)
            for number in (FIRST_UNKNOWN, 512, 547, 0x40000000 | 41, 0x40000000 | 59, 0xFFFFFFFF):
                with self.subTest(machine=machine.name, number=number):
                    self.assertEqual(run(program, call(machine, number, ())), ENOSYS)
            # 32-bit programs, and each other
            for audit in (stranger, X86_64.audit if machine is ARM64 else ARM64.audit, 0):
                with self.subTest(machine=machine.name, audit=hex(audit)):
                    self.assertEqual(run(program, call(machine, 39, (), audit)), bpf.KILL)
                    self.assertEqual(run(inner_filter(machine, OWN), call(machine, 39, (), audit)), bpf.KILL)

    def test_what_python_needs_is_allowed(self) -> None:
        needed = {
            "read": (0, 63),
            "write": (1, 64),
            "close": (3, 57),
            "mmap": (9, 222),
            "mprotect": (10, 226),
            "munmap": (11, 215),
            "brk": (12, 214),
            "rt_sigaction": (13, 134),
            "pipe2": (293, 59),
            "futex": (202, 98),
            "epoll_ctl": (233, 21),
            "sendto": (44, 206),
            "recvfrom": (45, 207),
            "getrandom": (318, 278),
            "setitimer": (38, 103),
            "exit_group": (231, 94),
            "wait4": (61, 260),
            "mkdirat": (258, 34),
            "renameat": (264, 38),
            "unlinkat": (263, 35),
            "ftruncate": (77, 46),
            "clock_nanosleep": (230, 115),
        }
        for name, numbers in needed.items():
            for machine, number in zip((X86_64, ARM64), numbers, strict=True):
                with self.subTest(machine=machine.name, call=name):
                    data = call(machine, number, (0, 0, 0))
                    self.assertEqual(run(outer_filter(machine, PARENT), data), bpf.ALLOW)
                    self.assertEqual(run(inner_filter(machine, OWN), data), bpf.ALLOW)

    def test_the_kernel_takes_programs_of_this_form(self) -> None:
        """Its own checks: at most 4096 instructions, jumps that stay inside, a return at the end."""
        for machine in (X86_64, ARM64):
            for program in (outer_filter(machine, PARENT), inner_filter(machine, OWN)):
                self.assertLess(len(program), 4096)
                self.assertEqual(program[-1][0], bpf.RETURN)
                self.assertEqual(len(bpf.encode(program)), 8 * len(program))
                for at, (code, if_true, if_false, _) in enumerate(program):
                    self.assertLess(at + max(if_true, if_false), len(program) - (code != bpf.RETURN))
                    self.assertLess(max(if_true, if_false), 256)


class Numbers(unittest.TestCase):
    """The table against the system's own headers."""

    def test_of_x86_64(self) -> None:
        self._compare(X86_64, "/usr/include/x86_64-linux-gnu/asm/unistd_64.h", r"#define __NR_(\w+) (\d+)")

    def test_of_arm64(self) -> None:
        # Numbers under 3264 names are those of 64-bit machines.
        self._compare(ARM64, "/usr/include/asm-generic/unistd.h", r"#define __NR(?:3264)?_(\w+) (\d+)")

    def _compare(self, machine: Machine, header: str, pattern: str) -> None:
        if not os.path.exists(header):
            self.skipTest(f"no {header} here")
        known: dict[str, int] = {}
        for name, number in re.findall(pattern, Path(header).read_text()):
            known.setdefault(name, int(number))
        compared = 0
        for name, number in known.items():
            try:
                ours = machine.number(name)
            except KeyError:
                continue
            with self.subTest(call=name):
                self.assertEqual(ours, number)
            compared += 1
        self.assertGreater(compared, 80)


if __name__ == "__main__":
    unittest.main()
