"""Runs a program behind a fence: files that it is not granted are closed to it and to all that it starts.

``python3 -I fence.py SETTINGS WORD…`` runs the words; without words it tries whether they could be run so. SETTINGS is
JSON: ``read``, ``write``, ``listed`` and ``hidden``, lists of absolute paths, and ``programs``, names or paths of what
is granted with the folders that it is installed in.

Not held: the network, sockets that have a path (a Docker socket that the user may use gives the whole machine away),
names, sizes and times of files, and the command lines of other processes where /proc can be listed otherwise.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from regrade.sandbox import landlock, probe
from regrade.sandbox.kernel import Kernel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from regrade.sandbox.landlock import Grant

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
#: The shell's code for a command that can't be run.
_REFUSED = 126
#: From the first signal to the last: less than what Regrade gives a program.
_GRACE_SECONDS = 0.3

#: Before it, files that are closed could be cut short (Linux 6.2).
_LEAST_ABI = 3

_SYSTEM = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc", "/nix/store", "/gnu/store"),
    *("/run/systemd/resolve", "/sys/devices/system", "/sys/fs/cgroup"),
)
#: Of /proc no other process: only what tells of the machine.
_MACHINE = tuple(
    f"/proc/{name}" for name in ("cpuinfo", "meminfo", "stat", "version", "filesystems", "loadavg", "uptime", "sys")
)
_SOURCES = ("/dev/urandom", "/dev/random")
_SINKS = ("/dev/null", "/dev/zero", "/dev/full", "/dev/tty")
_READ = landlock.READ | landlock.EXECUTE
_CHANGE = landlock.CHANGE | landlock.EXECUTE | landlock.MAKE_SOCK


def main(arguments: list[str]) -> int:
    """Run the program; return its exit code, or 126 with the reason on stderr."""
    settings, *words = arguments
    asked: dict[str, list[str]] = json.loads(settings)
    offer = probe()
    if not offer.landlock_abi:
        return _refuse(f"{offer.system} has no Landlock, or it is turned off")
    if offer.landlock_abi < _LEAST_ABI:
        return _refuse(f"Landlock of {offer.system} can't keep files from being cut short; Linux 6.2 can")
    if not os.path.exists(_children_file()):
        return _refuse(f"{offer.system} does not list the children of a process, so that they could be ended")
    grants = _grants(asked)
    for path, _ in grants:
        if ".git" in path.split("/"):
            return _refuse(f"{path} would be granted, which is git's own")
        held = _held_by(path, asked["hidden"])
        if held is not None:
            return _refuse(f"{path} would be granted, which holds {held}")
    # Names alone: of what lies in them only the granted files can be read.
    grants += [(os.path.realpath(path), landlock.READ_DIR) for path in asked["listed"]]
    kernel = Kernel()
    kernel.control(_PR_SET_CHILD_SUBREAPER, 1)
    kernel.control(_PR_SET_PDEATHSIG, signal.SIGTERM)
    # Blocked from before the fork: a signal in between must not end the launcher alone.
    signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
    child = os.fork()
    if child == 0:
        _become(words, kernel, (min(offer.landlock_abi, landlock.NEWEST_ABI), grants))
    # After the fork: the program's own part of /proc stays open to it.
    kernel.hide_memory()
    return _wait(child)


_ENDING = frozenset((signal.SIGTERM, signal.SIGINT, signal.SIGHUP))


def _refuse(why: str) -> int:
    print(f"the fence can't be put up: {why}", file=sys.stderr)
    return _REFUSED


def _grants(asked: dict[str, list[str]]) -> list[Grant]:
    read = [*_SYSTEM, *_MACHINE, *asked["read"]]
    for name in asked["programs"]:
        found = shutil.which(name)
        if found is not None:
            read += _installed(os.path.abspath(found), asked["hidden"])
    grants = [(os.path.realpath(path), _READ) for path in dict.fromkeys(read)]
    grants += [(path, landlock.READ_FILE) for path in _SOURCES]
    grants += [(path, landlock.READ_FILE | landlock.WRITE_FILE | landlock.TRUNCATE) for path in _SINKS]
    return [*grants, *((os.path.realpath(path), _CHANGE) for path in asked["write"])]


def _installed(program: str, hidden: list[str]) -> list[str]:
    """The program, where links lead, and the folder that it is installed in: node_modules, or the one that has its
    ``bin``. A folder that holds a home or hidden files is not one; then the program's file must do."""
    found = [program, os.path.realpath(program)]
    for path in tuple(found):
        above, _, inside = path.partition("/node_modules/")
        folder = os.path.dirname(path)
        if inside:
            found.append(f"{above}/node_modules")
        elif os.path.basename(folder) == "bin":
            prefix = os.path.dirname(folder)
            homes = [os.environ.get("HOME") or "/root", os.path.expanduser("~"), "/root", *hidden]
            if prefix != "/" and not prefix.endswith("/.local") and _held_by(os.path.realpath(prefix), homes) is None:
                found.append(prefix)
    return found


def _held_by(folder: str, paths: list[str]) -> str | None:
    start = folder.rstrip("/") + "/"
    return next((path for path in paths if (os.path.realpath(path) + "/").startswith(start)), None)


def _become(words: list[str], kernel: Kernel, fence: tuple[int, list[Grant]]) -> None:
    abi, grants = fence
    try:
        kernel.never_gain_rights()
        own = (f"/proc/{os.getpid()}", landlock.READ)
        landlock.restrict_files(kernel, abi, [*grants, own])
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)
        # Python ignores this one; programs expect it to end them.
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        if words:
            os.execvp(words[0], words)
        os._exit(0)
    except OSError as error:
        os._exit(_refuse(str(error)))


def _wait(child: int) -> int:
    """Wait for the child or for a signal; then end all that is left of it, whatever group or session it is in."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    status: int | None = None
    while status is None:
        ended = _reap(child)
        if isinstance(ended, int):
            status = ended
        elif signal.sigwait({*_ENDING, signal.SIGCHLD}) in _ENDING:
            break
    if status is None:
        status = _end_gently(child)
    _end_all()
    code = os.waitstatus_to_exitcode(status)
    if code >= 0:
        return code
    return 128 - code


def _reap(child: int) -> int | None:
    """Take note of all that ended; the child's status if it is among them."""
    found = None
    while True:
        try:
            process, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return found
        if process == 0:
            return found
        if process == child:
            found = status


def _end_gently(child: int) -> int:
    for process in _children():
        _signal(process, signal.SIGTERM)
    latest = time.monotonic() + _GRACE_SECONDS
    while time.monotonic() < latest:
        status = _reap(child)
        if status is not None:
            return status
        time.sleep(0.01)
    return int(signal.SIGKILL)


def _end_all() -> None:
    """What loses its parent becomes a child of this process: there is an end when none is left."""
    while True:
        for process in _children():
            _signal(process, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def _children() -> list[int]:
    with open(_children_file(), encoding="ascii") as file:
        return [int(each) for each in file.read().split()]


def _children_file() -> str:
    own = os.getpid()
    return f"/proc/{own}/task/{own}/children"


def _signal(process: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, number)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
