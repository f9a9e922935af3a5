"""Attempts to get past a fence. ``regrade doctor`` runs this file behind one, as a candidate. Each is also an attempt
of the sandbox.

``python3 -I attempts.py TARGETS`` writes a line of JSON for each, in the form of ``sandbox.escapes.Outcome``.
"""

from __future__ import annotations

import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

from regrade.sandbox.escapes import attempt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from regrade.sandbox.escapes import Targets

#: The sandbox's attempts that a fence must block, too.
_HELD = (
    *("read the manifest's neighbours", "read .git/config", "read the home folder"),
    *("write in the workspace", "create a file in the workspace"),
    *("read the run's environment in /proc", "open the run's memory in /proc", "read the run's memory"),
    *("trace the run", "signal the run", "set limits of the run"),
    *("connect to a Unix socket", "become root by sudo", "mount a file system"),
)


def main(targets: Targets) -> None:
    """Make each attempt in a separate process, because some change the process that makes them."""
    for name in _HELD:
        process = os.fork()
        if process == 0:
            print(json.dumps(attempt(name, targets)), flush=True)
            os._exit(0)
        os.waitpid(process, 0)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
