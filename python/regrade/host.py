"""The host: loads one program, then answers jobs until Node closes the channel.

Frames in: ``{"type": "load", "key", "program": "grader" | "preprocessor" | "regex" | "held", …}`` once. Then jobs,
each a line of JSON: ``{"type": "batch", "first": n}`` and a line for each job, numbered n, n + 1, … A job of many
lines comes as ``{"type": "open", "n"}``, any number of ``{"type": "part", "n"}`` with lines, and ``{"type": "go",
"n"}``. ``{"type": "stop", "n"}`` gives such a job up. ``{"type": "answer", "n", "ask"}`` and a line answers a question.

Frames out: ``hello``, where the command line asks for it; ``ready`` or ``refused``. Then a head in one line, and lines
that came from where user code runs: ``{"key", "ns": […]}`` with an answer a line for these jobs; ``{"key", "n", "part":
true}`` and ``{"key", "n", "end": true}`` with the lines of one job; ``{"key", "n", "fault"}`` for a job that ended its
process; ``{"key", "n", "ask": i}`` with a question for a model; ``{"key", "goes_on": true}``. ``key`` is the load
frame's: text that looks like a frame has none.
"""

from __future__ import annotations

import faulthandler
import gc
import os
import sys
from importlib import import_module

from regrade.capture import Capture
from regrade.codec import decode, encode
from regrade.frames import Channel
from regrade.plain import shown
from regrade.program import Program
from regrade.timer import Timer, TimeUp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

    from regrade.load import Loaded, Refused, Wanted
    from regrade.sandbox import Report

#: Windows has no fork.
_FORKS = hasattr(os, "fork")


def serve(reads_from: int, writes_to: int) -> NoReturn:
    """Serve one program, then end at once: running threads and exit handlers of user code do not delay the end."""
    gc.disable()
    channel = Channel(reads_from, writes_to)
    if sys.argv[1:] == ["hello"]:
        _say_hello(channel)
    faulthandler.enable()
    try:
        text = channel.read()
        if text is not None:
            _serve_program(channel, decode(text))
    except BaseException as error:
        # The channel is gone, or user code closed it. Node reads the last lines of descriptor 2.
        os.write(2, f"the host ended: {type(error).__name__}: {error}\n".encode("utf-8", "replace"))
        os._exit(70)
    os._exit(0)


def _say_hello(channel: Channel) -> None:
    """Report which Python this is, for a host that was started before a job was known."""
    version = list(sys.version_info[:3])
    channel.write(encode({"type": "hello", "executable": sys.executable, "version": version}))
    channel.flush()


def _serve_program(channel: Channel, frame: dict[str, object]) -> None:
    Capture().begin()
    if frame["program"] == "regex":
        _collect_from_now()
        _say_ready(channel, frame, None, None)
        _serve_inline(channel, _regex_program(), frame)
        return
    if frame["program"] == "held":
        _serve_held(channel, frame)
        return
    # Import this before user code, whose folder may have modules with the same names.
    if _FORKS:
        from regrade import template  # noqa: F401
    else:
        from regrade import inline  # noqa: F401
    _load(channel, frame)


def _collect_from_now() -> None:
    """Turn the garbage collector on again, and exclude the objects that exist now: our own modules are no garbage."""
    gc.freeze()
    gc.enable()


def _serve_inline(channel: Channel, program: Program, frame: dict[str, object]) -> None:
    from regrade.inline import Inline

    Inline(channel, program, str(frame["key"]), bool(frame["careful"])).serve()


def _serve_in_forks(channel: Channel, program: Program, frame: dict[str, object], hold: Callable[[], None]) -> None:
    from regrade.load import import_late
    from regrade.template import Settings, Template

    alone = bool(frame["careful"]) or frame["isolation"] == "sample"
    home = str(_sandbox_of(frame)["write"]) if frame["isolation"] == "sample" else None
    if alone or program.asks:
        # Each of many forks would import them anew where its code fails.
        import_late()
    settings = Settings(str(frame["key"]), _number(frame["grace_seconds"]), alone, home)
    Template(channel, program, settings, hold).serve()


def _serve_held(channel: Channel, frame: dict[str, object]) -> None:
    """Run programs that grade. The programs are confined; this process is not, because it runs no user code, and it
    ends what they leave behind."""
    from regrade.load import Refused
    from regrade.sandbox import SandboxRefused

    _collect_from_now()
    if not _FORKS:
        _say_refused(channel, frame, Refused("sandbox", "programs that grade need a system that can fork: not Windows"))
        return
    from regrade.fork import load_unheld
    from regrade.programs import fence_of, runner_of

    try:
        fence = fence_of(frame)
    except SandboxRefused as refused:
        _say_refused(channel, frame, Refused("sandbox", str(refused)))
        return
    _say_ready(channel, frame, None, fence.report)
    _serve_in_forks(channel, runner_of(fence), frame, load_unheld())


def _load(channel: Channel, frame: dict[str, object]) -> None:
    """Enter the sandbox, import the code, report the result, and serve it."""
    from regrade.load import Refused
    from regrade.sandbox import SandboxRefused, enter, read_settings

    if frame["program"] == "preprocessor":
        from regrade.preprocess import preprocessor_program as program_of
        from regrade.preprocess import wanted_of
    else:
        from regrade.grading import grader_program as program_of
        from regrade.grading import wanted_of
    if frame["kind"] == "builtin":
        import_module(f"regrade.graders.{frame['name']}")
    try:
        report = enter(read_settings(_sandbox_of(frame)))
    except SandboxRefused as refused:
        _say_refused(channel, frame, Refused("sandbox", str(refused)))
        return
    # Not earlier: our own modules are cached as bytecode, which saves a third of the start.
    sys.dont_write_bytecode = True
    _collect_from_now()
    hold = _hold_of(report)
    loaded = _load_timed(frame, wanted_of(frame))
    if isinstance(loaded, Refused):
        _say_refused(channel, frame, loaded)
        return
    frame["isolation"] = frame["isolation"] or ("sample" if loaded.runs_text else "chunk")
    _say_ready(channel, frame, loaded, report)
    program = program_of(loaded, frame)
    if _FORKS:
        _serve_in_forks(channel, program, frame, hold)
    else:
        _serve_inline(channel, program, frame)


def _sandbox_of(frame: dict[str, object]) -> dict[str, object]:
    """Settings of the sandbox; user code may also read its own folder."""
    sandbox = frame["sandbox"]
    given: dict[str, object] = sandbox if isinstance(sandbox, dict) else {}
    read = given.get("read")
    if frame["kind"] != "file" or not isinstance(read, list):
        return given
    return {**given, "read": [os.path.dirname(os.path.realpath(str(frame["path"]))), *read]}


def _hold_of(report: Report) -> Callable[[], None]:
    """Return what every fork does before user code runs in it."""
    from regrade.sandbox import tighten

    if "seccomp" in report.level or not _FORKS:
        return tighten
    from regrade.fork import load_unheld

    unheld = load_unheld()

    def hold() -> None:
        unheld()
        tighten()

    return hold


def _say_ready(channel: Channel, frame: dict[str, object], loaded: Loaded | None, report: Report | None) -> None:
    sandbox = None if report is None else {"level": report.level, "details": report.details}
    files, runs_text = ([], None) if loaded is None else (loaded.files, loaded.runs_text)
    said = {"type": "ready", "key": frame["key"], "files": files, "sandbox": sandbox, "runs_text": runs_text}
    channel.write(encode(said))
    channel.flush()


def _say_refused(channel: Channel, frame: dict[str, object], refused: Refused) -> None:
    channel.write(encode({"type": "refused", "key": frame["key"], **vars(refused)}))
    channel.flush()


def _load_timed(frame: dict[str, object], wanted: Wanted) -> Loaded | Refused:
    from regrade.load import Refused, load_code

    seconds = _number(frame["load_timeout_seconds"])
    timer = Timer()
    try:
        timer.take_signal()
        timer.start(seconds)
        try:
            return load_code(frame, wanted)
        finally:
            timer.stop()
    except TimeUp:
        return Refused("load_timeout", f"it is not imported within {seconds:g} s")


def _regex_program() -> Program:
    """Return the program for regexes. Jobs are ``{"check": spec}`` and ``{"search": spec, "text": …}``; patterns are
    the only user code."""
    from regrade import explode, regex

    def work(lines: list[str], _ask: object) -> list[str]:
        asked = decode(lines[0])
        if "check" in asked:
            return [encode({"problem": regex.check(asked["check"])})]
        if "probe" in asked:
            explode.probe(regex.compiled(asked["probe"]))
            return [encode({"problem": None})]
        return [encode(regex.search(asked["search"], asked["text"]))]

    def on_fault(error: BaseException) -> str:
        if isinstance(error, TimeUp):
            return '{"timeout":true}'
        return encode({"error": f"{type(error).__name__}: {shown(error)}"})

    return Program(work, on_fault, 1.0)


def _number(value: object) -> float:
    if isinstance(value, (int, float)):
        return float(value)
    raise TypeError(f"no number: {value!r}")
