"""The system calls that a sandboxed process may make: two seccomp filters, of which the second is for forks, and a
third one for programs behind a fence.

The filters list what is refused and allow the rest, up to the last known system call: a list of allowed calls would
break with each new version of a C library or of numpy. Not blocked by the filters: reading and writing files (which
Landlock restricts); memory and processor time (which limits and time-outs restrict).
"""

from __future__ import annotations

import errno

from regrade.sandbox import bpf
from regrade.sandbox.machine import FIRST_UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from regrade.sandbox.bpf import Block
    from regrade.sandbox.machine import Machine

_REFUSED = bpf.fails(errno.EPERM)
_UNKNOWN = bpf.fails(errno.ENOSYS)
_DENIED = bpf.fails(errno.EACCES)
_NO_SUCH_CONTROL = bpf.fails(errno.ENOTTY)

#: Refused by both filters.
_NEVER = (
    *("socket", "connect", "bind", "listen", "accept", "accept4"),
    *("ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "process_mrelease", "kcmp"),
    *("pidfd_open", "pidfd_getfd", "pidfd_send_signal", "get_robust_list", "move_pages", "migrate_pages"),
    # tkill names a thread, and a filter can't tell it from another process's thread; C libraries use tgkill.
    *("tkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo"),
    # A process that leaves the group would outlive it. posix_spawn and subprocess use vfork.
    *("execve", "execveat", "vfork", "setsid", "setpgid"),
    *("unshare", "setns", "mount", "umount2", "pivot_root", "chroot", "open_tree", "move_mount", "fsopen", "fsconfig"),
    *("fsmount", "fspick", "mount_setattr", "statmount", "listmount", "quotactl", "quotactl_fd", "swapon", "swapoff"),
    # A handle opens a file without passing its folders. inotify reports names in folders that can't be listed.
    *("name_to_handle_at", "open_by_handle_at", "fanotify_init", "fanotify_mark"),
    *("inotify_init", "inotify_init1", "inotify_add_watch"),
    *("create_module", "init_module", "finit_module", "delete_module", "get_kernel_syms", "query_module"),
    *("kexec_load", "kexec_file_load", "reboot", "bpf", "perf_event_open", "userfaultfd", "lookup_dcookie"),
    # io_uring opens sockets and files without the system calls that are refused here.
    *("io_uring_setup", "io_uring_enter", "io_uring_register", "io_setup", "io_submit"),
    *("acct", "settimeofday", "clock_settime", "clock_adjtime", "adjtimex", "sethostname", "setdomainname"),
    *("iopl", "ioperm", "modify_ldt", "syslog", "vhangup", "nfsservctl", "uselib", "_sysctl", "sysfs", "ustat"),
    *("lsm_set_self_attr", "add_key", "request_key", "keyctl"),
    *("chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "fchown", "lchown", "fchownat"),
    *("utime", "utimes", "futimesat", "utimensat"),
    *("setxattr", "lsetxattr", "fsetxattr", "removexattr", "lremovexattr", "fremovexattr"),
    # Landlock covers truncate by path only from ABI 3 on; a file that is open for writing can still be truncated.
    "truncate",
    *("memfd_create", "memfd_secret", "shmget", "shmat", "shmctl", "shmdt", "msgget", "msgsnd", "msgrcv", "msgctl"),
    *("semget", "semop", "semctl", "semtimedop", "mq_open", "mq_unlink"),
    *("setuid", "setgid", "setreuid", "setregid", "setresuid", "setresgid", "setfsuid", "setfsgid", "setgroups"),
    "capset",
)

#: Calls whose arguments are in memory, where a filter can't look. C libraries use the older calls if they get ENOSYS.
_OPAQUE = ("clone3", "openat2")

_RINGS = ("io_uring_setup", "io_uring_enter", "io_uring_register")

#: Calls that a program that grades may make in addition, because it may start other programs: these four, any kind of
#: fork, and signals to its own processes.
_OF_PROGRAMS = ("execve", "execveat", "vfork", "tkill")

_CLONE_VM = 0x00000100
_CLONE_VFORK = 0x00004000
_CLONE_THREAD = 0x00010000
#: New namespaces, a child of the parent's parent, a child that stays traced, a child that stops its parent.
_CLONE_REFUSED = 0x7E020000 | 0x00008000 | 0x00002000 | 0x00800000 | 0x00004000
_EXIT_SIGNAL = 0xFF
_SIGCHLD = 17

#: TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX: what Python's own files and sockets need. Not included:
#: calls that write into a terminal, or that change a file that can be read (FS_IOC_SETFLAGS, FS_IOC_ENABLE_VERITY).
_CONTROLS = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
#: F_SETOWN, F_SETSIG, F_SETOWN_EX (a signal to any process), F_SETLEASE, F_NOTIFY.
_FILE_CONTROLS_REFUSED = (8, 10, 15, 1024, 1026)
_PR_SET_PDEATHSIG = 1
#: PR_SET_DUMPABLE, PR_SET_SECUREBITS, PR_SET_MM, PR_SET_CHILD_SUBREAPER, PR_SET_PTRACER.
_PROCESS_CONTROLS_REFUSED = (4, 28, 35, 36, 0x59616D61)

_AF_UNIX = 1
_SOCK_STREAM = 1
_SOCK_SEQPACKET = 5
_SOCK_TYPE = 0xF
_O_TRUNC_AND_ACCESS = 0x203
_O_TRUNC = 0x200
#: The access mode that Linux keeps for ioctl alone; Landlock sees neither reading nor writing in it.
_O_NO_ACCESS = 0x3


def outer_filter(machine: Machine, parent: int) -> Block:
    """Return the filter of a host. It may create processes by ``fork``, and send signals to all but ``parent``, 1 and
    groups, because its forks are not known yet. From ABI 6 on, Landlock limits its signals to its own processes."""
    stranger = [
        *bpf.load_argument(0),
        *bpf.end_if(bpf.AT_LEAST, 0x80000000, _REFUSED),
        *bpf.end_if_any((0, 1, parent), _REFUSED),
        *bpf.end(bpf.ALLOW),
    ]
    return _filter(
        machine,
        never=_NEVER,
        blocks={
            **_common(),
            "clone": _clone(may_fork=True),
            "kill": stranger,
            "tgkill": stranger,
            "prctl": _all_but(0, _PROCESS_CONTROLS_REFUSED),
        },
    )


def inner_filter(machine: Machine, own: int) -> Block:
    """Return the filter that a fork adds to the host's: threads are allowed, but no new processes, and signals only to
    ``own``.

    The kernel applies the stricter of the two, so this one contains only the differences, because a fork has little
    time.
    """
    own_only = _only(0, own)
    return _filter(
        machine,
        never=("fork",),
        blocks={
            "clone": _clone(may_fork=False),
            "kill": own_only,
            "tgkill": own_only,
            "prctl": _all_but(0, (_PR_SET_PDEATHSIG,)),
        },
    )


def fence_filter(machine: Machine) -> Block:
    """Return the filter of a program behind a fence. Landlock does not check connections to a socket with a path:
    Docker, a user's systemd and an open terminal would read any file for whoever asks. So sockets of that family are
    refused, except pairs between the process's own descriptors that are no datagram sockets, which could send to any
    path. Also refused are io_uring, which opens sockets without these calls, and calls of other machines (32 bits);
    handles, which open a file without passing its folders; and a limit of processor time for another process, which
    would end it without a signal that Landlock sees."""
    pair = [
        *bpf.load_argument(1),
        *bpf.mask(_SOCK_TYPE),
        *bpf.end_if_any((_SOCK_STREAM, _SOCK_SEQPACKET), bpf.ALLOW),
        *bpf.end(_DENIED),
    ]
    blocks = {
        "socket": [*bpf.load_argument(0), *bpf.end_if(bpf.EQUAL, _AF_UNIX, _DENIED), *bpf.end(bpf.ALLOW)],
        "socketpair": [*bpf.load_argument(0), *bpf.when(_AF_UNIX, pair), *bpf.end(bpf.ALLOW)],
        "prlimit64": _only(0, 0),
    }
    return [
        *bpf.load(bpf.AUDIT),
        *bpf.end_unless(machine.audit, _UNKNOWN),
        *bpf.load(bpf.NUMBER),
        *bpf.end_if(bpf.AT_LEAST, FIRST_UNKNOWN, _UNKNOWN),
        *(step for name, block in blocks.items() for step in _on(machine, name, block)),
        *bpf.end_if_any(machine.numbers(_RINGS), _UNKNOWN),
        *bpf.end_if_any(machine.numbers(("open_by_handle_at",)), _REFUSED),
        *bpf.end(bpf.ALLOW),
    ]


def program_filter(machine: Machine, signals_held: bool) -> Block:
    """Return the filter of a program that grades, and of all that it starts. ``signals_held``: Landlock limits its
    signals to its own processes; otherwise it may send none, because a filter can't tell them from others."""
    if signals_held:
        never = tuple(name for name in _NEVER if name not in _OF_PROGRAMS)
    else:
        never = (*(name for name in _NEVER if name not in _OF_PROGRAMS[:-1]), "kill", "tgkill")
    blocks = {**_common(), "clone": _clone_of_programs(), "prctl": _all_but(0, _PROCESS_CONTROLS_REFUSED)}
    return _filter(machine, never=never, blocks=blocks)


def _filter(machine: Machine, never: tuple[str, ...], blocks: dict[str, Block]) -> Block:
    """The filter. It checks the machine first, because the system calls of another one (32 bits) have other numbers.
    x32 calls are among the unknown ones."""
    return [
        *bpf.load(bpf.AUDIT),
        *bpf.end_unless(machine.audit, bpf.KILL),
        *bpf.load(bpf.NUMBER),
        *bpf.end_if(bpf.AT_LEAST, FIRST_UNKNOWN, _UNKNOWN),
        *(step for name, block in blocks.items() for step in _on(machine, name, block)),
        *bpf.end_if_any(machine.numbers(_OPAQUE), _UNKNOWN),
        *bpf.end_if_any(machine.numbers(never), _REFUSED),
        *bpf.end(bpf.ALLOW),
    ]


def _on(machine: Machine, name: str, block: Block) -> Block:
    number = machine.number(name)
    return [] if number is None else bpf.when(number, block)


def _common() -> dict[str, Block]:
    """Calls that are allowed only with some arguments. A process may change its own limits and priorities, for which it
    passes 0."""
    own_process = _only(0, 0)
    return {
        "socketpair": _pair(),
        "ioctl": [*bpf.load_argument(1), *bpf.end_if_any(_CONTROLS, bpf.ALLOW), *bpf.end(_NO_SUCH_CONTROL)],
        "fcntl": _all_but(1, _FILE_CONTROLS_REFUSED),
        "open": _open(1),
        "openat": _open(2),
        "personality": _only(0, 0xFFFFFFFF),
        "prlimit64": own_process,
        "sched_setaffinity": own_process,
        "sched_setscheduler": own_process,
        "sched_setparam": own_process,
        "sched_setattr": own_process,
        "setpriority": _only_both(0, 0),
        "ioprio_set": _only_both(1, 0),
    }


def _clone(may_fork: bool) -> Block:
    thread_or_not = [
        *bpf.load_argument(0),
        *bpf.end_if(bpf.ANY_BIT, _CLONE_REFUSED, _REFUSED),
        *bpf.end_if(bpf.ANY_BIT, _CLONE_THREAD, bpf.ALLOW),
    ]
    if not may_fork:
        return [*thread_or_not, *bpf.end(_REFUSED)]
    return [
        *thread_or_not,
        *bpf.end_if(bpf.ANY_BIT, _CLONE_VM, _REFUSED),
        *bpf.mask(_EXIT_SIGNAL),
        *bpf.end_if(bpf.EQUAL, _SIGCHLD, bpf.ALLOW),
        *bpf.end(_REFUSED),
    ]


def _clone_of_programs() -> Block:
    """Allow threads, forks, and children that share memory until they become another program."""
    return [
        *bpf.load_argument(0),
        *bpf.end_if(bpf.ANY_BIT, _CLONE_REFUSED & ~_CLONE_VFORK, _REFUSED),
        *bpf.end_if(bpf.ANY_BIT, _CLONE_THREAD, bpf.ALLOW),
        *bpf.mask(_EXIT_SIGNAL),
        *bpf.end_if(bpf.EQUAL, _SIGCHLD, bpf.ALLOW),
        *bpf.end(_REFUSED),
    ]


def _pair() -> Block:
    """Allow stream pairs between the process's own descriptors, because asyncio needs one. A datagram socket could send
    to any path."""
    return [
        *bpf.load_argument(0),
        *bpf.when(
            _AF_UNIX,
            [
                *bpf.load_argument(1),
                *bpf.mask(_SOCK_TYPE),
                *bpf.end_if(bpf.EQUAL, _SOCK_STREAM, bpf.ALLOW),
                *bpf.end(_REFUSED),
            ],
        ),
        *bpf.end(_REFUSED),
    ]


def _open(flags: int) -> Block:
    """Refuse O_TRUNC without write access, which truncates the file nevertheless; before ABI 3 Landlock does not see
    it."""
    return [
        *bpf.load_argument(flags),
        *bpf.mask(_O_TRUNC_AND_ACCESS),
        *bpf.end_if_any((_O_TRUNC, _O_TRUNC | _O_NO_ACCESS), _REFUSED),
        *bpf.end(bpf.ALLOW),
    ]


def _only(argument: int, value: int) -> Block:
    return [*bpf.load_argument(argument), *bpf.end_if(bpf.EQUAL, value, bpf.ALLOW), *bpf.end(_REFUSED)]


def _only_both(first: int, second: int) -> Block:
    return [*bpf.load_argument(0), *bpf.when(first, _only(1, second)), *bpf.end(_REFUSED)]


def _all_but(argument: int, values: tuple[int, ...]) -> Block:
    return [*bpf.load_argument(argument), *bpf.end_if_any(values, _REFUSED), *bpf.end(bpf.ALLOW)]
