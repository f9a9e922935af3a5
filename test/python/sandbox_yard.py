"""Run as a program, as whichever user: makes targets, starts a host, and lets forks of it try the escapes.

``argv[1]``: JSON with ``mode``, ``folder`` (empty, this user's own), ``setuid`` (a command or null), ``abi`` and
``seccomp`` (what of the machine's is used; null: all), ``tight`` (false: as while a grader is imported).
Prints ``{"level", "details", "outcomes": {escape: [outcome, said]}}``.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from regrade.sandbox import Offer, Report, Settings, enter, probe, tighten
from regrade.sandbox.escapes import ESCAPES, Targets, attempt

CANARY = "yard-canary"


def main() -> None:
    asked = json.loads(sys.argv[1])
    if "targets" in asked:
        print(json.dumps(be_host(asked)))
        return
    folder = Path(asked["folder"])
    with servers(folder) as ports, open(secret(folder)) as inherited:
        os.set_inheritable(inherited.fileno(), True)
        targets = {**make_targets(folder), **ports, "parent": os.getpid(), "descriptor": CANARY}
        if asked["setuid"]:
            targets["setuid"] = asked["setuid"]
        told = json.dumps({**asked, "targets": targets})
        host = subprocess.run(
            [sys.executable, "-I", "-B", "-c", start_of_host(), told],
            close_fds=False,
            stdout=subprocess.PIPE,
            check=False,
            timeout=60,
        )
    print(host.stdout.decode())
    sys.exit(host.returncode)


def start_of_host() -> str:
    """-I takes this folder and PYTHONPATH out of the path; they are put back as a host's start does."""
    here = os.path.dirname(os.path.abspath(__file__))
    return (
        f"import sys; sys.path[:0] = {[here, *path_of_python()]!r}; import regrade.sandbox.escapes, sandbox_yard; "
        f"del sys.path[:{1 + len(path_of_python())}]; sandbox_yard.main()"
    )


def path_of_python() -> list[str]:
    import regrade

    return [str(Path(regrade.__file__).parent.parent)]


def make_targets(folder: Path) -> dict[str, object]:
    named = {
        "github_env": "runner/env",
        "github_output": "runner/output",
        "git_config": "work/.git/config",
        "home": "home/.netrc",
        "neighbour": "work/evals/suite.yaml",
        "workspace": "work/app.py",
        "own": "work/evals/graders/own.py",
        "dist": "work/dist/main.mjs",
    }
    for name in named.values():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("content\n")
    (folder / "private").mkdir()
    (folder / "work/mount").mkdir()
    return {**{key: str(folder / name) for key, name in named.items()}, "folder": str(folder / "work/mount")}


def secret(folder: Path) -> Path:
    path = folder / "secret"
    path.write_text(f"the {CANARY}\n")
    return path


@contextmanager
def servers(folder: Path) -> Iterator[dict[str, object]]:
    """Listeners that an escape would reach."""
    tcp = socket.create_server(("127.0.0.1", 0))
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    udp.bind(("127.0.0.1", 0))
    stream, datagram = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    stream.bind(str(folder / "stream"))
    stream.listen()
    datagram.bind(str(folder / "datagram"))
    threading.Thread(target=answer, args=(udp,), daemon=True).start()
    with tcp, udp, stream, datagram:
        yield {
            "tcp": tcp.getsockname()[1],
            "udp": udp.getsockname()[1],
            "dns": udp.getsockname()[1],
            "unix": str(folder / "stream"),
            "unix_datagram": str(folder / "datagram"),
        }


def answer(udp: socket.socket) -> None:
    while True:
        try:
            data, sender = udp.recvfrom(512)
            udp.sendto(data, sender)
        except OSError:
            return


def be_host(asked: dict[str, object]) -> dict[str, object]:
    report = hold(asked)
    targets: Targets = asked["targets"]  # type: ignore[assignment]
    outcomes = {name: try_in_fork(name, targets, bool(asked["tight"])) for name in ESCAPES}
    return {"level": report.level, "details": report.details, "outcomes": outcomes}


def hold(asked: dict[str, object]) -> Report:
    folder = Path(str(asked["folder"]))
    private = str(folder / "private")
    os.environ["TMPDIR"] = private
    mode = asked["mode"]
    settings = Settings(mode, (str(folder / "work/evals/graders"),), private)  # type: ignore[arg-type]
    found = probe()
    abi = found.landlock_abi if asked["abi"] is None else int(str(asked["abi"]))
    return enter(settings, Offer(found.system, abi, found.machine if asked["seccomp"] else None))


def try_in_fork(name: str, targets: Targets, tight: bool) -> list[str]:
    reads, writes = os.pipe()
    fork = os.fork()
    if fork == 0:
        try:
            if tight:
                tighten()
            outcome = attempt(name, targets)
            os.write(writes, json.dumps([outcome["outcome"], outcome["said"]]).encode())
        finally:
            os._exit(0)
    os.close(writes)
    with open(reads, "rb") as answered:
        text = answered.read()
    os.waitpid(fork, 0)
    found: list[str] = json.loads(text or b'["died", ""]')
    return found


if __name__ == "__main__":
    main()
