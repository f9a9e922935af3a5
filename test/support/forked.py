"""Runs a program in a fork of a Python that is there already: starter.py's own, started with the flags of a host.

Python starts, and imports the package regrade, once; a host of a grader then takes a third of the processor time. What
the program sees is as if it was started anew, but for /proc, which shows the environment and the command line of
starter.py, and the seed of ``hash``, which all forks share.
"""

import atexit
import builtins
import contextlib
import gc
import os
import signal
import sys
from importlib import import_module
from types import ModuleType

#: How a program may be started, before its file. Without site-packages, in which a test has nothing, or with them.
_FLAGS = ([], ["-S"], ["-I", "-S"], ["-I", "-X", "utf8"], ["-I", "-X", "utf8", "-S"])
#: What a host of a grader imports before user code.
_PACKAGE = ("host", "template", "load", "grading", "batch", "context", "result", "ungraded", "sandbox.hold")
#: Modules that starter.py imports and a program would import anew.
_OWN = ("forked", "socket", "selectors")
_SIGNALS = [each for each in signal.valid_signals() if each not in (signal.SIGKILL, signal.SIGSTOP)]
#: The folder of the package regrade, as starter.ts names it.
_FOLDER = sys.argv[2]


def prepare() -> None:
    """Import what a host imports."""
    sys.path.insert(0, os.path.dirname(_FOLDER))
    for name in _PACKAGE:
        import_module(f"regrade.{name}")
    del sys.path[0]
    # A collection in a fork would write to, and so copy, all that it shares.
    gc.freeze()


def can_run(file: str, arguments: "list[str]", env: "dict[str, str]") -> bool:
    """Tell whether it is a program in a file, one of the package's or a small one, for this Python."""
    flags, program = _split(arguments)
    if flags not in _FLAGS or not program or not _is_file(program[0]):
        return False
    is_plain = "-I" in flags or not any(name.startswith("PYTHON") for name in env)
    return is_plain and _found(file, env) == sys.executable


def _split(arguments: "list[str]") -> "tuple[list[str], list[str]]":
    at = next((at for at, each in enumerate(arguments) if each not in ("-I", "-S", "-X", "utf8")), len(arguments))
    return arguments[:at], arguments[at:]


def _is_file(argument: str) -> bool:
    return argument.endswith(".py") and os.path.isfile(argument)


def _found(file: str, env: "dict[str, str]") -> "str | None":
    if "/" in file:
        return file
    places = (os.path.join(folder, file) for folder in env.get("PATH", os.defpath).split(os.pathsep))
    return next((place for place in places if os.access(place, os.X_OK)), None)


def mode(place: int) -> int:
    """Return how a descriptor of nothing is opened."""
    return os.O_RDONLY if place == 0 else os.O_RDWR


def start(arguments: "list[str]", env: "dict[str, str]", streams: "list[int | None]", session: bool) -> int:
    """Run the program in a fork, in this working directory, and return its id.

    ``streams``: its descriptors, from 0 on; None for one of nothing.
    """
    pid = os.fork()
    if pid > 0:
        return pid
    code = 1
    try:
        _become(env, streams, session)
        flags, program = _split(arguments)
        _look_started(flags, os.path.abspath(program[0]))
        _run(*program)
        code = 0
    except SystemExit as error:
        code = _code_of(error.code)
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        try:
            _end()
        finally:
            os._exit(code)


def _code_of(given: object) -> int:
    if given is None or isinstance(given, int):
        return given or 0
    print(given, file=sys.stderr)
    return 1


def _become(env: "dict[str, str]", streams: "list[int | None]", session: bool) -> None:
    """Take the signals, descriptors and environment that a program started anew would have."""
    if session:
        os.setsid()
    signal.set_wakeup_fd(-1)
    for each in _SIGNALS:
        # The system keeps some to itself.
        with contextlib.suppress(OSError, ValueError):
            signal.signal(each, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for each in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(each, signal.SIG_IGN)
    for place, stream in enumerate(streams):
        source = os.open(os.devnull, mode(place)) if stream is None else stream
        if source != place:
            os.dup2(source, place)
    os.closerange(len(streams), 1024)
    os.environ.clear()
    os.environ.update(env)
    sys.stdin, sys.stdout, sys.stderr = (
        open(place, mode, encoding="utf-8", closefd=False)  # noqa: SIM115 -- they stay open
        for place, mode in enumerate("rww")
    )


def _look_started(flags: "list[str]", file: str) -> None:
    """Make the variables and the modules those of a Python with these flags."""
    if "-S" in flags:
        sys.path[:] = [path for path in sys.path if not path.endswith("-packages")]
    if "-I" not in flags:
        sys.path.insert(0, os.path.dirname(file))
    # PEP 538.
    if not any(os.environ.get(name) for name in ("LC_ALL", "LC_CTYPE", "LANG")):
        os.environ["LC_CTYPE"] = "C.UTF-8"
    if not file.startswith(_FOLDER + os.sep):
        for name in [name for name in sys.modules if name.split(".")[0] == "regrade"]:
            del sys.modules[name]


def _run(file: str, *arguments: str) -> None:
    """Run the file as the main module."""
    sys.argv = [file, *arguments]
    for name in _OWN:
        sys.modules.pop(name, None)
    main = ModuleType("__main__")
    main.__file__ = os.path.abspath(file)
    main.__builtins__ = builtins
    sys.modules["__main__"] = main
    with open(file, "rb") as source:
        code = compile(source.read(), file, "exec")
    gc.unfreeze()
    exec(code, main.__dict__)


def _end() -> None:
    if "threading" in sys.modules:
        sys.modules["threading"]._shutdown()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
