"""Runs a program on a pseudo-terminal and types keys when it asks. Prints {"code", "screen"} as JSON."""

import json
import os
import pty
import select
import signal
import sys
import time

PROMPT = b"]: "
LIMIT_SECONDS = 60

task = json.loads(sys.argv[1])
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(task["argv"][0], task["argv"])

screen = b""
answered = 0
keys = list(task["keys"])
deadline = time.monotonic() + LIMIT_SECONDS
while True:
    if time.monotonic() > deadline:
        os.kill(pid, signal.SIGKILL)
        break
    ready, _, _ = select.select([terminal], [], [], 1)
    if ready:
        try:
            data = os.read(terminal, 65536)
        except OSError:  # Linux: the other end is closed
            break
        if not data:
            break
        screen += data
    # A line editor draws its prompt again; each prompt is answered once, when it stands at the end of the screen.
    tail = screen[answered:]
    if keys and PROMPT in tail:
        time.sleep(0.05)
        answered = len(screen)
        os.write(terminal, keys.pop(0).encode())
_, status = os.waitpid(pid, 0)
print(json.dumps({"code": os.waitstatus_to_exitcode(status), "screen": screen.decode(errors="replace")}))
