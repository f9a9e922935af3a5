"""Attempts to get out of the sandbox. ``regrade doctor`` runs them on this machine, as a grader.

Each uses targets that were made for it, changes nothing else, and leaves no trace: its signal is the empty one, and its
mount is undone. Each attempt needs a separate process, because some change the process that makes them.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import socket
import stat
import subprocess
from collections.abc import Callable, Mapping
from typing import TypedDict


class Targets(TypedDict, total=False):
    """Targets of the escape attempts: paths, ports and a process. An attempt without a target is skipped."""

    #: The process that has the secrets.
    parent: int
    github_env: str
    github_output: str
    git_config: str
    home: str
    neighbour: str
    #: Files that others may read; the attempts write to them, and set their mode and times.
    workspace: str
    own: str
    dist: str
    #: Folders for mounting and for creating a file.
    folder: str
    tcp: int
    udp: int
    dns: int
    unix: str
    unix_datagram: str
    #: A program with the set-uid bit that prints its user, and the user that it prints if the attempt worked.
    setuid: list[str]
    #: A text that can be read from an inherited descriptor.
    descriptor: str


class Outcome(TypedDict):
    """``held``: the attempt failed. ``out``: it worked. ``absent``: this machine lacks what it needs."""

    escape: str
    outcome: str
    said: str


class Absent(Exception):
    """This machine lacks what the attempt needs."""


Attempt = Callable[[Targets], str]


def attempt(name: str, targets: Targets) -> Outcome:
    """Make one attempt of ``ESCAPES``."""
    try:
        said = ESCAPES[name](targets)
    except Absent as missing:
        return {"escape": name, "outcome": "absent", "said": str(missing)}
    except KeyError:
        return {"escape": name, "outcome": "absent", "said": "nothing here to try it with"}
    except OSError as error:
        return {"escape": name, "outcome": "held", "said": error.strerror or str(error)}
    return {"escape": name, "outcome": "out", "said": said}


def grade(_sample: object, item: Mapping[str, object]) -> dict[str, object]:
    """Act as a grader: a row has ``escape`` and ``targets``; the score ``held`` is 0 if the attempt worked. Without
    ``escape`` the judge payload lists all attempts."""
    if item["escape"] is None:
        return {"scores": {"held": 1.0}, "judge": {"escapes": list(ESCAPES)}}
    targets = item["targets"]
    if not isinstance(targets, dict):
        raise TypeError("targets is no object")
    outcome = attempt(str(item["escape"]), targets)  # type: ignore[arg-type]
    return {"scores": {"held": 0.0 if outcome["outcome"] == "out" else 1.0}, "judge": outcome}


def _environment(targets: Targets) -> str:
    return _read(f"/proc/{targets['parent']}/environ")


def _arguments(targets: Targets) -> str:
    return _read(f"/proc/{targets['parent']}/cmdline")


def _memory(targets: Targets) -> str:
    os.close(os.open(f"/proc/{targets['parent']}/mem", os.O_RDONLY))
    return "opened"


def _read(path: str) -> str:
    with open(path, "rb") as file:
        return f"read {len(file.read(4096))} bytes"


def _append(path: str) -> str:
    with open(path, "ab") as file:
        file.write(b"#\n")
    return "written"


def _mode(path: str) -> str:
    os.chmod(path, stat.S_IMODE(os.stat(path).st_mode) ^ stat.S_IXOTH)
    return "changed"


def _times(path: str) -> str:
    os.utime(path, (1, 1))
    return "changed"


def _attribute(path: str) -> str:
    if not hasattr(os, "setxattr"):
        raise Absent("no extended attributes")
    try:
        os.setxattr(path, "user.regrade", b"1")
    except OSError as error:
        if error.strerror == os.strerror(95):  # EOPNOTSUPP
            raise Absent("the file system has no extended attributes") from None
        raise
    return "changed"


def _cut(path: str) -> str:
    """Truncate a file that may only be read, without asking for write access."""
    os.close(os.open(path, os.O_RDONLY | os.O_TRUNC))
    return "cut"


def _create(targets: Targets) -> str:
    path = os.path.join(targets["folder"], "regrade-escape")
    with open(path, "w"):
        pass
    os.remove(path)
    return "created"


def _link(targets: Targets) -> str:
    """Make a second name, in a writable folder, for a file that may only be read."""
    path = os.path.join(os.environ.get("TMPDIR", "/tmp"), "regrade-escape-link")
    os.link(targets["own"], path)
    try:
        return _append(path)
    finally:
        os.remove(path)


def _tcp(targets: Targets) -> str:
    with socket.create_connection(("127.0.0.1", targets["tcp"]), 2):
        return "connected"


def _listen(_targets: Targets) -> str:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        return "listens"


def _udp(targets: Targets) -> str:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.sendto(b"x", ("127.0.0.1", targets["udp"]))
        return "sent"


def _dns(targets: Targets) -> str:
    """Send a query for the address of example.com."""
    query = b"\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x07example\x03com\x00\x00\x01\x00\x01"
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asker:
        asker.settimeout(2)
        asker.sendto(query, ("127.0.0.1", targets["dns"]))
        return f"answered with {len(asker.recv(512))} bytes"


def _unix(targets: Targets) -> str:
    with socket.socket(socket.AF_UNIX) as speaker:
        speaker.connect(targets["unix"])
        return "connected"


def _unix_datagram(targets: Targets) -> str:
    """Send through a pair of sockets. A pair is allowed for internal use, but a datagram socket could reach any other
    socket."""
    path = targets["unix_datagram"]
    one, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    with one, other:
        one.sendto(b"x", path)
        return "sent"


def _netlink(_targets: Targets) -> str:
    if not hasattr(socket, "AF_NETLINK"):
        raise Absent("no netlink")
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0):
        return "opened"


def _signal(targets: Targets) -> str:
    os.kill(targets["parent"], 0)
    return "may signal"


def _limit(targets: Targets) -> str:
    """Set limits of another process, which could not continue with fewer open files. They are set to their current
    values."""
    import resource

    if not hasattr(resource, "prlimit"):
        raise Absent("no prlimit")
    before = resource.prlimit(targets["parent"], resource.RLIMIT_NOFILE)
    resource.prlimit(targets["parent"], resource.RLIMIT_NOFILE, before)
    return "may set limits"


def _trace(targets: Targets) -> str:
    seize = 0x4206  # PTRACE_SEIZE: the other process goes on, and is released when this process ends
    library = _library()
    if library.ptrace(seize, targets["parent"], None, None) != 0:
        raise _error()
    return "traces"


def _vm_read(targets: Targets) -> str:
    """Read an address that the other process does not have: a process that may read there gets EFAULT."""
    library = _library()
    vector = (ctypes.c_void_p * 2)(8, 8)
    if library.process_vm_readv(targets["parent"], vector, 1, vector, 1, 0) < 0 and ctypes.get_errno() != 14:
        raise _error()
    return "may read memory"


def _sudo(_targets: Targets) -> str:
    program = shutil.which("sudo")
    if program is None:
        raise Absent("no sudo")
    if subprocess.run([program, "-n", "true"], capture_output=True, check=False).returncode != 0:
        raise Absent("sudo wants a password")
    return "root by sudo"


def _setuid(targets: Targets) -> str:
    command = targets.get("setuid") or next(
        (
            [path, "--version"]
            for path in map(shutil.which, ("su", "mount", "passwd", "newgrp"))
            if path and os.stat(path).st_mode & stat.S_ISUID
        ),
        None,
    )
    if command is None:
        raise Absent("no set-uid program")
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=5)
    return f"started {command[0]}: {done.stdout[:40].decode('utf-8', 'replace').strip()}"


def _program(_targets: Targets) -> str:
    subprocess.run(["/bin/true"], check=False)
    return "started"


def _process(_targets: Targets) -> str:
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    return "forked"


def _descriptor(targets: Targets) -> str:
    wanted = targets["descriptor"].encode()
    for descriptor in range(3, 1024):
        try:
            found = os.pread(descriptor, 4096, 0)
        except OSError:
            continue
        if wanted in found:
            return f"read through descriptor {descriptor}"
    raise PermissionError(1, "no descriptor has it")


def _mount(targets: Targets) -> str:
    library = _library()
    folder = targets["folder"].encode()
    if library.mount(b"none", folder, b"tmpfs", 0, None) != 0:
        raise _error()
    library.umount2(folder, 0)
    return "mounted"


def _namespace(_targets: Targets) -> str:
    if _library().unshare(0x10000000) != 0:  # CLONE_NEWUSER
        raise _error()
    return "made"


def _library() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _error() -> OSError:
    number = ctypes.get_errno()
    return OSError(number, os.strerror(number))


#: The attempts, in the order in which they are displayed.
ESCAPES: dict[str, Attempt] = {
    "read the run's environment in /proc": _environment,
    "read the run's arguments in /proc": _arguments,
    "open the run's memory in /proc": _memory,
    "read the run's memory": _vm_read,
    "trace the run": _trace,
    "signal the run": _signal,
    "set limits of the run": _limit,
    "write to $GITHUB_ENV": lambda targets: _append(targets["github_env"]),
    "write to $GITHUB_OUTPUT": lambda targets: _append(targets["github_output"]),
    "read .git/config": lambda targets: _read(targets["git_config"]),
    "read the home folder": lambda targets: _read(targets["home"]),
    "read the manifest's neighbours": lambda targets: _read(targets["neighbour"]),
    "write in the workspace": lambda targets: _append(targets["workspace"]),
    "create a file in the workspace": _create,
    "chmod in the workspace": lambda targets: _mode(targets["workspace"]),
    "utime in the workspace": lambda targets: _times(targets["workspace"]),
    "set an attribute in the workspace": lambda targets: _attribute(targets["workspace"]),
    "write in the grader's folder": lambda targets: _append(targets["own"]),
    "write in it by a second name": _link,
    "cut a file of the grader's folder": lambda targets: _cut(targets["own"]),
    "chmod in the grader's folder": lambda targets: _mode(targets["own"]),
    "utime in the grader's folder": lambda targets: _times(targets["own"]),
    "write in dist/": lambda targets: _append(targets["dist"]),
    "chmod in dist/": lambda targets: _mode(targets["dist"]),
    "utime in dist/": lambda targets: _times(targets["dist"]),
    "connect by TCP": _tcp,
    "listen on TCP": _listen,
    "send by UDP": _udp,
    "ask a name server": _dns,
    "connect to a Unix socket": _unix,
    "send to a Unix socket by a pair": _unix_datagram,
    "open a netlink socket": _netlink,
    "become root by sudo": _sudo,
    "start a set-uid program": _setuid,
    "start a program": _program,
    "start a process": _process,
    "read through an inherited descriptor": _descriptor,
    "mount a file system": _mount,
    "make a user namespace": _namespace,
}
