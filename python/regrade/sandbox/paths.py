"""The files that user code may read and write."""

from __future__ import annotations

import os
import sys

from regrade.sandbox.landlock import CHANGE, READ, READ_DIR, READ_FILE, TRUNCATE, WRITE_FILE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from regrade.sandbox.landlock import Grant
    from regrade.sandbox.settings import Settings

#: Shared libraries, and the files by which they are found. Stores of immutable packages (Nix, Guix) hold nothing secret
#: by design.
_LIBRARIES = (
    *("/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib32", "/usr/lib64"),
    *("/usr/local/lib", "/usr/local/lib64", "/etc/ld.so.cache", "/nix/store", "/gnu/store"),
)
#: Time zones, locales, file types, what OpenSSL reads when hashlib is imported, and what numeric libraries look up.
DATA = (
    *("/usr/share/zoneinfo", "/usr/share/lib/zoneinfo", "/etc/zoneinfo", "/etc/localtime", "/etc/timezone"),
    *("/usr/share/locale", "/usr/share/i18n", "/etc/locale.alias", "/etc/mime.types", "/etc/os-release"),
    *("/etc/ssl/openssl.cnf", "/etc/pki/tls/openssl.cnf", "/etc/crypto-policies/back-ends"),
    *("/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system/cpu"),
)
SOURCES = ("/dev/urandom", "/dev/random")
SINKS = ("/dev/null", "/dev/zero")
_REGRADE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def find_access(settings: Settings) -> tuple[list[Grant], list[str]]:
    """Return what user code needs (Python, the system's data about time and language, the settings' paths), and which
    paths of the settings and of ``sys.path`` are not granted."""
    packages, strangers = _packages()
    own, refused = _own(settings.read)
    readable = dict.fromkeys([*_LIBRARIES, *DATA, *SOURCES, _REGRADE, sys.executable, *packages])
    grants = [(path, READ) for path in readable]
    grants += [(path, READ_FILE | WRITE_FILE | TRUNCATE) for path in SINKS]
    return [*grants, *own, (settings.write, CHANGE)], [*strangers, *refused]


def writable(folder: str) -> list[Grant]:
    """Return where a fork with a private folder may write."""
    return [(folder, CHANGE), *((path, WRITE_FILE | TRUNCATE) for path in SINKS)]


def _packages() -> tuple[list[str], list[str]]:
    """The interpreter's ``lib`` folders, and the other folders of ``sys.path``. An "editable" package puts a folder of
    the repository into the path, possibly the whole repository; such a folder must be named in the manifest."""
    bases = dict.fromkeys((sys.base_prefix, sys.base_exec_prefix))
    libraries = [os.path.join(base, lib) for base in bases for lib in ("lib", "lib64")]
    homes = dict.fromkeys((*bases, sys.prefix, sys.exec_prefix, "/usr", "/usr/local"))
    starts = tuple(os.path.join(home, "lib") for home in homes)
    packages = []
    strangers = []
    for path in (os.path.dirname(os.__file__), *sys.path):
        if path.startswith(starts):
            packages.append(path)
        elif path and path != os.path.dirname(_REGRADE) and os.path.exists(path):
            strangers.append(path)
    covered = (*(f"{path}{os.sep}" for path in libraries), "/usr/lib/", "/usr/local/lib/")
    return libraries + [path for path in packages if not path.startswith(covered)], strangers


def _own(paths: Iterable[str]) -> tuple[list[Grant], list[str]]:
    grants: list[Grant] = []
    refused: list[str] = []
    for path in paths:
        real = os.path.realpath(path)
        if ".git" in real.split(os.sep):
            refused.append(path)
        else:
            grants += _beneath(real)
    return grants, refused


def _beneath(path: str) -> Iterator[Grant]:
    """Yield grants for a path with everything beneath it. For the root of a repository, or a folder that contains a
    home or the system, entries that begin with a dot are excluded: git's credentials, ``.env``, earlier runs. Their
    names can still be listed, which importing from the folder requires."""
    inside = path.rstrip(os.sep) + os.sep
    home = f"{_home()}{os.sep}"
    if not home.startswith(inside) and not os.path.lexists(f"{inside}.git"):
        yield path, READ
        return
    yield path, READ_DIR
    above_homes = home.startswith(inside) and home != inside
    with os.scandir(path) as entries:
        for entry in entries:
            if entry.name.startswith(".") or entry.is_symlink() or (above_homes and not entry.is_file()):
                continue
            yield entry.path, READ


def _home() -> str:
    """The user's home according to the system; a host's environment does not name it."""
    import pwd

    try:
        return os.path.realpath(pwd.getpwuid(os.getuid()).pw_dir)
    except KeyError:  # a user that the system does not know, as in containers
        return "/root"
