"""The host: loads one program, then answers jobs until Node closes the channel.

Frames in: ``{"type": "load", "key", "program": "grader" | "regex", …}`` once, then batches: a line
``{"type": "batch", "first": n}`` and a line of JSON for each job, numbered n, n + 1, …
Frames out: ``ready`` or ``refused``, then ``{"key", "n", "result", "printed"}`` for each job. ``key`` is the load
frame's: text that looks like a frame has none. Where the load frame says ``careful`` each answer is sent at once, and
the first job without one is the job under way. Else the answers of about a millisecond travel together, which saves a
quarter of the time; when such a host dies, Node gives the jobs without an answer to a careful one.
"""

from __future__ import annotations

import faulthandler
import json
import os
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import NoReturn

from regrade.capture import Capture
from regrade.context import Context
from regrade.faults import read_fault
from regrade.frames import FRAME_LIMIT, Channel
from regrade.load import Loaded, Refused, load_grader
from regrade.plain import encode, shown
from regrade.result import Invalid, read_result
from regrade.timer import Timer, TimeUp

_decode = json.JSONDecoder().decode

#: A job's result as JSON text. Runs user code: may raise anything.
Work = Callable[[str], str]
#: What a job says whose work raised.
OnFault = Callable[[BaseException], str]


@dataclass(frozen=True)
class Program:
    """What a host does with a job."""

    work: Work
    on_fault: OnFault
    timeout_seconds: float


#: Answers wait for each other this long, in seconds.
_TOGETHER = 0.001


def serve(reads_from: int, writes_to: int) -> NoReturn:
    """Serve one program, then end at once: threads left running and exit handlers of user code don't hold it."""
    channel = Channel(reads_from, writes_to)
    faulthandler.enable()
    try:
        _Host(channel).serve()
    except BaseException as error:
        # The channel is gone or was closed by user code. Node reads the last lines of descriptor 2.
        os.write(2, f"the host ended: {type(error).__name__}: {error}\n".encode("utf-8", "replace"))
        os._exit(70)
    os._exit(0)


class _Host:
    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._capture = Capture()
        self._timer = Timer()
        self._process = os.getpid()
        self._together = _TOGETHER
        self._sent_at = 0.0

    def serve(self) -> None:
        text = self._channel.read()
        if text is None:
            return
        frame = _decode(text)
        self._together = 0 if frame["careful"] else _TOGETHER
        self._capture.begin()
        program = self._load(frame)
        self._channel.flush()
        if program is None:
            return
        start = f'{{"key":{encode(frame["key"])},"n":'
        while (text := self._channel.read()) is not None:
            self._run_batch(program, text, start)

    def _load(self, frame: dict[str, object]) -> Program | None:
        if frame["program"] == "regex":
            self._channel.write(encode({"type": "ready", "key": frame["key"], "files": []}))
            return _regex_program()
        loaded = self._load_timed(frame)
        if isinstance(loaded, Refused):
            refused = {"type": "refused", "key": frame["key"], **asdict(loaded)}
            self._channel.write(encode(refused))
            return None
        ready = {"type": "ready", "key": frame["key"], "files": loaded.files}
        self._channel.write(encode(ready))
        return _grader_program(loaded, frame)

    def _load_timed(self, frame: dict[str, object]) -> Loaded | Refused:
        seconds = _number(frame["load_timeout_seconds"])
        try:
            self._timer.take_signal()
            self._timer.start(seconds)
            try:
                return load_grader(frame)
            finally:
                self._timer.stop()
        except TimeUp:
            return Refused("load_timeout", f"it is not imported within {seconds:g} s")

    def _run_batch(self, program: Program, text: str, start: str) -> None:
        self._timer.take_signal()
        head, *jobs = text.split("\n")
        for number, job in enumerate(jobs, int(_decode(head)["first"])):
            self._answer(f"{start}{number}", program, job)
            now = time.monotonic()
            if now - self._sent_at >= self._together:
                self._channel.flush()
                self._sent_at = now
        self._channel.flush()

    def _answer(self, start: str, program: Program, job: str) -> None:
        self._capture.begin()
        result = self._work(program, job)
        if os.getpid() != self._process:
            os._exit(0)  # a fork by user code that came back here: the parent answers
        printed = self._capture.text()
        said = "null" if printed is None else encode(printed)
        if len(result) + len(said) + 200 > FRAME_LIMIT:
            result = Invalid("result_too_large", f"a result of {len(result)} characters").encoded()
        self._channel.write(f'{start},"result":{result},"printed":{said}}}')

    def _work(self, program: Program, job: str) -> str:
        """The clock runs while user code may: in ``grade``, and in the ``repr`` of what it returned."""
        try:
            try:
                self._timer.start(program.timeout_seconds)
                return program.work(job)
            finally:
                self._timer.stop()
        except BaseException as error:
            self._timer.stop()
            return program.on_fault(error)


def _grader_program(loaded: Loaded, frame: dict[str, object]) -> Program:
    metric_id = str(frame["metric_id"])
    seconds = _number(frame["timeout_seconds"])
    grade: Callable[..., object] = loaded.grade
    extra = [Context()] if loaded.takes_context else []

    def work(job: str) -> str:
        try:
            sample, item = _decode(job)
        except (ValueError, RecursionError) as error:  # a number of 5,000 digits, lists nested 1,000 deep
            return Invalid("unreadable_sample", f"Python can't read this sample: {error}").encoded()
        return read_result(grade(sample, item, *extra), metric_id).encoded()

    def on_fault(error: BaseException) -> str:
        fault = read_fault(error, loaded.origin)
        if fault.type == "timeout":
            reason = f"grade ran longer than {seconds:g} s (timeout_seconds)"
            return Invalid("timeout", reason, None, fault.traceback or None).encoded()
        return Invalid(fault.type, fault.message, None, fault.traceback or None).encoded()

    return Program(work, on_fault, seconds)


def _regex_program() -> Program:
    """Jobs are ``{"check": spec}`` and ``{"search": spec, "text": …}``. No user code but the patterns."""
    from regrade import regex

    def work(job: str) -> str:
        asked = _decode(job)
        if "check" in asked:
            return encode({"problem": regex.check(asked["check"])})
        return encode(regex.search(asked["search"], asked["text"]))

    def on_fault(error: BaseException) -> str:
        if isinstance(error, TimeUp):
            return '{"timeout":true}'
        return encode({"error": f"{type(error).__name__}: {shown(error)}"})

    return Program(work, on_fault, 1.0)


def _number(value: object) -> float:
    if isinstance(value, (int, float)):
        return float(value)
    raise TypeError(f"no number: {value!r}")
