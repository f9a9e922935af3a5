"""Describes an exception of user code for its author: the message, and the frames of their own code."""

from __future__ import annotations

import os
import sys

from regrade.timer import TimeUp

TYPE_CHECKING = False
if TYPE_CHECKING:
    import traceback
    from collections.abc import Iterable

_HERE = os.path.dirname(os.path.abspath(__file__)) + os.sep
_MESSAGE_LIMIT = 2_000
_TRACEBACK_LIMIT = 6_000
#: Limit of frames; of a deep recursion the last ones suffice.
_FRAMES = 40


class Origin:
    """The origin of user code: the name of its file in messages, and the folder that it may import from."""

    def __init__(self, shown: str, folder: str | None, what: str = "grader") -> None:
        self.shown = shown
        self.folder = folder
        #: ``grader`` or ``preprocessor``.
        self.what = what
        #: The text of the main file. No file has it under the name that messages show.
        self.source = ""

    def name(self, filename: str) -> str:
        """Return a file's name for messages. It is relative to the repository if the file belongs to the grader."""
        if self.folder is None or not filename.startswith(self.folder + os.sep):
            return filename
        relative = filename[len(self.folder) + 1 :].replace(os.sep, "/")
        parent, _, _ = self.shown.rpartition("/")
        return f"{parent}/{relative}" if parent else relative

    def owns(self, shown: str) -> bool:
        """Return whether a file, by the name that ``name`` gave it, is the user's: their main file, or one in their
        folder."""
        return shown == self.shown or not os.path.isabs(shown)


class Fault:
    """An exception of user code. ``line`` is the innermost line in the user's main file."""

    def __init__(self, type: str, message: str, traceback: str, line: int | None) -> None:
        self.type = type
        self.message = message
        self.traceback = traceback
        self.line = line


def read_fault(error: BaseException, origin: Origin) -> Fault:
    """Describe an exception of user code. Never raises, whatever ``str(error)`` does."""
    import linecache
    import traceback

    source = origin.source
    linecache.cache[origin.shown] = (len(source), None, source.splitlines(keepends=True), origin.shown)
    seen = traceback.TracebackException.from_exception(error, limit=-_FRAMES)
    _keep_user_frames(seen, origin, 0)
    lines = [frame.lineno for frame in seen.stack if frame.filename == origin.shown]
    return Fault(
        type=_type(error),
        message=_capped(_message(error, origin.what) + _at(seen, origin) + _hint(error), _MESSAGE_LIMIT),
        traceback=_capped("".join(_lines(seen, error)).rstrip(), _TRACEBACK_LIMIT),
        line=lines[-1] if lines else None,
    )


def _lines(seen: traceback.TracebackException, error: BaseException) -> Iterable[str]:
    """The traceback. For a time-out it is only the stack, because the exception's name and context mean nothing to the
    user."""
    return seen.stack.format() if isinstance(error, TimeUp) else seen.format()


def _type(error: BaseException) -> str:
    if isinstance(error, TimeUp):
        return "timeout"
    from regrade.context import ModelError

    if isinstance(error, ModelError):
        return "model_refused"
    return "exit" if isinstance(error, SystemExit) else "exception"


def _message(error: BaseException, what: str) -> str:
    try:
        text = str(error)
    except Exception:  # the user's own __str__
        text = "(its text can't be read)"
    if isinstance(error, SystemExit):
        return f"the {what} called sys.exit({text})"
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _hint(error: BaseException) -> str:
    """A sentence if the sandbox may have caused the error."""
    from regrade.sandbox import explain

    sentence = explain(error)
    return f"; {sentence}" if sentence else ""


def _at(seen: traceback.TracebackException, origin: Origin) -> str:
    """Name the last line of the user's own code, and also that of a library if the error was raised there."""
    if not seen.stack:
        return ""
    last = seen.stack[-1]
    own = next((frame for frame in reversed(seen.stack) if origin.owns(frame.filename)), last)
    raised = "" if own is last else f"; raised in {_short(last.filename)}:{last.lineno}"
    return f" ({own.filename}:{own.lineno}, in {own.name}{raised})"


def _short(filename: str) -> str:
    """The name of a library's file without the folder where libraries are installed: ``json/decoder.py``."""
    folders = [f"{folder.rstrip(os.sep)}{os.sep}" for folder in sys.path if folder]
    longest = max((len(folder) for folder in folders if filename.startswith(folder)), default=0)
    return filename[longest:]


def _keep_user_frames(seen: traceback.TracebackException, origin: Origin, depth: int) -> None:
    """Remove the host's frames, also from the exceptions that caused this one, and shorten the names of files."""
    for frame in seen.stack:
        frame.line  # noqa: B018 - reads the source line while the file's real name is known
    seen.stack[:] = [frame for frame in seen.stack if not _is_ours(frame.filename)]
    for frame in seen.stack:
        frame.filename = origin.name(frame.filename)
    for earlier in (seen.__cause__, seen.__context__):
        if earlier is not None and depth < 10:
            _keep_user_frames(earlier, origin, depth + 1)


def _is_ours(filename: str) -> bool:
    """True for the host's own files and Python's import machinery. A built-in grader is shown like a user's."""
    if filename.startswith("<frozen "):
        return True
    return filename.startswith(_HERE) and os.sep not in filename[len(_HERE) :]


def _capped(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit // 2]}\n…\n{text[-limit // 2 :]}"
