"""Finds the files that a program behind a fence may use, and refuses those that would reveal how it is judged."""

from __future__ import annotations

import functools
import json
import os
import stat

from regrade.sandbox import landlock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from regrade.sandbox.landlock import Grant

_SYSTEM = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc", "/nix/store", "/gnu/store"),
    *("/run/systemd/resolve", "/sys/devices/system", "/sys/fs/cgroup"),
    # Workflows install Python, Node and others here: on GitHub's machines, and in their containers.
    *("/opt/hostedtoolcache", "/__t"),
)
#: The part of /proc that describes the machine, and no other process.
_MACHINE = tuple(
    f"/proc/{name}" for name in ("cpuinfo", "meminfo", "stat", "version", "filesystems", "loadavg", "uptime", "sys")
)
_SOURCES = ("/dev/urandom", "/dev/random")
_SINKS = ("/dev/null", "/dev/zero", "/dev/full", "/dev/tty")
_READ = landlock.READ | landlock.EXECUTE
_CHANGE = landlock.CHANGE | landlock.EXECUTE | landlock.MAKE_SOCK
_SHEBANG_BYTES = 256
#: Start of each run.json, in its first line.
_RUN = b'"regrade.run/'
_RUN_BYTES = 256


#: Files that mark virtual environments of Python and of conda.
_ENVIRONMENTS = ("pyvenv.cfg", "conda-meta")


class Settings:
    """The settings, all with absolute paths. ``read`` and ``write``: granted. ``listed``: folders whose names may be
    listed. ``programs``: names or paths of programs, granted with the folders in which they are installed. ``copied``:
    folders that are granted as copies. ``homes``: folders in which no programs are installed. ``around``: a grant may
    lie inside it, but not contain it. ``withheld``: a grant may do neither. The last two come with names for
    messages."""

    def __init__(self, text: str) -> None:
        asked = json.loads(text)
        self.read: list[str] = asked["read"]
        self.write: list[str] = asked["write"]
        self.listed: list[str] = asked["listed"]
        self.programs: list[str] = asked["programs"]
        self.copied: list[str] = asked["copied"]
        self.homes: list[str] = asked["homes"]
        self.around: list[tuple[str, str]] = [(path, what) for path, what in asked["around"]]
        self.withheld: list[tuple[str, str]] = [(path, what) for path, what in asked["withheld"]]


class Refused(Exception):
    """A grant that would reveal how the program is judged. ``path`` is None if the system's own folders would reveal
    it."""

    def __init__(self, path: str | None, holds: str) -> None:
        super().__init__(f"{path or 'the system'} would be granted, which holds {holds}")
        self.path = path
        self.holds = holds


def find_grants(settings: Settings) -> list[Grant]:
    """Return what the program is granted; raise Refused if that is too much."""
    secrets = _Secrets(settings)
    for path in _SYSTEM:
        secrets.refuse(path, is_system=True)
    own = dict.fromkeys([*settings.read, *_programs(settings, secrets)])
    for path in own:
        secrets.refuse(path)
    for path in settings.copied:
        secrets.refuse_beneath(path)
    grants = [(os.path.realpath(path), _READ) for path in (*_SYSTEM, *_MACHINE, *own)]
    grants += [(path, landlock.READ_FILE) for path in _SOURCES]
    grants += [(path, landlock.READ_FILE | landlock.WRITE_FILE | landlock.TRUNCATE) for path in _SINKS]
    grants += [(os.path.realpath(path), _CHANGE) for path in settings.write]
    # Only the names: within these folders only the granted files can be read.
    return [*grants, *((os.path.realpath(path), landlock.READ_DIR) for path in settings.listed)]


class _Secrets:
    """Files and folders that no grant may contain. Files are also known by their inode, because a file may have several
    names."""

    def __init__(self, settings: Settings) -> None:
        self._homes = [os.path.realpath(path) for path in (*settings.homes, *_homes())]
        self._around = [(os.path.realpath(path), what) for path, what in settings.around]
        self._withheld = [(os.path.realpath(path), what) for path, what in settings.withheld]
        self._files = {
            number: what for path, what in self._withheld for number in [_number_of(path)] if number is not None
        }

    def refuse(self, path: str, *, is_system: bool = False) -> None:
        held = self.held_by(os.path.realpath(path))
        if held is not None:
            raise Refused(None if is_system else path, held)

    def is_home(self, real: str) -> bool:
        """Return whether a folder is a home, or contains one."""
        return any(_is_in(home, real) for home in self._homes)

    def is_around(self, real: str) -> bool:
        """Return whether a path is inside the checkout."""
        return any(_is_in(real, folder) for folder, _ in self._around)

    def refuse_beneath(self, folder: str) -> None:
        """Refuse a folder also because of its content: other names of withheld files."""
        self.refuse(folder)
        for above, _, names in os.walk(folder):
            for name in names:
                held = self._files.get(_number_of(os.path.join(above, name)) or (0, 0))
                if held is not None:
                    raise Refused(folder, held)

    def held_by(self, real: str) -> str | None:
        """Return the secret that a grant would reveal; None if there is none."""
        if ".git" in real.split("/"):
            return "git's own files"
        for secret, what in (*self._withheld, *self._around):
            if _is_in(secret, real):
                return what
        for secret, what in self._withheld:
            if _is_in(real, secret):
                return what
        number = _number_of(real)
        if number is None:
            return None
        return self._files.get(number) or _run_of(real)


@functools.cache
def _is_run(folder: str) -> bool:
    """Return whether a folder is a run directory of Regrade: answers with their scores."""
    try:
        with open(os.path.join(folder, "run.json"), "rb") as file:
            return _RUN in file.read(_RUN_BYTES)
    except OSError:
        return False


def _run_of(file: str) -> str | None:
    folder = os.path.dirname(file)
    return f"the run in {folder}" if _is_run(folder) or _is_run(os.path.dirname(folder)) else None


def _is_in(path: str, folder: str) -> bool:
    return f"{path}/".startswith(folder.rstrip("/") + "/")


def _number_of(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return (found.st_dev, found.st_ino) if stat.S_ISREG(found.st_mode) else None


def _programs(settings: Settings, secrets: _Secrets) -> Iterable[str]:
    for name in settings.programs:
        found = _which(name)
        if found is None:
            continue
        yield from _installed(os.path.abspath(found), secrets)
        interpreter = interpreter_of(found)
        if interpreter is not None:
            yield from _installed(os.path.abspath(interpreter), secrets)


def _homes() -> list[str]:
    """The user's home according to the system; the environment of the program names another one."""
    try:
        import pwd
    except ImportError:  # Windows
        return []
    try:
        return ["/root", pwd.getpwuid(os.getuid()).pw_dir]
    except KeyError:  # a user that the system does not know, as in containers
        return ["/root"]


def _which(name: str) -> str | None:
    """Find a program like ``shutil.which``. Importing that module takes as long as everything else here, and a fence is
    set up for each sample."""
    folders = [""] if "/" in name else (os.environ.get("PATH") or os.defpath).split(os.pathsep)
    for path in (os.path.join(folder, name) for folder in folders):
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    return None


def _installed(program: str, secrets: _Secrets) -> Iterable[str]:
    """The program, the targets of its links, and the folder in which it is installed: node_modules, or the folder that
    contains its ``bin``. A folder that contains a home or a secret is not used; then only the program's file is
    granted."""
    for path in dict.fromkeys((program, os.path.realpath(program))):
        yield path
        above, _, inside = path.partition("/node_modules/")
        folder = os.path.dirname(path)
        if inside:
            yield f"{above}/node_modules"
        elif os.path.basename(folder) == "bin" and _is_prefix(os.path.dirname(folder), secrets):
            yield os.path.dirname(folder)


def _is_prefix(folder: str, secrets: _Secrets) -> bool:
    """Return whether programs are installed in a folder; inside the checkout, only a folder made for that purpose
    counts."""
    real = os.path.realpath(folder)
    if secrets.is_around(real) and not any(os.path.lexists(os.path.join(real, name)) for name in _ENVIRONMENTS):
        return False
    is_own = folder == "/" or folder.endswith("/.local") or secrets.is_home(real)
    return not is_own and secrets.held_by(real) is None


def interpreter_of(program: str) -> str | None:
    """The interpreter that a script names in its first line, directly or through ``env``."""
    try:
        with open(program, "rb") as file:
            first = file.read(_SHEBANG_BYTES).partition(b"\n")[0]
    except OSError:
        return None
    if not first.startswith(b"#!"):
        return None
    words = first[2:].decode("utf-8", "replace").split()
    if words and os.path.basename(words[0]) == "env":
        named = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
        return _which(named[0]) if named else None
    return words[0] if words else None
