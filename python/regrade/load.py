"""Loads a grader: inline source, a file, or a built-in."""

from __future__ import annotations

import hashlib
import importlib
import inspect
import linecache
import os
import sys
import types
from collections.abc import Callable
from dataclasses import dataclass

from regrade.context import Context
from regrade.faults import Origin, read_fault
from regrade.imports import own_files
from regrade.timer import TimeUp

Grade = Callable[[object, object], object]
_MODULE = "__regrade_grader__"
_BUILTINS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "graders")


@dataclass(frozen=True)
class Loaded:
    """A grader that is ready. ``files``: what it is made of, the main file first."""

    grade: Grade
    takes_context: bool
    origin: Origin
    files: list[dict[str, str]]


@dataclass(frozen=True)
class Refused:
    """Why a grader can't be used, with the place in its source where there is one."""

    reason: str
    message: str
    line: int | None = None
    column: int | None = None
    text: str | None = None
    traceback: str | None = None


class _Refusal(Exception):
    def __init__(self, refused: Refused) -> None:
        super().__init__(refused.message)
        self.refused = refused


def load_grader(frame: dict[str, object]) -> Loaded | Refused:
    """Load what the frame names: ``{kind: source | file | builtin, …}``. User code runs in here, at import."""
    try:
        if frame["kind"] == "builtin":
            return _load_builtin(str(frame["name"]), frame["options"])
        if frame["kind"] == "file":
            return _load_file(str(frame["path"]), str(frame["shown"]))
        return _load_source(str(frame["text"]), str(frame["shown"]))
    except _Refusal as refusal:
        return refusal.refused


def _load_source(text: str, shown: str) -> Loaded:
    code = text.encode("utf-8", "surrogatepass")
    digest = f"sha256:{hashlib.sha256(code).hexdigest()}"
    origin = Origin(shown, None)
    module = _module(shown)
    _run(code, module, origin)
    grade, takes_context = _find_grade(module, origin)
    return Loaded(grade, takes_context, origin, [{"path": shown, "sha256": digest}])


def _load_file(path: str, shown: str) -> Loaded:
    try:
        with open(path, "rb") as file:
            code = file.read()
    except OSError as error:
        raise _Refusal(Refused("file_unreadable", error.strerror or str(error))) from None
    path = os.path.realpath(path)
    folder = os.path.dirname(path)
    # As for a script: the folder's modules can be imported, and a relative path means the folder.
    sys.path.insert(0, folder)
    os.chdir(folder)
    origin = Origin(shown, folder)
    module = _module(path)
    _run(code, module, origin)
    grade, takes_context = _find_grade(module, origin)
    return Loaded(grade, takes_context, origin, own_files(path, folder))


def _module(path: str) -> types.ModuleType:
    """Known to ``sys.modules``, which dataclasses and pickle look into, under a name that hides nobody's module."""
    module = types.ModuleType(_MODULE)
    module.__file__ = path
    sys.modules[_MODULE] = module
    return module


def _run(source: bytes, module: types.ModuleType, origin: Origin) -> None:
    """Compile under the name that messages show, and keep the lines for tracebacks."""
    lines = source.decode("utf-8", "replace").splitlines(keepends=True)
    linecache.cache[origin.shown] = (len(source), None, lines, origin.shown)
    try:
        exec(compile(source, origin.shown, "exec", dont_inherit=True), module.__dict__)
    except SyntaxError as error:
        if error.filename == origin.shown:
            text = error.text.rstrip() if error.text else None
            refused = Refused("syntax", error.msg, error.lineno, error.offset, text)
            raise _Refusal(refused) from None
        raise _Refusal(_import_failed(error, origin)) from None
    except TimeUp:
        raise
    except BaseException as error:
        raise _Refusal(_import_failed(error, origin)) from None


def _import_failed(error: BaseException, origin: Origin) -> Refused:
    fault = read_fault(error, origin)
    missing = isinstance(error, ModuleNotFoundError) and error.name
    if missing:
        return Refused("module_missing", str(missing), fault.line, traceback=fault.traceback)
    return Refused("import_failed", fault.message, fault.line, traceback=fault.traceback)


def _find_grade(module: types.ModuleType, origin: Origin) -> tuple[Grade, bool]:
    grade = getattr(module, "grade", None)
    if grade is None:
        names = [name for name, value in vars(module).items() if inspect.isfunction(value)]
        raise _Refusal(Refused("no_grade", ", ".join(names[:10])))
    if not callable(grade):
        raise _Refusal(Refused("not_callable", type(grade).__name__))
    return grade, _takes_context(grade, origin)


def _takes_context(grade: Callable[..., object], origin: Origin) -> bool:
    """True where ``grade(sample, item, ctx)`` must be called with a third argument, or names one ``ctx``."""
    try:
        signature = inspect.signature(grade)
    except (TypeError, ValueError):  # written in C, without a signature: called with two
        return False
    context = signature.parameters.get("ctx")
    for extra in ([Context()], []) if context else ([], [Context()]):
        try:
            signature.bind("sample", "item", *extra)
        except TypeError:
            continue
        return bool(extra)
    line = getattr(getattr(grade, "__code__", None), "co_firstlineno", None)
    raise _Refusal(Refused("signature", str(signature), line))


def _load_builtin(name: str, options: object) -> Loaded:
    origin = Origin(name, None)
    module = importlib.import_module(f"regrade.graders.{name}")
    try:
        grade: Grade = module.create(options)
    except (ValueError, TypeError) as error:
        raise _Refusal(Refused("options", str(error))) from None
    path = os.path.join(_BUILTINS, f"{name}.py")
    return Loaded(grade, False, origin, own_files(path, _BUILTINS))
