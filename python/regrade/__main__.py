"""Starts a host: ``python3 -I <this file>``. Frames come in on descriptor 3 and go out on 4."""

import os
import sys


def start() -> None:
    """Import the package by its name, leave no trace of it in ``sys.path``, and serve.

    Without ``-I`` Python would put this folder first in the path, where our ``result.py`` would hide a user's module
    ``result``.
    """
    package = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [os.path.dirname(package), *(path for path in sys.path if path != package)]
    from regrade import host

    del sys.path[0]
    host.serve(3, 4)


if __name__ == "__main__":
    start()
