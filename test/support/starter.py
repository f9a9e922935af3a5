"""Starts programs for a test's process, which is large: see starter.ts, which speaks to it. It ends with that process.

Started as ``python3 -I -X utf8 <this file> <name> <folder of the package regrade>``. It listens on the abstract socket
of that name and prints three descriptors of pipes, which it closes once the other side has opened them and said so with
a line. Orders come in through the first, the answer to each goes out through the second at once, and ends of programs
through the third.

An order is 4 bytes of length and JSON: ``file``, ``args``, ``env`` (``NAME=value``), ``cwd``, ``session``, ``forks``
(whether it may run in a fork of this process: see forked.py), and ``streams``: for each descriptor from 0 on whether it
is a connection, made to the socket before, or nothing. The answer is the process's id, or the error's number with a
minus sign. An end is a line of the id, the exit code and the signal.
"""

import json
import os
import select
import signal
import socket
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import forked

del sys.path[0]

#: Descriptors of a program are below, so that one never replaces another that is still needed.
_ABOVE = 64
_SIGNALS = [each for each in signal.valid_signals() if each not in (signal.SIGKILL, signal.SIGSTOP)]


def serve(name: str) -> None:
    """Start programs until the other side closes the pipe of orders."""
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(f"\0{name}")
    listening.listen(128)
    (orders, asking), (answering, answers), (told, ends) = os.pipe(), os.pipe(), os.pipe()
    # In a terminal, Ctrl-C reaches it, too.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    print(asking, answering, told, flush=True)
    sys.stdin.readline()
    for descriptor in (asking, answering, told):
        os.close(descriptor)
    children = _wake_on_children()
    forked.prepare()
    poll = select.poll()
    for descriptor in (orders, children):
        poll.register(descriptor, select.POLLIN)
    while True:
        ready = {descriptor for descriptor, _ in poll.poll()}
        if orders in ready:
            order = _read_order(orders)
            if order is None:
                return
            os.write(answers, b"%d\n" % _start(order, listening))
        if children in ready:
            os.read(children, 4096)
            try:
                _tell_ends(ends)
            except BrokenPipeError:
                return


def _wake_on_children() -> int:
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    return reading


def _read_order(descriptor: int) -> "dict[str, object] | None":
    head = _read(descriptor, 4)
    return json.loads(_read(descriptor, int.from_bytes(head, "big"))) if head else None


def _read(descriptor: int, length: int) -> bytes:
    data = b""
    while len(data) < length:
        part = os.read(descriptor, length - len(data))
        if not part:
            return b""
        data += part
    return data


def _start(order: "dict[str, object]", listening: socket.socket) -> int:
    connections = []
    for place, stream in enumerate(order["streams"]):
        if stream == "connection":
            connection, _ = listening.accept()
            with connection:
                connections.append(os.dup2(connection.fileno(), _ABOVE + place, inheritable=False))
    try:
        env = dict(entry.split("=", 1) for entry in order["env"])
        os.chdir(order["cwd"])
        # Where posix_spawnp looks for the program.
        os.environ["PATH"] = env.get("PATH", os.defpath)
        if order["forks"] and forked.can_run(order["file"], order["args"][1:], env):
            return forked.start(order["args"][1:], env, _streams(order), order["session"])
        return _spawn(order, env)
    except (OSError, ValueError) as error:
        return -(getattr(error, "errno", None) or 22)
    finally:
        os.chdir("/")
        for descriptor in connections:
            os.close(descriptor)


def _spawn(order: "dict[str, object]", env: "dict[str, str]") -> int:
    actions = [
        (os.POSIX_SPAWN_OPEN, place, os.devnull, forked.mode(place), 0)
        if stream is None
        else (os.POSIX_SPAWN_DUP2, stream, place)
        for place, stream in enumerate(_streams(order))
    ]
    return os.posix_spawnp(
        order["file"],
        order["args"],
        env,
        file_actions=actions,
        setsid=order["session"],
        setsigmask=[],
        setsigdef=_SIGNALS,
    )


def _streams(order: "dict[str, object]") -> "list[int | None]":
    """Return the connection of each descriptor, None for one of nothing."""
    return [_ABOVE + place if stream == "connection" else None for place, stream in enumerate(order["streams"])]


def _tell_ends(descriptor: int) -> None:
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else 0
        os.write(descriptor, b"%d %d %d\n" % (pid, code, number))


if __name__ == "__main__":
    serve(sys.argv[1])
