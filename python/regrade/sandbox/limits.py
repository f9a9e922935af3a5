"""Resource limits of a sandboxed process, and closing of inherited file descriptors."""

from __future__ import annotations

import os

_MIB = 1024 * 1024

#: Pairs of a limit of the resource module and its value: private memory, with room for a large library; address space,
#: because memory may be shared; size of a file; open files; no core dump, which would contain the data. There is no
#: limit of processor time: each sample has a time-out, and a host lives as long as the run. There is no limit of
#: processes: it counts all of a user's on the machine, and has no effect on root; the filter of a fork refuses new
#: ones.
LIMITS = (
    ("RLIMIT_DATA", 2048 * _MIB),
    ("RLIMIT_AS", 16384 * _MIB),
    ("RLIMIT_FSIZE", 1024 * _MIB),
    ("RLIMIT_NOFILE", 1024),
    ("RLIMIT_CORE", 0),
)


#: Limits of a program that may start others: all processes and threads of this user together. They have no effect on
#: root.
LIMITS_OF_PROGRAMS = (*LIMITS, ("RLIMIT_NPROC", 8192))


def limit_resources(limits: tuple[tuple[str, int], ...] = LIMITS) -> list[str]:
    """Lower the limits for good. Returns the names of those that the system has but did not accept."""
    try:
        import resource
    except ImportError:  # Windows
        return [name for name, _ in limits]
    failed = []
    for name, most in limits:
        which = getattr(resource, name, None)
        if which is None:
            continue
        try:
            _, hard = resource.getrlimit(which)
            value = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(which, (value, value))
        except (OSError, ValueError):
            failed.append(name)
    return failed


def close_inherited() -> None:
    """Close the descriptors beyond 0, 1 and 2 that the parent left open. Descriptors that Python opened itself are
    closed in new programs, so the others must have been inherited."""
    for descriptor in _open_descriptors():
        try:
            if descriptor > 2 and os.get_inheritable(descriptor):
                os.close(descriptor)
        except OSError:
            continue


def be_killed_first() -> None:
    """Make the system kill this process, and not the run, when memory runs out."""
    try:
        with open("/proc/self/oom_score_adj", "w") as file:
            file.write("1000")
    except OSError:
        return


def _open_descriptors() -> list[int]:
    try:
        return [int(name) for name in os.listdir("/proc/self/fd")]
    except OSError:
        return list(range(3, 1024))
