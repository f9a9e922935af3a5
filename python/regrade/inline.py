"""Serves a program in the host's own process: regexes, which are no code, and everything on systems without ``fork``.

A job that ends the process ends the host. A careful host sends each answer at once, so that Node knows which job is at
fault: the first one without an answer.
"""

from __future__ import annotations

import time

from regrade.codec import decode, encode
from regrade.runner import Runner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from regrade.frames import Channel
    from regrade.program import Program

#: Seconds for which answers are collected before they are sent, which saves a quarter of the time.
_TOGETHER = 0.001


class Inline:
    """Serves one program."""

    def __init__(self, channel: Channel, program: Program, key: str, careful: bool) -> None:
        self._channel = channel
        self._whole = program.whole
        self._runner = Runner(program)
        self._head = f'{{"key":{encode(key)},'
        self._together = 0 if careful else _TOGETHER
        self._later: list[str] = []
        self._parts: dict[int, list[str]] = {}
        self._sent_at = 0.0

    def serve(self) -> None:
        """Serve until Node closes the channel."""
        while (text := self._next()) is not None:
            head, _, body = text.partition("\n")
            frame = decode(head)
            if frame["type"] == "batch":
                for number, job in enumerate(body.split("\n"), int(frame["first"])):
                    self._answer(number, [job])
            elif frame["type"] == "open":
                self._parts[frame["n"]] = []
            elif frame["type"] == "part":
                self._parts[frame["n"]] += body.split("\n")
            elif frame["type"] == "stop":
                self._parts.pop(frame["n"], None)
            elif frame["type"] == "go":
                self._answer(frame["n"], self._parts.pop(frame["n"]))
            self._channel.flush()

    def _next(self) -> str | None:
        return self._later.pop(0) if self._later else self._channel.read()

    def _answer(self, number: int, lines: list[str]) -> None:
        asked = 0

        def ask(helper: str, request: str) -> dict[str, object]:
            nonlocal asked
            body = f'{{"helper":{encode(helper)},"request":{request}}}'
            self._tell(f'"n":{number},"ask":{asked}', body)
            self._channel.flush()
            asked += 1
            return self._wait_for(number, asked - 1)

        line, *more = self._runner.run(lines, ask)
        if self._whole:
            for each in [line, *more][:-1]:
                self._tell(f'"n":{number},"part":true', each)
            self._tell(f'"n":{number},"end":true', [line, *more][-1])
        else:
            self._tell(f'"ns":[{number}]', line)
        now = time.monotonic()
        if now - self._sent_at >= self._together:
            self._channel.flush()
            self._sent_at = now

    def _wait_for(self, number: int, index: int) -> dict[str, object]:
        """Wait for an answer. Other frames that arrive are kept for later; the answer to a call that a time-out cut off
        is dropped."""
        while (text := self._channel.read()) is not None:
            head, _, body = text.partition("\n")
            frame = decode(head)
            if frame["type"] != "answer":
                self._later.append(text)
            elif (frame["n"], frame["ask"]) == (number, index):
                end: dict[str, object] = decode(body)
                return end
        return {"kind": "unavailable", "message": "the run ended"}

    def _tell(self, head: str, body: str) -> None:
        self._channel.write(f"{self._head}{head}}}\n{body}")
